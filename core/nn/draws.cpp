#include "core/nn/draws.h"

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

thread_local DrawList* taking = nullptr;
thread_local DrawList* giving = nullptr;

}  // namespace

std::vector<torch::Tensor> drawn(std::uint64_t key, const torch::Device& device, const MakeDraw& make) {
  if (giving != nullptr) {
    PAIRS_CHECK(giving->next_ < giving->entries_.size(), "A recorded step draws more than the step that it repeats");
    return giving->entries_[giving->next_++].values;
  }
  std::vector<torch::Tensor> values = make(key);
  for (torch::Tensor& value : values) value = send(value, device);
  if (taking != nullptr) taking->entries_.push_back({make, values});
  return values;
}

DrawList::Taking::Taking(DrawList& list) {
  PAIRS_CHECK(taking == nullptr && giving == nullptr, "Draws are listed once at a time");
  list.entries_.clear();
  taking = &list;
}
DrawList::Taking::~Taking() {
  taking = nullptr;
}

DrawList::Giving::Giving(DrawList& list) {
  PAIRS_CHECK(taking == nullptr && giving == nullptr, "Draws are given from one list at a time");
  list.next_ = 0;
  giving = &list;
}
DrawList::Giving::~Giving() {
  giving = nullptr;
}

void DrawList::redraw(std::uint64_t key) {
  for (Entry& entry : entries_) {
    const std::vector<torch::Tensor> values = entry.make(key);
    for (std::size_t i = 0; i < values.size(); ++i) entry.values[i].copy_(send(values[i], entry.values[i].device()));
  }
}

}  // namespace pairs

#include "core/nn/initial.h"

#include <ATen/ops/empty.h>

#include <optional>

#include "core/base/text/error.h"

namespace pairs {
namespace {

struct Outline {
  std::size_t most, made = 0;
};
thread_local std::optional<Outline> outline;

}  // namespace

torch::TensorOptions weight_options() {
  return torch::TensorOptions(torch::kFloat).device(outline ? torch::kMeta : torch::kCPU);
}

namespace {

void count_tensor() {
  if (outline)
    PAIRS_CHECK(++outline->made <= outline->most,
                "its settings describe a network of more than the {} tensors it holds", outline->most);
}

}  // namespace

torch::Tensor normal_tensor(at::IntArrayRef sizes, const at::Generator& generator) {
  count_tensor();
  return at::empty(sizes, weight_options()).normal_(0, 1, generator);
}

torch::Tensor uniform_tensor(at::IntArrayRef sizes, double bound, const at::Generator& generator) {
  count_tensor();
  return at::empty(sizes, weight_options()).uniform_(-bound, bound, generator);
}

ShapesOnly::ShapesOnly(std::size_t most) {
  outline = Outline{most};
}

ShapesOnly::~ShapesOnly() {
  outline.reset();
}

}  // namespace pairs

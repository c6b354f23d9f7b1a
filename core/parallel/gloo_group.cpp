#include "core/parallel/gloo_group.h"

#include <chrono>
#include <cstdlib>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#define USE_C10D_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <utility>

#include "core/base/text/error.h"
#include "core/parallel/rendezvous_store.h"

namespace pairs {
namespace {

constexpr std::chrono::seconds kConnecting(20);
// Transfers never time out: the heartbeat (rank_watch.h) detects lost ranks, however long a step takes.
constexpr std::chrono::hours kForEver(24 * 365);

}  // namespace

struct GlooGroup::Group {
  c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo;
};

GlooGroup::GlooGroup(const Rendezvous& meeting, const std::string& name, int member, int size,
                     const std::string& address)
    : group_(std::make_unique<Group>()) {
  // LibTorch's record of the groups' operations is global and not safe to write from several threads.
  static const int unrecorded = ::setenv("TORCH_FR_BUFFER_SIZE", "0", 1);
  static_cast<void>(unrecorded);
  try {
    const auto options = c10d::ProcessGroupGloo::Options::create(kConnecting);
    options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(address));
    options->threads = 1;
    group_->gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(
        c10::make_intrusive<c10d::PrefixStore>("gloo/" + name, meeting.parts().connect()), member, size, options);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    fail("This rank, at {}, cannot reach the other ranks ({}); their machines must accept connections of each other",
         address, sentence(error));
  }
}

GlooGroup::~GlooGroup() = default;

void GlooGroup::gather(const torch::Tensor& own, const torch::Tensor& all,
                       std::function<void(std::exception_ptr)> done) {
  torch::Tensor in = own, out = all;
  c10d::AllgatherOptions options;
  options.timeout = kForEver;
  const auto work = group_->gloo->_allgather_base(out, in, options);
  work->getFuture()->addCallback(
      [own = std::move(in), all = std::move(out), work, done = std::move(done)](c10::ivalue::Future& future) {
        done(future.hasError() ? future.exception_ptr() : nullptr);
      });
}

void GlooGroup::abandon() {
  // Its destructor would wait for transfers that will never complete; the process's end closes its connections.
  static_cast<void>(group_.release());
}

}  // namespace pairs

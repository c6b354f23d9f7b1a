#include "app/model/settings/gpu_setup.h"

#include <fmt/format.h>

#include "app/gpu/gpu_libraries_setup.h"
#include "app/gpu/package_index.h"
#include "core/base/gpu/devices.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/latest.h"

namespace pairs::model {
namespace {

constexpr double kFetchToldSeconds = 0.2;

}  // namespace

struct GpuSetup::State {
  explicit State(Hub& shared)
      : hub(shared), looks([&shared] { shared.wake(); }), work([&shared] { shared.wake(); }, Late::keep) {}

  Hub& hub;
  bool busy = false, failed = false;
  std::string outcome;
  Newest<std::string> progress;
  Latest<GpuLibraries> looks;
  Latest<std::string> work;  // a sentence

  void begin(Latest<std::string>::Work job) {
    busy = true;
    failed = false;
    outcome.clear();
    progress.put(std::make_shared<const std::string>());
    work.ask(std::move(job));
  }
};

GpuSetup::GpuSetup(Hub& hub) : why_not(why_no_gpu_to_add), state_(std::make_unique<State>(hub)) {}
GpuSetup::~GpuSetup() = default;

void GpuSetup::look() {
  state_->looks.ask(
      [why = why_not](const auto&) { return std::make_shared<const GpuLibraries>(survey_gpu_libraries(why())); });
}

bool GpuSetup::poll() {
  State& s = *state_;
  bool changed = s.looks.take() != nullptr || s.progress.take() != nullptr;
  if (const auto answer = s.work.take()) {
    s.busy = false;
    s.failed = !answer->value;
    s.outcome = answer->value ? *answer->value : answer->failure;
    changed = true;
    look();
  }
  return changed;
}

std::shared_ptr<const GpuLibraries> GpuSetup::found() const {
  return state_->looks.last();
}

void GpuSetup::add(const std::string& index) {
  State& s = *state_;
  s.begin([&s, index](const auto& stale) {
    Stopwatch reported;
    gpu::Watch watch;
    watch.stopped = stale;
    watch.progress = [&](const gpu::AddProgress& now) {
      if (reported.seconds() < kFetchToldSeconds) return;
      reported.restart();
      s.progress.put(std::make_shared<const std::string>(
          fmt::format("{} of {}: {}", byte_text(now.done), byte_text(now.total), now.what)));
      s.hub.wake();
    };
    gpu::add_libraries(gpu::needs(), gpu::index_address(index), watch);
    return std::make_shared<const std::string>(
        "They are installed and are used from the next start of the program on.");
  });
}

void GpuSetup::remove() {
  state_->begin([](const auto&) {
    return std::make_shared<const std::string>(
        fmt::format("They are removed; {} are free again.", byte_text(gpu::remove_libraries())));
  });
}

void GpuSetup::stop() {
  State& s = *state_;
  s.work.forget();
  s.busy = false;
  s.outcome = "Stopped; what has come is kept.";
  look();
}

bool GpuSetup::busy() const {
  return state_->busy;
}

std::string GpuSetup::progress() const {
  const auto reported = state_->progress.last();
  return reported ? *reported : "";
}

const std::string& GpuSetup::outcome() const {
  return state_->outcome;
}

bool GpuSetup::failed() const {
  return state_->failed;
}

}  // namespace pairs::model

#include "app/model/train/draft_needs.h"

#include <algorithm>
#include <utility>

#include "app/runs/new_run.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/train/settings/config.h"
#include "core/train/settings/stages.h"

namespace pairs::model {
namespace {

constexpr double kTyping = 0.4;  // seconds after the last change of a draft until it is estimated

// The settings that determine a draft's needs, without texts and seeds.
std::string needs_of(const RunConfig& config) {
  RunConfig copy = config;
  copy.note.clear();
  copy.seed = 1;
  return training_settings(copy);
}

}  // namespace

DraftNeeds::DraftNeeds(std::function<void()> wake) : answer_(std::move(wake)) {}

void DraftNeeds::forget() {
  asked_ = false;
  answer_.forget();
  estimate_.reset();
}

bool DraftNeeds::due(bool looked) const {
  if (needs_.empty()) return false;
  return asked_ ? answer_.fresh() : looked;
}

void DraftNeeds::hold() {
  answer_.cancel();
  asked_ = estimate_ != nullptr;
}

bool DraftNeeds::take() {
  const auto known = answer_.take();
  if (known) estimate_ = known->value;
  return known != nullptr;
}

bool DraftNeeds::follow(const Draft& draft, const std::filesystem::path& room, double now, bool looked, bool at_once,
                        bool busy) {
  bool changed = false;
  if (draft.version() != version_) {
    version_ = draft.version();
    changed_ = now;
    const std::string wanted = draft.error().empty() ? needs_of(draft.config()) : "";
    if (wanted != needs_) {
      needs_ = wanted;
      forget();
      changed = true;
    }
  }
  const bool wished = at_once || (looked && now - changed_ >= kTyping);
  if (!wished || asked_ || needs_.empty() || busy) return changed;
  asked_ = true;
  answer_.ask([config = draft.config(), folder = room](const LatestWorker::Stale& stale) {
    auto answer = std::make_shared<DraftEstimate>();
    try {
      const ExpectedCost need = expected_cost(config, stale);
      std::ranges::copy(stage_seconds(need), answer->seconds);
      answer->cache_bytes = need.cache_bytes;
      answer->gflop = need.gflop;
      answer->busy = busy_note(config, need);
      answer->free_bytes = static_cast<double>(free_disk_bytes(folder));
      try {
        check_room(need.cache_bytes, folder, "choose another folder under Runs on the Settings page");
      } catch (const Error& error) {
        answer->no_room = error.what();
      }
    } catch (const Stopped&) {
      throw;
    } catch (const std::exception& error) {
      answer->error = sentence(error);
    }
    return answer;
  });
  return changed;
}

}  // namespace pairs::model

#include "app/scores/borrowed_sets.h"

#include <utility>

#include "core/base/text/error.h"
#include "core/ensemble.h"

namespace pairs {
namespace {

class BorrowedSets final : public Task {
 public:
  BorrowedSets(TaskInfo info, std::shared_ptr<const Task> sets) : info_(std::move(info)), sets_(std::move(sets)) {
    info_.data_source = sets_->info().data_source;
  }
  const TaskInfo& info() const override { return info_; }
  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    return sets_->latents(seed, purpose, indices);
  }
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    return sets_->observe(latents, seed, purpose, ranges, device);
  }
  void prepare(const Preparation& preparation) const override { sets_->prepare(preparation); }
  std::int64_t subjects(Purpose purpose) const override { return sets_->subjects(purpose); }
  const StoredSets* stored() const override { return sets_->stored(); }

 private:
  TaskInfo info_;
  std::shared_ptr<const Task> sets_;
};

}  // namespace

LoadedRun with_sets_of(const LoadedRun& run, const LoadedRun& other) {
  const TaskInfo &own = run.task->info(), &theirs = other.task->info();
  const auto names = [](const TaskInfo& info) {
    std::vector<std::string> out;
    for (const Target& target : info.targets) out.push_back(target.name);
    return out;
  };
  PAIRS_CHECK(names(own) == names(theirs) && own.observation_shape == theirs.observation_shape &&
                  own.kind == theirs.kind && own.nuisances.size() == theirs.nuisances.size(),
              "{} and {} learn other quantities from other observations; only runs of one task can be compared",
              run.name, other.name);
  LoadedRun out = run;
  out.task = std::make_shared<BorrowedSets>(own, other.task);
  const auto file = run.folder / (run.finetuned ? run_file::estimator : run_file::pretrained);
  out.estimator = load_estimator(file, out.task);
  out.estimator->to(run.estimator->device());
  return out;
}

}  // namespace pairs

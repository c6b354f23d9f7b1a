#include "tasks/own/budget/budgeted_task.h"

#include "core/base/fields/face.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/given.h"
#include "core/input_scale.h"
#include "core/report/number_text.h"
#include "core/simulation_budget.h"
#include "core/target_choice.h"
#include "tasks/file_columns.h"
#include "tasks/file_reader.h"
#include "tasks/own/budget/own_settings.h"
#include "tasks/own/budget/pool.h"
#include "tasks/own/budget/pool_program.h"
#include "tasks/own/budget/pooled_task.h"
#include "tasks/own/file/measure.h"
#include "tasks/own/file/reference_file.h"
#include "tasks/own/file/task_programs.h"
#include "tasks/own/program/simulator.h"

namespace pairs::own {
namespace {

// The identity, as a standardization of x.
InputScale unit_scale(const TaskInfo& info) {
  const auto channels = static_cast<std::size_t>(input_channels(info));
  return {std::vector<double>(channels, 0.0), std::vector<double>(channels, 1.0)};
}

class BudgetedTask final : public Task,
                           public BudgetedSimulator,
                           public StandardizedInput,
                           public HasFileColumns,
                           public HasFileReader,
                           public HasGivenRanges,
                           public RedrawsInvalid,
                           public ChoosesTargets {
 public:
  BudgetedTask(const TaskFile& file, std::shared_ptr<const Task> simulated, std::int64_t simulations)
      : file_(file),
        inner_(std::move(simulated)),
        info_(inner_->info()),
        simulations_(simulations),
        layout_(pool_layout(simulations, info_.max_n, info_.no_density().empty())) {
    info_.variant = budget_variant(simulations);
    file_.info = inner_->info();
    file_.given_ranges = given_ranges();
    references_ = reference_file_of(file_);
  }

  const TaskInfo& info() const override { return info_; }
  // Measured on the sets once they are made.
  bool standardizes() const override { return standardizes_input(*inner_); }
  InputScale input_scale() const override {
    if (!standardizes()) return {};
    return file_.input.empty() ? unit_scale(info_) : file_.input;
  }
  const std::vector<FileColumn>& file_columns() const override { return file_.columns; }
  std::string file_reader(const std::filesystem::path& path) const override { return reader_for(file_, path); }
  bool knows_sets() const override { return references_ != nullptr; }
  std::unique_ptr<ReferencePosterior> reference_of(const std::vector<std::string>& names) const override {
    return references_ ? references_->of(names) : nullptr;
  }
  const std::vector<GivenRange>& given_ranges() const override { return face<HasGivenRanges>(*inner_)->given_ranges(); }
  std::vector<std::optional<NuisanceTarget>> nuisance_targets() const override {
    return face<ChoosesTargets>(*inner_)->nuisance_targets();
  }
  std::vector<std::string> references() const override { return inner_->references(); }
  std::unique_ptr<ReferencePosterior> reference(const std::string& name) const override {
    return inner_->reference(name);
  }
  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    return inner_->latents(seed, purpose, indices);
  }
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    PAIRS_CHECK(
        purpose == Purpose::explore,
        "The sets of {} within a budget of {} simulations are made when a run's training begins, and lie in the "
        "run's folder; train the run, or continue it with --resume",
        info_.title, count_text(simulations_));
    return inner_->observe(latents, seed, purpose, ranges, device);
  }

  // Counts the run's sets once they are made; before that, the simulations made for planning and display.
  InvalidDraws invalid_draws() const override {
    if (file_.file != file_.origin)
      if (InvalidDraws made = pool_invalid(file_.file.parent_path(), file_); made.attempts > 0) return made;
    return invalid_draws_of(*inner_);
  }

  std::int64_t simulations() const override { return simulations_; }
  // The standardization of x is not included yet, because it is measured on the simulations.
  std::string recorded() const override { return copy_text(file_); }
  std::vector<BudgetedSets> budgeted_sets() const override {
    std::vector<BudgetedSets> out;
    for (const PoolSize& size : layout_.sizes)
      out.push_back({size.n, size.of(Split::training), size.of(Split::validation), size.of(Split::test)});
    return out;
  }
  std::int64_t checks() const override { return layout_.checks; }
  bool measures_input() const override { return standardizes() && file_.input.empty(); }

  void simulate(std::uint64_t seed, const Preparation& preparation) const override {
    PAIRS_CHECK(file_.file != file_.origin, "{} belongs to no run, whose folder its simulations would lie in",
                printable(file_.file.string(), 300));
    const std::filesystem::path run = file_.file.parent_path();
    simulate_pool(file_, *inner_, run, layout_, seed, simulations_, preparation);
    record_input(run);
    if (const InvalidDraws invalid = pool_invalid(run, file_); invalid.attempts > 0)
      write_file(pool_folder(run) / kInvalidRecord, to_json(invalid).dump(1) + "\n");
    mark_complete(run);
  }

  std::shared_ptr<const Task> planned(std::uint64_t seed) const override {
    TaskFile file = file_;
    if (standardizes()) file.input = input_scale();
    file.info.data_source = fmt::format("{} simulations", count_text(simulations_));
    return pooled_task(std::move(file), hollow_simulations(*inner_, pooled_sets(*inner_, layout_, seed), seed),
                       simulations_);
  }

  SimulatorPace pace() const override { return measured_pace(file_, *inner_, layout_); }
  std::int64_t workers() const override { return Simulator(file_).workers(); }

 private:
  // Records the standardization of x in the run's copy of the task.
  void record_input(const std::filesystem::path& run) const {
    if (!measures_input()) return;
    TaskFile file = file_;
    const Simulations pool(pool_files(), run, simulation_shape(info_));
    file.input = measure_x(pool.sample_pairs(measured_x_sets(info_.observation_numbers())), input_channels(info_));
    write_file(file_.file, copy_text(file));
  }

  TaskFile file_;
  std::shared_ptr<const Task> inner_;
  TaskInfo info_;
  std::int64_t simulations_;
  PoolLayout layout_;
  std::shared_ptr<const ReferenceFile> references_;  // null: there are none
};

}  // namespace

std::shared_ptr<const Task> make_budgeted_task(const TaskFile& file, std::shared_ptr<const Task> simulated,
                                               std::int64_t simulations) {
  return std::make_shared<BudgetedTask>(file, std::move(simulated), simulations);
}

}  // namespace pairs::own

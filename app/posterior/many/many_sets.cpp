#include "app/posterior/many/many_sets.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "app/posterior/answer/known_reference.h"
#include "app/posterior/answer/own_values.h"
#include "app/posterior/answer/refined_answer.h"
#include "app/posterior/many/within_rows.h"
#include "app/posterior/question/other_given.h"
#include "app/posterior/question/random_subset.h"
#include "app/posterior/set/embedded_set.h"
#include "app/posterior/set/observed_set.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/one_thread.h"
#include "core/given.h"
#include "core/ops/repeated_networks.h"

namespace pairs {
namespace {

constexpr std::size_t kMostSets = 512;                       // of a batch
constexpr double kBatchSeconds = 1;                          // that a batch should take, so that progress is reported
constexpr std::int64_t kMostBytes = std::int64_t{32} << 20;  // of their observations as read

// A set's warnings as printed by infer for one set, except those about plots, since there is no plot.
void add_row_warnings(const Task& task, const Observed& observed, const PosteriorAnswer& answer, SetRow& row) {
  const auto add = [&](const std::string& text) {
    if (std::find(row.warnings.begin(), row.warnings.end(), text) == row.warnings.end()) row.warnings.push_back(text);
  };
  for (const std::string& text : observed.warnings) add(text);
  const ModelVerdict rejected{.standing = ModelVerdict::Standing::rejected};
  for (const PosteriorWarning& one : answer.warnings) {
    if (one.kind != WarningKind::left_out) add(one.text);
    if (withdrawn(one, rejected)) row.withdrawn.push_back(one.text);
  }
  for (const std::string& text : answer.problems) add(text);
  if (answer.typicality.outside) {
    add(outside_text(answer.typicality));
    row.withdrawn.push_back(outside_text(answer.typicality));
  }
  if (const std::string text = peaks_text(task, answer); !text.empty()) add(text);
}

// The usable observations.
Observations usable_part(const Observed& observed, const TaskInfo& info, const ManySetsQuestion& question) {
  const std::int64_t most = std::min(observed.x.count(), info.max_n);
  return question.random ? random_subset(observed.x, most, *question.random) : observed.x.slice(0, most);
}

// Log densities of the requested values for the set.
void add_log_density(const PosteriorAnswer& answer, const torch::Tensor& theta, SetRow& row) {
  if (!theta.defined()) return;
  const auto& log_density = answer.sources.front().log_density;
  if (!log_density) fail("The posterior has no density that could be asked for; leave out --theta");
  row.log_density = log_density(theta).to(torch::kCPU, torch::kFloat64);
}

// Samples, if they are passed on or the density has no numbers.
void add_samples(const AskedRun& run, const PosteriorAnswer& answer, const Observations& x,
                 const ManySetsQuestion& question, SetRow& row) {
  const bool numbers = !row.numbers.empty() && std::isfinite(row.numbers.front().mean);
  if (numbers && question.kept == 0) return;
  const torch::Tensor samples = finite_samples(run, answer.sources.front(), question.draws, question.seed,
                                               [&] { return largest_value(x.slice(0, answer.n)); });
  if (!numbers) {
    row.numbers = sample_numbers(run.loaded.task->info().targets, samples);
    row.warnings.push_back(sample_numbers_text(samples.size(0)));
  }
  if (question.kept > 0) row.samples = samples.slice(0, 0, question.kept).contiguous();
}

void add_marks(const AskedRun& run, const ItemMarks& marks, const PosteriorAnswer& answer, SetRow& row) {
  if (!marks.of_item()) return;
  row.own = marks.truth();
  const std::string of_kind = validation_warning(run.loaded, run.validated, row.kind);
  for (std::string& text : item_warnings(run.loaded, run.validated, row.name, marks)) {
    if (text != of_kind && text != run.validated.problem) row.of_item.push_back(text);
    row.warnings.push_back(std::move(text));
  }
  if (answer.numbers.empty()) return;
  if (std::string text = own_values_warning(*run.loaded.task, marks, answer.numbers.front()); !text.empty()) {
    row.of_item.push_back(row.name + ": " + text);
    row.warnings.push_back(std::move(text));
  }
}

void answer_set(const AskedRun& run, const ReadSet& observed, const ManySetsQuestion& question,
                const torch::Tensor& theta, SetRow& row) {
  const std::shared_ptr<Estimator>& estimator = run.loaded.estimator;
  const Task& task = *run.loaded.task;
  const std::int64_t n = question.size(row.name, observed.held);
  const torch::Tensor given = question.given.defined() ? question.given : observed.given;
  check_given(task, given, row.name);
  if (std::string text = other_given_text(task, observed.given, question.given); !text.empty())
    row.warnings.push_back(std::move(text));
  const Observations x = usable_part(observed, task.info(), question);
  EmbeddedSet embedded(estimator, x.count());
  embedded.add(x.slice(0, embedded.block_end(n)));
  PosteriorAnswer answer;
  answer.n = n;
  ask(run, 1, true, {[&] { return embedded.aggregate(n, x); }, n, n, given}, answer);
  if (observed.marks.of_item()) {
    row.recalibrations = recalibrations_of(run.validated, observed.marks);
    row.kind = kind_of(run.validated, observed.marks);
    if (!answer.sources.empty())
      answer.sources.back() = recalibrated(std::move(answer.sources.back()), task.info().targets, row.recalibrations);
  }
  if (question.exact)
    ask_exact(task, x.slice(0, n), given, names_of_set(row.name, question.files), observed.held, answer);
  if (question.refiner && question.refiner->wanted(question.source, n))
    add_refined(*question.refiner, question.source, x.slice(0, n), given, question.seed, question.keep_refining, answer,
                kPairsOfManySets);
  row.cut = observed.held > task.info().max_n;
  if (row.cut)
    answer.warnings.push_back(
        {WarningKind::cut_file, cut_set_text(row.name, observed.held, task.info(), question.random.has_value())});
  add_numbers(task, estimator->confined(), answer);
  if (answer.sources.empty() || !answer.sources.front().ours) fail("{}", no_posterior_text(answer));
  row.numbers = answer.shown_numbers(task, run);
  row.exact = answer.exact_numbers();
  if (question.source == SourceWish::both) row.refined = answer.refined_numbers(task.info().targets);
  row.source = answer.refined_first() ? SourceWish::refined : SourceWish::run;
  row.sources = question.refiner != nullptr;
  for (const PosteriorNumbers& one : answer.numbers)
    if (one.ours) row.kl = one.kl;
  row.typicality = answer.typicality;
  row.disagreement = answer.disagreement;
  row.extrapolates = answer.extrapolates();
  add_row_warnings(task, observed, answer, row);
  add_marks(run, observed.marks, answer, row);
  add_samples(run, answer, x, question, row);
  add_log_density(answer, theta, row);
  row.n = n;
  row.held = observed.held;
  row.dropped = observed.dropped;
  row.given = given;
  if (question.keep_observations || question.within) row.x = x.slice(0, n);
}

// The values of θ to score for set number `set`.
torch::Tensor theta_of(const ManySetsQuestion& question, std::int64_t set) {
  return question.theta.defined() && question.theta.dim() == 3 ? question.theta[set] : question.theta;
}

SetRow row_of(const AskedRun& run, ComingSet& set, const ManySetsQuestion& question, std::int64_t number) {
  const torch::NoGradGuard no_grad;
  const OneThread one_thread;
  SetRow row;
  row.name = std::move(set.name);
  try {
    answer_set(run, std::exchange(set.read, {})(), question, theta_of(question, number), row);
  } catch (const std::exception& error) {
    SetRow failed;
    failed.name = std::move(row.name);
    failed.problem = sentence(error);
    return failed;
  }
  return row;
}

// `first` is the index of the batch's first set.
std::vector<SetRow> rows_of(const AskedRun& run, std::vector<ComingSet>& batch, const ManySetsQuestion& question,
                            std::int64_t first) {
  std::vector<SetRow> rows(batch.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&](std::int64_t, std::int64_t) {
    const ops::RepeatedNetworks networks;  // a set's posterior asks them many times, each set the same ones
    for (std::size_t k = next++; k < batch.size(); k = next++)
      rows[k] = row_of(run, batch[k], question, first + static_cast<std::int64_t>(k));
  };
  if (run.loaded.estimator->device().is_cpu())
    at::parallel_for(0, at::get_num_threads(), 1, work);
  else
    work(0, 1);
  return rows;
}

// Adds the verdict to each row, with the warnings that it adds or withdraws.
void judge(std::vector<SetRow>& rows, const ManySetsQuestion& question, WithinRows& within,
           const std::function<bool()>& keep_going) {
  std::vector<WithinRow> tested;
  std::vector<SetRow*> answered;
  for (SetRow& row : rows) {
    if (!row.problem.empty()) continue;
    answered.push_back(&row);
    if (question.within) tested.push_back({row.x, row.given});
  }
  within.test(tested, keep_going);
  for (std::size_t k = 0; k < answered.size(); ++k) {
    SetRow& row = *answered[k];
    if (question.within) {
      row.within = std::move(tested[k].test);
      row.no_within = std::move(tested[k].why_not);
    }
    if (!question.keep_observations) row.x = {};
    row.verdict = within_verdict(model_verdict(row.typicality), row.within.value_or(WithinTest()));
    if (!row.verdict.rejected()) continue;
    std::erase_if(row.warnings, [&](const std::string& text) {
      return std::find(row.withdrawn.begin(), row.withdrawn.end(), text) != row.withdrawn.end();
    });
    row.warnings.push_back(verdict_warning(row.verdict));
  }
}

}  // namespace

void answer_sets(const AskedRun& run, SetStream& sets, const ManySetsQuestion& question,
                 const std::function<void(const SetRow&)>& row, const std::function<bool()>& keep_going) {
  const std::size_t least = 2 * static_cast<std::size_t>(at::get_num_threads()), most = sets.slow() ? least : kMostSets;
  std::size_t wanted = std::min(least, most);  // sets of the next batch; the answers do not depend on it
  std::int64_t answered = 0;
  WithinRows within(run.loaded, question.seed);
  for (bool more = true; more;) {
    if (keep_going && !keep_going()) throw Stopped();
    std::vector<ComingSet> batch;
    std::int64_t bytes = 0;
    const Stopwatch watch;
    while (batch.size() < wanted && bytes < kMostBytes) {
      ComingSet set;
      if (!(more = sets.next(set))) break;
      bytes += set.bytes;
      batch.push_back(std::move(set));
    }
    std::vector<SetRow> rows = rows_of(run, batch, question, answered);
    judge(rows, question, within, keep_going);
    for (const SetRow& one : rows) row(one);
    answered += static_cast<std::int64_t>(batch.size());
    const double seconds = watch.seconds();
    if (seconds < kBatchSeconds / 2) wanted = std::min(2 * wanted, most);
    if (seconds > 2 * kBatchSeconds) wanted = std::min(std::max(wanted / 2, least), most);
  }
}

}  // namespace pairs

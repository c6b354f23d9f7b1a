#include "app/batch/data/task_check.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "app/runs/input_text.h"
#include "app/runs/invalid_text.h"
#include "core/base/fields/face.h"
#include "core/base/fields/table_reader.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/eval/references/sufficiency.h"
#include "core/given.h"
#include "core/invalid_draws.h"
#include "core/report/number_text.h"
#include "core/stored_sets.h"
#include "core/train/settings/config.h"
#include "core/train/stages/plan.h"

namespace pairs::batch {
namespace {

constexpr std::uint64_t kSeed = 1, kOtherSeed = 2;
constexpr double kTimedSeconds = 0.5;

// The findings as printed.
struct Findings {
  std::string text;
  nlohmann::json checks = nlohmann::json::array(), notes = nlohmann::json::array();
  int faults = 0;

  void say(bool right, const std::string& what) {
    text += (right ? "ok     " : "WRONG  ") + what + "\n";
    checks.push_back({{"ok", right}, {"text", what}});
    faults += right ? 0 : 1;
  }
  void note(const std::string& what) {
    text += "       " + what + "\n";
    notes.push_back(what);
  }
};

std::vector<std::int64_t> first_indices(std::int64_t sets) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(sets));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

std::vector<SetRange> ranges_of(std::int64_t sets, std::int64_t first, std::int64_t count) {
  std::vector<SetRange> ranges;
  for (std::int64_t k = 0; k < sets; ++k) ranges.push_back({k, first, count});
  return ranges;
}

bool same(const Observations& a, const Observations& b) {
  return all_numbers(a).equal(all_numbers(b)) && (!a.is_ragged() || a.offsets().equal(b.offsets()));
}

// Reports constant columns and, if x is not standardized, columns whose numbers are far from size one.
void note_columns(const Task& task, const Observations& x, Findings& findings) {
  const TaskInfo& info = task.info();
  const std::string input = input_text(task, input_scale(task));
  if (!input.empty()) findings.note(input);
  if (x.numbers() == 0) return findings.note("x: none of the observations holds a row");
  for (std::int64_t k = 0; k < input_channels(info); ++k) {
    const torch::Tensor column = all_numbers(x).select(1, k).to(torch::kFloat64).flatten();
    const double low = column.min().item<double>(), high = column.max().item<double>();
    const std::string name = info.observation_columns.empty() ? fmt::format("channel {}", k + 1)
                                                              : info.observation_columns[static_cast<std::size_t>(k)];
    if (low == high)
      findings.note(fmt::format("x: {} is always {:g}, which carries no information: leave it out", name, low));
    else if (!standardizes_input(task) && (std::max(std::abs(low), std::abs(high)) > 100 || high - low < 0.1))
      findings.note(
          fmt::format("x: {} lies between {:g} and {:g}, and networks learn best from numbers of size one: "
                      "remove standardize = false",
                      name, low, high));
  }
}

// Checks sets of one size: they must depend only on their seed, and be prefixes of larger ones. Measures sets and
// observations per second.
double check_sets(const Task& task, std::int64_t sets, std::int64_t n, Findings& findings) {
  const std::string what = fmt::format("sets of {} observations", count_text(n));
  const std::vector<std::int64_t> indices = first_indices(sets);
  const Latents latents = task.latents(kSeed, Purpose::check, indices);
  const auto draw = [&](std::uint64_t seed, std::int64_t first, std::int64_t count) {
    return task.observe(latents, seed, Purpose::check, ranges_of(sets, first, count), torch::kCPU);
  };
  const Observations x = draw(kSeed, 0, n);
  findings.say(true, what + ": x has the shape that task.toml states, and every number is finite");
  findings.say(same(x, draw(kSeed, 0, n)), what + ": the same seed gives the same x");
  findings.say(!same(x, draw(kOtherSeed, 0, n)), what + ": another seed gives other x");
  const std::int64_t one = sets / 2;
  const SetRange alone[] = {{one, 0, n}};
  const Latents own{latents.theta.slice(0, one, one + 1), latents.psi.slice(0, one, one + 1),
                    latents.given.defined() ? latents.given.slice(0, one, one + 1) : torch::Tensor()};
  findings.say(same(x.slice(one * n, (one + 1) * n), task.observe(own, kSeed, Purpose::check, alone, torch::kCPU)),
               what + ": a set is the same whichever others are simulated with it");
  if (n == 2) note_columns(task, x, findings);
  const Stopwatch watch;
  std::int64_t drawn = 0;
  for (std::uint64_t seed = 3; drawn == 0 || watch.seconds() < kTimedSeconds; ++seed, drawn += sets) draw(seed, 0, n);
  const double rate = static_cast<double>(drawn) / watch.seconds();
  findings.note(fmt::format("{}: {} sets, {} observations per second", what, number_text(rate, 3),
                            number_text(rate * static_cast<double>(n), 3)));
  return rate * static_cast<double>(n);
}

// The first lines of a program's output, in printable characters.
std::string brief(const std::string& text) {
  constexpr std::size_t kLines = 30;
  std::string out;
  std::size_t lines = 0, at = 0;
  for (; at < text.size() && lines < kLines; ++lines) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += (lines > 0 ? "\n" : "") + printable(text.substr(at, end - at), 500);
    at = end + 1;
  }
  return at < text.size() ? out + "\n…" : out;
}

// The source of each condition, as in the task's file.
std::vector<std::string> given_sources(const Task& task) {
  const TaskInfo& info = task.info();
  const std::string where = printable(info.file, 300);
  const toml::table root = parse_toml(read_file(info.file), where);
  std::vector<std::string> out;
  for (const toml::table* one : TableReader(root, "", where).tables("conditions")) {
    out.emplace_back(task.stored() ? "as the files hold it" : "drawn by the program");
    for (const char* key : {"uniform", "log_uniform", "normal", "values"})
      if (one->contains(key)) out.back() = fmt::format("drawn as task.toml states ({})", key);
  }
  return out;
}

// The conditions of sets: their range in training and their source.
void note_given(const Task& task, Findings& findings) {
  const TaskInfo& info = task.info();
  const HasGivenRanges* const known = face<HasGivenRanges>(task);
  if (known == nullptr || info.given.empty() || known->given_ranges().size() != info.given.size()) return;
  const std::vector<std::string> drawn = given_sources(task);
  for (std::size_t k = 0; k < info.given.size(); ++k) {
    const GivenRange& range = known->given_ranges()[k];
    findings.note(
        fmt::format("given: {}, {:.4g} to {:.4g}, {}", info.given[k].name, range.seen_low, range.seen_high, drawn[k]));
  }
}

// Positive targets over many scales, of which a network learns the logarithm more easily; theta [B, d] of the prior.
void note_scales(const TaskInfo& info, const torch::Tensor& theta, Findings& findings) {
  constexpr double kLow = 0.05, kDecades = 3;  // of all values, of which nine tenths lie between two quantiles
  for (std::size_t t = 0; t < info.targets.size(); ++t) {
    const Target& target = info.targets[t];
    if (!(target.low >= 0) || target.periodic) continue;
    const torch::Tensor ends = at::quantile(theta.select(1, static_cast<std::int64_t>(t)).contiguous(),
                                            torch::tensor({kLow, 1 - kLow}, torch::kFloat64));
    const double decades = std::log10(ends[1].item<double>() / ends[0].item<double>());
    if (!(decades > (1 - 2 * kLow) * kDecades) || !std::isfinite(decades)) continue;
    findings.note(
        fmt::format("prior: 90 % of {} lie between {:.3g} and {:.3g}, over {:.1f} decades: let the target be "
                    "its logarithm, and the program simulate from 10^{}",
                    target.name, ends[0].item<double>(), ends[1].item<double>(), decades, target.name));
  }
}

// Log densities of a reference at values of θ, all at once and in small parts, which may differ only by rounding.
bool same_in_parts(ReferencePosterior& reference, const torch::Tensor& theta) {
  const torch::Tensor whole = reference.log_density(theta);
  const auto same = [&](std::int64_t first, std::int64_t end) {
    return at::allclose(reference.log_density(theta.slice(0, first, end)), whole.slice(0, first, end), 1e-6, 1e-6);
  };
  const std::int64_t count = theta.size(0);
  return same(0, 1) && same(count / 2, count / 2 + 1) && same(count - 1, count) && same(count / 6, count / 3);
}

// Checks a reference of one set of n observations at values of θ drawn from the prior.
void check_reference(const Task& task, const std::string& name, std::int64_t n, Findings& findings) {
  constexpr std::int64_t kValues = 64;
  const std::string what = fmt::format("reference of {}", counted(static_cast<std::size_t>(n), "observation"));
  const Latents latents = task.latents(kSeed, Purpose::check, first_indices(kValues));
  const Latents own{latents.theta.slice(0, 0, 1), latents.psi.slice(0, 0, 1),
                    latents.given.defined() ? latents.given.slice(0, 0, 1) : torch::Tensor()};
  try {
    const std::unique_ptr<ReferencePosterior> reference = task.reference(name);
    report_given(*reference, own.given);
    reference->add(task.observe(own, kSeed, Purpose::check, ranges_of(1, 0, n), torch::kCPU));
    const bool same = same_in_parts(*reference, latents.theta);
    findings.say(true, fmt::format("{}: a log density for each of {} values of θ, finite or -inf", what, kValues));
    findings.say(same, what + ": the log density of a value is the same whichever values are queried with it");
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage) throw;
    findings.say(false, what + ": " + brief(error.what()));
  }
}

void check_program(const Tasks& tasks, const std::shared_ptr<const Task>& made, Findings& findings) {
  const Task& task = *made;
  const TaskInfo& info = task.info();
  const std::vector<std::int64_t> indices = first_indices(1024);
  const Latents latents = task.latents(kSeed, Purpose::check, indices);
  findings.say(true, "the program starts, and answers the same to the same seed");
  findings.say(true, fmt::format("prior: {} and {} of every set lie within their supports",
                                 counted(info.targets.size(), "target"), counted(info.nuisances.size(), "nuisance")));
  findings.say(!latents.theta.equal(task.latents(kOtherSeed, Purpose::check, indices).theta),
               "prior: another seed gives other draws");
  note_given(task, findings);
  note_scales(info, latents.theta, findings);
  try {
    check_sufficient_statistics(task);
  } catch (const Error& error) {
    findings.say(false, error.what());
  }
  const std::int64_t large = std::min<std::int64_t>(info.max_n, 100);
  const double pairs = check_sets(task, 256, 2, findings), more = check_sets(task, 16, large, findings);
  if (const InvalidDraws invalid = invalid_draws_of(task); invalid.attempts > 0)
    findings.note(brief(invalid_text(to_json(invalid))));
  for (const std::string& name : task.references())
    for (const std::int64_t n : {std::int64_t{1}, large}) check_reference(task, name, n, findings);
  for (const char* preset : {"quick", "small", "paper"}) {
    double seconds = 0, sets = 0;
    const RunConfig config = load_preset(tasks, info, preset, "pairs", {});
    for (const SetDemand& demand : set_demands(config, made)) {
      sets += static_cast<double>(demand.sets);
      seconds += static_cast<double>(demand.sets) * static_cast<double>(demand.n) / (demand.n <= 2 ? pairs : more);
    }
    findings.note(fmt::format("the preset {} draws {} sets: about {} of simulating alone", preset,
                              count_text(static_cast<std::int64_t>(sets)), duration_text(seconds)));
  }
}

void check_stored(const Task& task, const StoredSets& stored, Findings& findings) {
  const TaskInfo& info = task.info();
  findings.say(true, fmt::format("{}: every θ lies within its support", info.data_source));
  note_given(task, findings);
  const struct {
    Purpose purpose;
    const char* use;
  } parts[] = {
      {Purpose::pretrain, "training"}, {Purpose::pretrain_validation, "validation"}, {Purpose::test, "evaluations"}};
  for (const auto& [purpose, use] : parts) {
    const std::int64_t held = stored.sets(purpose, 2), sets = std::min<std::int64_t>(held, 256);
    const Latents latents = task.latents(kSeed, purpose, first_indices(sets));
    const Observations x = task.observe(latents, kSeed, purpose, ranges_of(sets, 0, 2), torch::kCPU);
    findings.say(true, fmt::format("{} sets for {}, the largest of {} observations: every number of {} is finite",
                                   count_text(held), use, count_text(stored.largest_n()), count_text(sets)));
    if (purpose == Purpose::pretrain) note_columns(task, x, findings);
    if (purpose == Purpose::pretrain) note_scales(info, latents.theta, findings);
  }
}

}  // namespace

Result check_task(const Tasks& tasks, const std::shared_ptr<const Task>& task) {
  if (task->info().file.empty())
    fail_usage("{} is built in; --check of a task is for one of your own, and without a task it reads data sets",
               task->info().name);
  Findings findings;
  try {
    if (const StoredSets* stored = task->stored())
      check_stored(*task, *stored, findings);
    else
      check_program(tasks, task, findings);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage) throw;  // the program has no permission
    findings.say(false, brief(error.what()));
  }
  Result result;
  result.exit_code = findings.faults > 0 ? 1 : 0;
  result.text =
      findings.text + (findings.faults > 0 ? counted(static_cast<std::size_t>(findings.faults), "fault") + ".\n"
                                           : std::string("Nothing is wrong.\n"));
  result.document = {
      {"task", task->info().name}, {"faults", findings.faults}, {"checks", findings.checks}, {"notes", findings.notes}};
  return result;
}

}  // namespace pairs::batch

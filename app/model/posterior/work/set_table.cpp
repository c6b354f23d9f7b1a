#include "app/model/posterior/work/set_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "app/kinds/target/parameters_room.h"
#include "app/posterior/answer/known_reference.h"
#include "app/posterior/caveats/posterior_warnings.h"
#include "app/posterior/figures/forest_figure.h"
#include "app/runs/strategy_look.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/eval/metrics/interval.h"
#include "core/report/number_text.h"
#include "core/train/run/run.h"

namespace pairs::model {
namespace {

constexpr double kSecondsBetweenRows = 0.25;  // between two updates of a growing table

// The sort keys of rows; rows without one come last.
double sort_number(const SetRow& row, const SetColumn& column, IntervalKind interval) {
  using Kind = SetColumn::Kind;
  if (!row.problem.empty()) return NAN;
  switch (column.kind) {
    case Kind::n:
      return static_cast<double>(row.n);
    case Kind::mean:
      return row.numbers[column.target].mean;
    case Kind::sd:
      return row.numbers[column.target].sd;
    case Kind::interval: {
      const Interval most = row.numbers[column.target].most(interval);
      return interval == IntervalKind::upper_limit ? most.high : most.low;
    }
    case Kind::source:
      return row.source == SourceWish::refined ? 1 : 0;
    case Kind::refined_mean:
      return row.refined.empty() ? NAN : row.refined[column.target].mean;
    case Kind::refined_sd:
      return row.refined.empty() ? NAN : row.refined[column.target].sd;
    case Kind::exact_mean:
      return row.exact.empty() ? NAN : row.exact[column.target].mean;
    case Kind::exact_sd:
      return row.exact.empty() ? NAN : row.exact[column.target].sd;
    case Kind::kl:
      return row.kl;
    case Kind::percentile:
      return row.typicality.known ? row.typicality.percentile : NAN;
    default:
      return NAN;
  }
}

// Why the table cannot be written into a file of this name, or "".
std::string refused_ending(const std::filesystem::path& file) {
  try {
    const SetsFormat& format = sets_format(file);
    if (format.samples != HeldSamples::always) return "";
    return fmt::format("A file that ends in {} holds samples: infer --group --out writes one", format.ending);
  } catch (const Error&) {
    return "The file's name must end in .csv, .json, .npz or .tex";
  }
}

std::string check_text(const SetRow& row) {
  return row.problem.empty() ? to_know_text(row) : "not answered: " + row.problem;
}

bool row_before(const SetRow& a, const SetRow& b, const SetColumn& column, IntervalKind interval, bool down) {
  if (column.kind == SetColumn::Kind::name)
    return down ? set_name_before(b.name, a.name) : set_name_before(a.name, b.name);
  if (column.kind == SetColumn::Kind::check) {
    const std::string x = check_text(a), y = check_text(b);
    return down ? y < x : x < y;
  }
  const double x = sort_number(a, column, interval), y = sort_number(b, column, interval);
  if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
  return down ? y < x : x < y;
}

}  // namespace

void SetTableEngine::work(const SetTableRequest& request, const LatestWorker::Stale& stale) {
  const torch::NoGradGuard no_grad;
  const auto fresh = [&] {
    publish([&](SetTableResult& result) {
      const std::uint64_t version = result.version;
      result = {};
      result.version = version;
      result.id = request.id;
    });
  };
  fresh();
  now("asking about many sets");
  try {
    const LoadedRun run = load_run(request.tasks, request.sets.question.run, request.data, request.device);
    // Every set by the run itself first.
    AskedSets own = request.sets;
    own.question.source = SourceWish::run;
    const SetsQuestion question = sets_question(run, own);
    const AskedRun asked = asked_run(run, question);
    SetsQuestion refining;
    if (request.sets.question.source != SourceWish::run && not_refined(run).empty())
      refining = sets_question(run, request.sets);
    const bool refines = refining.asked.refiner != nullptr;
    publish([&](SetTableResult& result) {
      result.task = run.task;
      result.count = question.sets->count();
      result.left_out = left_out_text(*question.sets);
      result.reported = sets_about(run, request.sets, question);
      result.refines = refines;
      result.role = strategy_role(run.config.strategy);
    });
    SetRows rows;
    Stopwatch since;
    std::int64_t refined = 0;
    const auto show = [&](bool done) {
      const auto shown = std::make_shared<const SetRows>(rows);
      publish([&](SetTableResult& result) {
        result.rows = shown;
        result.refined = refined;
        result.done = done;
      });
      since.restart();
    };
    answer_sets(
        asked, *question.sets, question.asked,
        [&](const SetRow& row) {
          rows.push_back(std::make_shared<const SetRow>(row));
          if (since.seconds() > kSecondsBetweenRows) show(false);
        },
        [&] { return !stale(); });
    show(!refines);
    if (refines) {
      refining.asked.keep_refining = [&] { return !stale(); };
      answer_sets(
          asked, *refining.sets, refining.asked,
          [&](const SetRow& row) {
            rows[static_cast<std::size_t>(refined++)] = std::make_shared<const SetRow>(row);
            if (since.seconds() > kSecondsBetweenRows) show(false);
          },
          [&] { return !stale(); });
      show(true);
    }
  } catch (const Stopped&) {
    now("");
    throw;
  } catch (const std::exception& error) {
    publish([&](SetTableResult& result) { result.failure = sentence(error); });
  }
  now("");
}

SetTable::SetTable(Hub& hub) : hub_(hub), job_(hub), background_(hub) {}

void SetTable::begin() {
  ++request_.id;
  request_.tasks = hub_.tasks;
  request_.data = hub_.data_folder.string();
  request_.device = hub_.device;
  result_ = {};
  order_.clear();
  counted_ = 0;
  failed_ = 0;
  forest_ = nullptr;
  background_.request(request_);
}

void SetTable::open(AskedSets sets) {
  if (open_ && request_.sets == sets) return;
  AskedSets by_run_before = sets;
  by_run_before.question.run = request_.sets.question.run;
  if (sets.question.source != request_.sets.question.source) columns_.clear();
  by_run_before.question.source = request_.sets.question.source;
  const bool same_sets = open_ && request_.sets == by_run_before;
  if (!same_sets) {
    chosen_.clear();
    columns_.clear();
    sort_ = 0;
    down_ = false;
  }
  open_ = true;
  request_.sets = std::move(sets);
  begin();
}

void SetTable::reload(const std::string& run) {
  if (open_ && run == request_.sets.question.run) begin();
}

void SetTable::set_exact(bool exact) {
  if (!open_ || request_.sets.exact == exact) return;
  request_.sets.exact = exact;
  columns_.clear();
  sort_ = 0;
  down_ = false;
  begin();
}

std::string SetTable::no_exact() const {
  if (!result_.task || knows_exact(*result_.task)) return "";
  return "the task knows no exact posterior of observed sets";
}

void SetTable::close() {
  open_ = false;
  background_.cancel();
  result_ = {};
  columns_.clear();
  order_.clear();
  chosen_.clear();
  forest_ = nullptr;
}

std::string SetTable::progress_text() const {
  const auto there = static_cast<std::int64_t>(rows());
  const std::string left_out = result_.left_out.empty() ? "" : "; " + result_.left_out;
  const std::string all = count_text(result_.count) + (result_.count == 1 ? " set" : " sets");
  if (!result_.task) return result_.failure.empty() ? "Reading the sets…" : "No sets";
  std::string text = there < result_.count ? fmt::format("{} of {}", count_text(there), all) : all;
  if (failed_ > 0) text += fmt::format(", {} not answered", count_text(failed_));
  if (result_.refines && there == result_.count && result_.refined < result_.count)
    text += fmt::format("; refining, {} done", count_text(result_.refined));
  return text + left_out;
}

bool SetTable::shows_both() const {
  return result_.refines && request_.sets.question.source == SourceWish::both;
}

void SetTable::make_columns() {
  using Kind = SetColumn::Kind;
  const TaskInfo& info = result_.task->info();
  columns_ = {{Kind::name, 0, "set", "What the file calls the set"},
              {Kind::n, 0, "N", "Observations of the set that are used"}};
  for (std::size_t t = 0; t < std::min(info.targets.size(), most_targets); ++t) {
    const std::string before = info.targets.size() > 1 ? info.targets[t].label + " " : "";
    columns_.push_back({Kind::mean, t, before + "mean", "Posterior mean of " + info.targets[t].label});
    columns_.push_back({Kind::sd, t, before + "sd", "Posterior standard deviation of " + info.targets[t].label});
    columns_.push_back({Kind::interval, t, before + "90 %", "Interval of 90 % of " + info.targets[t].label});
    if (shows_both()) {
      columns_.push_back({Kind::refined_mean, t, before + "refined mean",
                          "Mean of " + info.targets[t].label + " by the learned likelihood"});
      columns_.push_back({Kind::refined_sd, t, before + "refined sd",
                          "Standard deviation of " + info.targets[t].label + " by the learned likelihood"});
    }
    if (!request_.sets.exact) continue;
    columns_.push_back(
        {Kind::exact_mean, t, before + "exact mean", "Mean of " + info.targets[t].label + " by the exact posterior"});
    columns_.push_back({Kind::exact_sd, t, before + "exact sd",
                        "Standard deviation of " + info.targets[t].label + " by the exact posterior"});
  }
  if (request_.sets.exact)
    columns_.push_back(
        {Kind::kl, 0, "KL / nat",
         "Kullback-Leibler divergence from the exact posterior to the run's: 0 where they are the same"});
  if (result_.refines && !shows_both())
    columns_.push_back(
        {Kind::source, 0, "by",
         "Whether the numbers are those of the run, or refined by its learned likelihood: the better one "
         "at each N, unless Source says otherwise"});
  columns_.push_back(
      {Kind::percentile, 0, "percentile",
       "Share of training sets that lie nearer to the center of training. Above 99.9 % a set is out of distribution, "
       "and its posterior is not to be trusted"});
  columns_.push_back({Kind::check, 0, "to know", "Warnings, and why a set was not answered"});
  if (sort_ == 0 || sort_ > columns_.size()) sort_ = columns_.size();
}

std::string SetTable::cell(const SetRow& row, const SetColumn& column) const {
  using Kind = SetColumn::Kind;
  if (column.kind == Kind::name) return row.name;
  if (column.kind == Kind::check) return check_text(row);
  if (!row.problem.empty()) return "–";
  if (column.kind == Kind::n) return count_text(row.n);
  if (column.kind == Kind::percentile)
    return row.typicality.known ? fmt::format("{:.3g} %", row.typicality.percentile) : "–";
  if (column.kind == Kind::kl) return std::isfinite(row.kl) ? fmt::format("{:.3g}", row.kl) : "–";
  const bool exact = column.kind == Kind::exact_mean || column.kind == Kind::exact_sd;
  if (exact && row.exact.empty()) return "–";
  if (column.kind == Kind::source) return row.source == SourceWish::refined ? "likelihood" : "run";
  if (column.kind == Kind::refined_mean || column.kind == Kind::refined_sd) {
    if (row.refined.empty()) return "–";
    const TargetNumbers& refined = row.refined[column.target];
    return fmt::format("{:.5g}", column.kind == Kind::refined_mean ? refined.mean : refined.sd);
  }
  if (column.kind == Kind::exact_mean) return fmt::format("{:.5g}", row.exact[column.target].mean);
  if (column.kind == Kind::exact_sd) return fmt::format("{:.5g}", row.exact[column.target].sd);
  const TargetNumbers& numbers = row.numbers[column.target];
  if (column.kind == Kind::mean) return fmt::format("{:.5g}", numbers.mean);
  if (column.kind == Kind::sd) return fmt::format("{:.5g}", numbers.sd);
  return most_text(numbers, interval_);
}

void SetTable::sort_by(std::size_t column) {
  if (column >= columns_.size()) return;
  if (sort_ == column && down_) {
    sort_ = columns_.size();  // restores the order of the file
    down_ = false;
  } else {
    down_ = sort_ == column;
    sort_ = column;
  }
  stale_order_ = true;
}

void SetTable::sort() {
  order_.resize(rows());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  if (sort_ < columns_.size())
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return row_before(row(a), row(b), columns_[sort_], interval_, down_);
    });
  stale_order_ = false;
  forest_ = nullptr;
}

const std::vector<std::size_t>& SetTable::order() {
  if (stale_order_ || order_.size() != rows()) sort();
  return order_;
}

void SetTable::set_interval(IntervalKind kind) {
  if (std::exchange(interval_, kind) != kind) stale_order_ = true;
}

bool SetTable::is_chosen(std::size_t row) const {
  return std::find(chosen_.begin(), chosen_.end(), row) != chosen_.end();
}

void SetTable::choose(std::size_t place, SetClick click) {
  const std::vector<std::size_t>& rows = order();
  if (place >= rows.size()) return;
  const std::size_t row = rows[place];
  std::erase_if(chosen_, [&](std::size_t one) { return one >= rows.size(); });  // another run may still add them
  const auto add = [&](std::size_t one) {
    if (chosen_.size() <= most_shown_with && !is_chosen(one) && this->row(one).problem.empty()) chosen_.push_back(one);
  };
  if (click == SetClick::alone || chosen_.empty()) {
    chosen_ = {row};
  } else if (click == SetClick::toggled) {
    if (!is_chosen(row)) return add(row);
    if (chosen_.size() > 1) std::erase(chosen_, row);
  } else {
    const auto from = std::find(rows.begin(), rows.end(), chosen_.front());
    const auto first = static_cast<std::size_t>(from - rows.begin());
    for (std::size_t k = first; k != place; k += k < place ? 1 : -1) add(rows[k]);
    add(row);
  }
}

void SetTable::choose_instead(const std::string& name) {
  std::size_t k = 0;
  while (k < rows() && row(k).name != name) ++k;
  if (k == rows() || chosen_.empty()) return chosen_.clear();
  chosen_.erase(chosen_.begin());
  std::erase(chosen_, k);
  chosen_.insert(chosen_.begin(), k);
}

std::shared_ptr<const Figure> SetTable::forest() {
  const std::vector<std::size_t>& rows = order();
  if (forest_ || rows.empty()) return forest_;
  ForestOptions options;
  options.interval = interval_;
  options.role = result_.role;
  options.source = fmt::format("{}; {}", printable(request_.sets.question.set.file.string(), 300),
                               result_.reported.at("run").get<std::string>());
  Forest drawn(result_.task->info(), options);
  for (const std::size_t k : rows) drawn.add(row(k));
  if (static_cast<std::size_t>(drawn.unanswered()) == rows.size()) return nullptr;
  forest_ = std::make_shared<const Figure>(drawn.figure());
  return forest_;
}

std::string SetTable::save(const std::filesystem::path& file) {
  if (!result_.done) return "The sets are still being evaluated";
  if (std::string why = refused_ending(file); !why.empty()) return why;
  SetsHead head;
  head.reported = result_.reported;
  head.interval = interval_;
  head.sets = result_.count;
  head.ensemble = result_.reported.contains("ensemble");
  head.exact = request_.sets.exact;
  head.own = result_.reported.contains("items");
  head.refined = shows_both();
  head.source = result_.refines && !shows_both();
  job_.start(file, [file, head = std::move(head), task = result_.task, rows = result_.rows](const auto& stale) mutable {
    check_writable(file);
    head.info = &task->info();
    write_sets(file, head, [&](const std::function<void(const SetRow&)>& take) {
      for (const std::shared_ptr<const SetRow>& row : *rows) {
        if (stale()) throw Stopped();
        take(*row);
      }
    });
    return true;
  });
  return "";
}

bool SetTable::poll() {
  bool changed = false;
  if (std::string failure = background_.take_failure(); !failure.empty()) {
    result_.failure = std::move(failure);
    changed = true;
  }
  auto result = background_.take();
  if (!result || !open_ || result->id != request_.id) return changed;
  result_ = std::move(*result);
  if (result_.task && columns_.empty()) make_columns();
  for (; counted_ < rows(); ++counted_) failed_ += row(counted_).problem.empty() ? 0 : 1;
  std::erase_if(chosen_,
                [&](std::size_t one) { return one >= static_cast<std::size_t>(result_.count) && result_.done; });
  stale_order_ = true;
  return true;
}

}  // namespace pairs::model

#include "app/model/compare/run_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <optional>
#include <set>

#include "app/model/compare/group_names.h"
#include "app/runs/run_labels.h"
#include "app/scores/over_seeds.h"
#include "app/scores/score.h"
#include "app/text/words.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/eval/metrics/mean_error.h"
#include "core/report/number_text.h"
#include "core/report/shades.h"
#include "core/train/settings/unread.h"

namespace pairs::model {
namespace {

constexpr const char* kNothing = "–";

RunValue value_of_text(const std::string& toml) {
  RunValue value{plain_text(toml)};
  value.number = number_in(value.text).value_or(NAN);
  return value;
}

std::string time_text(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm local{};
  localtime_r(&time, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
  return text;
}

// A run with everything that the cells of its columns need.
struct Scored {
  const RunRecord* run = nullptr;
  std::shared_ptr<const Metrics> metrics;
  const EvaluationRow* row = nullptr;  // at the chosen N
};

const EvaluationRow* row_at_size(const Metrics* metrics, std::int64_t n) {
  if (metrics)
    for (const EvaluationRow& row : metrics->rows)
      if (row.n == n) return &row;
  return nullptr;
}

bool stated_by_itself(const Score& score, const Score& main) {
  return &score == &main || score.key == "gap";
}

class TableMaker {
 public:
  TableMaker(const std::vector<RunRecord>& runs, const TableChoices& choices, const KeptLookup& kept)
      : choices_(choices) {
    for (const RunRecord& run : runs) {
      if (!choices.task.empty() && run.listed.task != choices.task) continue;
      ++total_;
      if (run.listed.archived && !choices.archived) {
        ++archived_;
        continue;
      }
      if (!run.facts && run.listed.problem.empty()) ++view_->unread;
      if (!run.listed.shipped) ++own_;
      all_.push_back({&run, metrics_of(run, kept)});
    }
  }

  std::shared_ptr<const TableView> make() {
    find_sizes();
    find_scores();
    find_baseline();
    list_columns();
    choose_columns();
    filter();
    make_rows();
    sort();
    plot();
    report();
    return view_;
  }

 private:
  static std::shared_ptr<const Metrics> metrics_of(const RunRecord& run, const KeptLookup& kept) {
    if (!run.facts) return nullptr;
    if (run.facts->metrics || !kept || run.facts->weights.empty()) return run.facts->metrics;
    return kept(run.facts->weights, run.listed.data_here);
  }

  // The N of the scores: the chosen one, else the largest at which at least half as many runs were scored as at any.
  void find_sizes() {
    std::map<std::int64_t, std::size_t> counts;
    for (const Scored& one : all_)
      if (one.metrics)
        for (const EvaluationRow& row : one.metrics->rows) ++counts[row.n];
    std::size_t most = 0;
    for (const auto& [n, count] : counts) {
      view_->sizes.push_back(n);
      most = std::max(most, count);
    }
    for (const auto& [n, count] : counts)
      if (2 * count >= most) view_->n = n;
    if (counts.contains(choices_.n)) view_->n = choices_.n;
    for (Scored& one : all_) one.row = row_at_size(one.metrics.get(), view_->n);
  }

  void find_scores() {
    for (const Score& score : score_list()) {
      if (!score.number || score.by_target) continue;
      const bool known = std::any_of(all_.begin(), all_.end(), [&](const Scored& one) {
        return one.metrics && std::any_of(one.metrics->rows.begin(), one.metrics->rows.end(),
                                          [&](const EvaluationRow& row) { return std::isfinite(score.value(row)); });
      });
      const bool there = std::find(view_->scores.begin(), view_->scores.end(), score.key) != view_->scores.end();
      if (known && !there) view_->scores.push_back(score.key);
    }
    for (const Scored& one : all_)
      if (one.row) main_ = &score_of({*one.row});
  }

  void find_baseline() {
    if (choices_.baseline.empty()) return;
    for (const Scored& one : all_)
      if (one.run->listed.run == choices_.baseline) baseline_ = &one;
    if (baseline_) view_->baseline_name = baseline_->run->listed.name;
  }

  void add(std::string key, std::string title, std::string meaning, bool number, bool shown, bool setting = false) {
    view_->columns.push_back({std::move(key), std::move(title), std::move(meaning), number, setting, shown, shown});
  }

  // Whether a run counts for the settings that differ: if the user has two runs, shipped ones do not.
  bool decides(const Scored& one) const { return own_ < 2 || !one.run->listed.shipped; }

  bool differs(const std::function<std::string(const ListedRun&)>& value) const {
    std::set<std::string> values;
    for (const Scored& one : all_)
      if (decides(one)) values.insert(value(one.run->listed));
    return values.size() > 1;
  }

  void list_columns() {
    const auto any = [&](const auto& is) {
      return std::any_of(all_.begin(), all_.end(), [&](const Scored& one) { return is(one.run->listed); });
    };
    add("name", "run", "What people call it", false, true);
    add("task", "task", "What it learns", false, choices_.task.empty());
    if (choices_.fold) add("runs", "runs", "How many runs the row represents, and how many of them match", true, true);
    add("strategy", "strategy", "What the embedder was trained on", false,
        differs([](const ListedRun& run) { return run.strategy; }));
    add("preset", "preset", "The settings that it began with", false,
        differs([](const ListedRun& run) { return run.preset; }));
    const bool nothing_learned = std::any_of(
        all_.begin(), all_.end(), [](const Scored& one) { return one.run->facts && one.run->facts->learned_nothing; });
    add("state", "state", "How far it is, and whether it is better than the prior", false,
        nothing_learned || any([](const ListedRun& run) { return !run.finished || !run.problem.empty(); }));
    add("tags", "tags", "Words that you put on runs", false,
        any([](const ListedRun& run) { return !run.tags.empty(); }));
    add("note", "note", "What you wrote of it", false, false);
    add("created", "created", "When it was begun", false, false);
    add("seed", "seed", "What its random numbers come from", true,
        differs([](const ListedRun& run) { return std::to_string(run.seed); }));
    add_scores();
    add("cost", "cost", "Training cost in GFLOP by the paper's rule: forward FLOPs times three", true, true);
    add("cost_with_cache", "cost with stage 2", "The same with the forward passes of stage 2 counted", true, false);
    add("seconds", "time", "Seconds of work on its stages, on the machine that it was trained on", true, true);
    add_settings();
    for (const RunTableColumn& column : view_->columns) view_->keys.push_back(column.key);
  }

  void add_scores() {
    const std::string at = view_->n > 0 ? fmt::format(", N = {}", count_text(view_->n)) : "";
    for (const std::string& key : view_->scores) {
      const Score& score = score_named(key);
      add(key, score.heading() + at, score.meaning, true, stated_by_itself(score, *main_));
      if (&score == main_ && baseline_)
        add("difference", "Δ " + score.heading() + at,
            fmt::format("{} less that of {} on the same test sets, ± its standard error: below zero is better",
                        score.in_sentence(), view_->baseline_name),
            true, true);
    }
  }

  void add_settings() {
    struct Seen {
      std::string first;
      std::size_t runs = 0;
      bool differs = false;
    };
    std::map<std::string, Seen> seen;
    std::size_t read = 0;
    for (const Scored& one : all_) {
      if (!one.run->facts || one.run->facts->settings.empty()) continue;
      const bool counts = decides(one);
      read += counts ? 1 : 0;
      for (const auto& [key, text] : one.run->facts->settings) {
        Seen& all = seen[key];
        if (!counts) continue;
        if (all.runs++ == 0) all.first = text;
        all.differs = all.differs || text != all.first;
      }
    }
    // Settings that all runs read and that differ are most informative; whether a run reads a setting follows from
    // another one.
    for (const bool reported : {true, false})
      for (const auto& [key, all] : seen) {
        const bool known = std::any_of(view_->columns.begin(), view_->columns.end(),
                                       [&, &name = key](const RunTableColumn& column) { return column.key == name; });
        const bool shown = decides_weights(key) && all.differs;
        const bool first = shown && (all.runs == read || all.runs == 0);
        if (!known && first == reported) add(key, key, "", true, shown, true);
      }
  }

  void choose_columns() {
    for (RunTableColumn& column : view_->columns) {
      for (const std::string& chosen : choices_.columns)
        if (chosen.size() > 1 && chosen.substr(1) == column.key) column.shown = chosen.front() == '+';
      if (column.key == "name") column.shown = true;
    }
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < view_->columns.size(); ++i) {
      if (!view_->columns[i].shown) continue;
      if (view_->visible.size() < kMostColumns)
        view_->visible.push_back(i);
      else
        ++left_out;
    }
    if (left_out > 0)
      view_->more_columns = fmt::format("{} more have no room: a table holds {}; take others out",
                                        counted(left_out, "column"), kMostColumns);
  }

  // Why a run has no difference to the baseline, or "".
  std::string no_difference(const Scored& one) const {
    if (!baseline_->row) return view_->baseline_name + " has no scores at this N";
    if (one.run == baseline_->run) return "It is the baseline";
    if (!one.row) return no_score(one);
    if (one.run->listed.task != baseline_->run->listed.task)
      return "It is a run of another task than " + view_->baseline_name;
    if (paired_sets(*one.row, *baseline_->row) < 2)
      return one.metrics->seed != baseline_->metrics->seed
                 ? fmt::format("It was scored on other test sets: of seed {}, and {} of seed {}", one.metrics->seed,
                               view_->baseline_name, baseline_->metrics->seed)
                 : fmt::format("It and {} were scored on different test sets; evaluate both again",
                               view_->baseline_name);
    return "";
  }

  RunValue difference_value(double mean, double error) const {
    std::string text = with_error_text(mean, error, main_->digits + 1);
    return {(mean > 0 ? "+" : "") + text, mean, error};
  }

  RunValue difference_of(const Scored& one, std::string* note) const {
    if (std::string why = no_difference(one); !why.empty()) {
      if (note) *note = std::move(why);
      return {kNothing};
    }
    const PairedDifference found = score_difference(*one.row, *baseline_->row);
    return difference_value(found.mean, found.se);
  }

  // Pairs a folded row's runs with the baseline's, by seed if possible, else one by one: each run is in one pair, so
  // that their spread gives the error, unless one side has a single run.
  std::vector<SeedPair> pairs_with_baseline(const std::vector<const Scored*>& group, bool& by_seed) const {
    std::vector<const Scored*> runs, others;
    for (const Scored* one : group)
      if (one->row) runs.push_back(one);
    for (const Scored& other : all_)
      if (other.row && other.run->facts && baseline_->run->facts &&
          other.run->facts->alike == baseline_->run->facts->alike)
        others.push_back(&other);
    std::vector<SeedPair> pairs;
    for (const Scored* one : runs)
      for (const Scored* other : others)
        if (other->run->listed.seed == one->run->listed.seed) pairs.push_back({one->row, other->row});
    by_seed = !pairs.empty();
    if (by_seed || runs.empty() || others.empty()) return pairs;
    const bool alone = runs.size() == 1 || others.size() == 1;
    const std::size_t count = alone ? std::max(runs.size(), others.size()) : std::min(runs.size(), others.size());
    for (std::size_t i = 0; i < count; ++i)
      pairs.push_back({runs[i % runs.size()]->row, others[i % others.size()]->row});
    return pairs;
  }

  RunValue folded_difference(const std::vector<const Scored*>& group, std::string& note) const {
    if (std::find(group.begin(), group.end(), baseline_) != group.end()) {
      note = "It is the baseline's group";
      return {kNothing};
    }
    bool by_seed = false;
    const std::vector<SeedPair> pairs = pairs_with_baseline(group, by_seed);
    const auto found = difference_over_seeds(pairs);
    if (!found) {
      note = no_difference(*group.front());
      return {kNothing};
    }
    RunValue value = difference_value(found->mean, found->se);
    note = fmt::format("Mean over {} on {}{}; the error is that over test sets and seeds, added in squares",
                       counted(static_cast<std::size_t>(found->seeds), "run"),
                       counted(static_cast<std::size_t>(found->sets), "test set"),
                       by_seed ? ", each against the baseline's run of its seed"
                               : std::string(", against the baseline's, which have other seeds"));
    if (static_cast<std::size_t>(found->seeds) < group.size())
      value.text += fmt::format(" ({} of {})", found->seeds, group.size());
    return value;
  }

  std::string no_score(const Scored& one) const {
    if (!one.run->listed.problem.empty()) return one.run->listed.problem;
    if (!one.run->facts) return "Its files are being read";
    if (one.metrics) return fmt::format("It was not scored at N = {}", count_text(view_->n));
    return one.run->facts->no_scores;
  }

  RunValue cost_of(const Scored& one, double gflop, std::string* note) const {
    if (std::isfinite(gflop)) return {flop_text(gflop), gflop};
    if (note) *note = one.run->facts ? one.run->facts->no_cost : "Its files are being read";
    return {kNothing};
  }

  static std::string state_of(const ListedRun& run, const RunFacts* facts) {
    if (!run.problem.empty()) return "unreadable";
    return facts && facts->learned_nothing ? "no better than the prior" : run.state;
  }

  // A run's value for a key; `note`, if requested: why there is none.
  RunValue value(const Scored& one, const std::string& key, std::string* note = nullptr) const {
    const ListedRun& run = one.run->listed;
    const RunFacts* facts = one.run->facts.get();
    if (key == "name") return {run.name};
    if (key == "task") return {run.task};
    if (key == "strategy") return {run.strategy};
    if (key == "preset") return {run.preset};
    if (key == "state") return {state_of(run, facts)};
    if (key == "tags") return {fmt::format("{}", fmt::join(run.tags, ", "))};
    if (key == "note") return {run.note};
    if (key == "runs") return {"1", 1};
    if (key == "created") return {time_text(run.created), static_cast<double>(run.created)};
    if (key == "seed" && facts && facts->settings.contains("ensemble.runs")) return {kNothing};
    if (key == "seed") return {std::to_string(run.seed), static_cast<double>(run.seed)};
    if (key == "cost") return cost_of(one, facts ? facts->gflop : NAN, note);
    if (key == "cost_with_cache") return cost_of(one, facts ? facts->gflop_with_cache : NAN, note);
    if (key == "seconds")
      return facts && std::isfinite(facts->seconds) ? RunValue{duration_text(facts->seconds), facts->seconds}
                                                    : RunValue{kNothing};
    if (key == "difference") return baseline_ ? difference_of(one, note) : RunValue{kNothing};
    if (std::find(view_->scores.begin(), view_->scores.end(), key) != view_->scores.end()) {
      const Score& score = score_named(key);
      const double number = one.row ? score.value(*one.row) : NAN;
      if (!std::isfinite(number)) {
        if (note) *note = no_score(one);
        return {kNothing};
      }
      const double error = score.error(*one.row);
      return {with_error_text(number, error, score.digits), number, error};
    }
    if (facts)
      if (const auto at = facts->settings.find(key); at != facts->settings.end()) return value_of_text(at->second);
    return {kNothing};
  }

  void filter() {
    RunFilter filter;
    try {
      filter = RunFilter(choices_.filter, view_->keys);
    } catch (const Error& error) {
      view_->filter_problem = error.what();
    }
    for (const Scored& one : all_) {
      const RunFilter::Fit fit = filter.fits([&](const std::string& key) { return value(one, key); });
      if (fit == RunFilter::Fit::yes) {
        fitting_.push_back(&one);
        view_->listed.push_back(one.run->listed.run);
      } else {
        ++unfit_;
        if (fit == RunFilter::Fit::lacks) ++lacking_;
        if (choices_.fold && one.run->facts) ++unfit_alike_[one.run->facts->alike];
      }
    }
    filtered_keys_ = filter.keys();
  }

  void make_rows() {
    std::map<std::string, std::vector<const Scored*>> groups;
    std::vector<std::vector<const Scored*>*> order;
    std::vector<std::vector<const Scored*>> single;
    single.reserve(fitting_.size());
    for (const Scored* one : fitting_) {
      const std::string alike = choices_.fold && one->run->facts ? one->run->facts->alike : "";
      if (alike.empty()) {
        single.push_back({one});
        order.push_back(&single.back());
        continue;
      }
      std::vector<const Scored*>& group = groups[alike];
      if (group.empty()) order.push_back(&group);
      group.push_back(one);
    }
    std::vector<const RunRecord*> firsts;
    for (const std::vector<const Scored*>* group : order) firsts.push_back(group->front()->run);
    const std::vector<std::string> titles =
        choices_.fold ? group_names(firsts) : std::vector<std::string>(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) view_->rows.push_back(make_row(*order[i], titles[i]));
  }

  TableRow make_row(const std::vector<const Scored*>& group, const std::string& title) const {
    TableRow row;
    for (const Scored* one : group) {
      row.runs.push_back(one->run->listed.run);
      row.baseline = row.baseline || one == baseline_;
    }
    const RunRecord& first = *group.front()->run;
    row.role = group.size() > 1 ? shaded(first.listed.role, 0) : first.listed.role;
    row.name = first.listed.name;
    if (choices_.fold && first.facts)
      if (const auto at = unfit_alike_.find(first.facts->alike); at != unfit_alike_.end()) row.hidden = at->second;
    if (group.size() > 1) row.name = title;
    for (const std::size_t column : view_->visible) {
      std::string note;
      row.cells.push_back(cell(group, row, view_->columns[column].key, note));
      row.notes.push_back(std::move(note));
    }
    return row;
  }

  RunValue cell(const std::vector<const Scored*>& group, const TableRow& row, const std::string& key,
                std::string& note) const {
    if (key == "name") return {row.name};
    if (key == "runs") {
      const std::size_t all = group.size() + row.hidden;
      if (row.hidden > 0) note = fmt::format("{} more do not fit the filter", row.hidden);
      return {row.hidden > 0 ? fmt::format("{} of {}", group.size(), all) : std::to_string(group.size()),
              static_cast<double>(group.size())};
    }
    if (key == "difference" && baseline_ && choices_.fold) return folded_difference(group, note);
    if (group.size() == 1) return value(*group.front(), key, &note);
    std::vector<RunValue> values;
    for (const Scored* one : group) values.push_back(value(*one, key));
    const bool same =
        std::all_of(values.begin(), values.end(), [&](const RunValue& v) { return v.text == values[0].text; });
    if (same && !is_measured(key)) return values.front();
    return is_measured(key) ? mean_of(values, key, note) : list_of(values);
  }

  // The columns averaged over seeds; all others are listed.
  bool is_measured(const std::string& key) const {
    return key == "cost" || key == "cost_with_cache" || key == "seconds" ||
           std::find(view_->scores.begin(), view_->scores.end(), key) != view_->scores.end();
  }

  RunValue mean_of(const std::vector<RunValue>& values, const std::string& key, std::string& note) const {
    std::vector<double> known, errors;
    for (const RunValue& value : values)
      if (std::isfinite(value.number)) {
        known.push_back(value.number);
        errors.push_back(value.error);
      }
    const std::size_t count = known.size();
    if (count == 0) {
      note = "None of these runs has it";
      return {kNothing};
    }
    const auto [mean, sd] = mean_and_spread(known);
    const bool score = key != "cost" && key != "cost_with_cache" && key != "seconds";
    const double error = score ? mean_over_seeds(known, errors).se : sd;
    note = score ? fmt::format(
                       "Mean of {} ± its standard error over test sets and seeds; standard deviation between "
                       "them {}",
                       counted(count, "run"), number_text(sd, score_named(key).digits))
                 : fmt::format("Mean of {} ± standard deviation between them", counted(count, "run"));
    std::string text = mean_text(key, mean, error);
    if (count < values.size()) {
      text += fmt::format(" ({} of {})", count, values.size());
      note += fmt::format("; {} have none", values.size() - count);
    }
    return {std::move(text), mean, error};
  }

  std::string mean_text(const std::string& key, double mean, double error) const {
    const bool spread = std::isfinite(error);
    if (key == "seconds")
      return spread ? fmt::format("{} ± {}", duration_text(mean), duration_text(error)) : duration_text(mean);
    if (key == "cost" || key == "cost_with_cache")
      return spread && error > 1e-9 * mean ? fmt::format("{} ± {}", flop_text(mean), flop_text(error))
                                           : flop_text(mean);
    return with_error_text(mean, error, score_named(key).digits);
  }

  static RunValue list_of(const std::vector<RunValue>& values) {
    constexpr std::size_t kMostListed = 6;
    std::vector<std::string> texts;
    const bool some_lack =
        std::any_of(values.begin(), values.end(), [](const RunValue& value) { return !value.known(); });
    for (const RunValue& value : values)
      if (value.known() && std::find(texts.begin(), texts.end(), value.text) == texts.end())
        texts.push_back(value.text);
    std::sort(texts.begin(), texts.end(), [](const std::string& a, const std::string& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    const std::size_t more = texts.size() > kMostListed ? texts.size() - kMostListed : 0;
    texts.resize(texts.size() - more);
    std::string text = fmt::format("{}", fmt::join(texts, ", "));
    if (more > 0) text += fmt::format(" and {} more", more);
    if (some_lack) text += fmt::format(", {}", kNothing);
    return {std::move(text)};
  }

  // Sorts by the cells of the sorted column if it is shown; numbers before words, missing values last.
  void sort() {
    if (choices_.sort.empty()) return;
    for (std::size_t c = 0; c < view_->visible.size(); ++c) {
      if (view_->columns[view_->visible[c]].key != choices_.sort) continue;
      const auto rank = [&](const RunValue& value) { return !value.known() ? 2 : std::isfinite(value.number) ? 0 : 1; };
      std::stable_sort(view_->rows.begin(), view_->rows.end(), [&](const TableRow& a, const TableRow& b) {
        const RunValue &x = a.cells[c], &y = b.cells[c];
        const int rx = rank(x), ry = rank(y);
        if (rx != ry) return rx < ry;
        if (rx == 0) return choices_.down ? x.number > y.number : x.number < y.number;
        const std::string s = small_letters(x.text), t = small_letters(y.text);
        return choices_.down ? s > t : s < t;
      });
      return;
    }
  }

  // The horizontal axes: N, cost, and the differing settings that are numbers.
  void plot() {
    view_->plot_keys = {"", "cost", "cost_with_cache", "seconds"};
    for (const RunTableColumn& column : view_->columns)
      if (column.setting && column.by_itself && is_number(column.key)) view_->plot_keys.push_back(column.key);
    PlotChoices choices{choices_.plot_y, choices_.plot_x, view_->n};
    const auto known = [](const std::vector<std::string>& keys, const std::string& key) {
      return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    // The gap to the exact posterior shows differences that are hidden by the NLL's decrease with N.
    if (!known(view_->scores, choices.y)) choices.y = known(view_->scores, "gap") ? "gap" : main_->key;
    if (!known(view_->plot_keys, choices.x)) choices.x.clear();
    std::vector<PlottedRun> runs;
    for (const Scored* one : fitting_) runs.push_back({one->run, one->metrics});
    if (!view_->scores.empty()) view_->plotted = choices;
    view_->plot = score_plot(runs, view_->plotted);
  }

  bool is_number(const std::string& key) const {
    return std::any_of(all_.begin(), all_.end(),
                       [&](const Scored& one) { return std::isfinite(value(one, key).number); });
  }

  void report() {
    const std::size_t listed = fitting_.size();
    std::string text =
        listed == total_ ? counted(total_, "run") : fmt::format("{} of {}", listed, counted(total_, "run"));
    if (choices_.fold && view_->rows.size() != listed)
      text += fmt::format(" in {}", counted(view_->rows.size(), "row"));
    std::vector<std::string> why;
    if (unfit_ > 0) {
      why.push_back(unfit_ == 1 ? "1 does not fit the filter" : fmt::format("{} do not fit the filter", unfit_));
      if (lacking_ > 0)
        why.back() += fmt::format(" ({} for want of a value of {})", lacking_, fmt::join(filtered_keys_, ", "));
    }
    if (archived_ > 0) why.push_back(fmt::format("{} archived", archived_));
    if (view_->unread > 0) why.push_back(fmt::format("{} being read", view_->unread));
    if (!why.empty()) text += fmt::format(": {}", fmt::join(why, ", "));
    view_->sentence = std::move(text);
  }

  const TableChoices& choices_;
  std::shared_ptr<TableView> view_ = std::make_shared<TableView>();
  std::vector<Scored> all_;  // of the task, without archived ones
  std::vector<const Scored*> fitting_;
  const Scored* baseline_ = nullptr;
  const Score* main_ = &score_of({});
  std::size_t total_ = 0, own_ = 0, archived_ = 0, unfit_ = 0, lacking_ = 0;
  std::map<std::string, std::size_t> unfit_alike_;
  std::vector<std::string> filtered_keys_;
};

}  // namespace

std::string filter_example(const TableView& view) {
  const bool gap = std::find(view.scores.begin(), view.scores.end(), "gap") != view.scores.end();
  const std::string score = gap ? "gap<0.02" : view.scores.empty() ? "seconds<600" : view.scores.front() + "<0.5";
  return score + " preset=small tag:paper wide";
}

std::shared_ptr<const TableView> make_table(const std::vector<RunRecord>& runs, const TableChoices& choices,
                                            const KeptLookup& kept) {
  return TableMaker(runs, choices, kept).make();
}

}  // namespace pairs::model

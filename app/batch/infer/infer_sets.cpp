#include "app/batch/infer/infer_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "app/batch/parts/drive.h"
#include "app/kinds/target/parameters_room.h"
#include "app/posterior/caveats/disagreement_text.h"
#include "app/posterior/caveats/verdict.h"
#include "app/posterior/checks/within_sets.h"
#include "app/posterior/files/sets_output.h"
#include "app/posterior/many/many_sets.h"
#include "app/posterior/set/chosen_sets.h"
#include "app/posterior/set/listed_items.h"
#include "app/text/table.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/eval/metrics/interval.h"
#include "core/given.h"
#include "core/report/number_text.h"
#include "core/train/run/shipped.h"

namespace pairs::batch {
namespace {

constexpr std::int64_t kRowsPrinted = 20, kRowsInDocument = 10000;
constexpr std::size_t kWarningsTold = 8;
constexpr std::int64_t kItemsListed = 8;
constexpr double kSecondsBetweenLines = 10;
constexpr double kMostNumbersHeld = 1 << 29;  // samples and log densities: 4 GiB

void check_together(const LoadedRun& run, const InferArguments& arguments) {
  const std::string words = printable(arguments.data(), 300);
  if (target_room_of(run.task->info()).in_folder())
    fail_usage("Posteriors of images are asked for set by set; {} holds many sets", words);
  const std::pair<bool, const char*> refused[] = {{arguments.follow, "--follow"},
                                                  {arguments.question.set.camera.has_value(), "--camera"},
                                                  {!arguments.question.derived.empty(), "--derive"},
                                                  {arguments.local_test > 0, "--local-test"},
                                                  {arguments.predictive > 0, "--predictive"},
                                                  {!arguments.observations.empty(), "--observations"},
                                                  {!arguments.question.prior.empty(), "--prior"}};
  for (const auto& [given, option] : refused)
    if (given) fail_usage("{} is about one set, and {} holds many: name one of them with --member", option, words);
}

// The file's format must support the requested results.
void check_held(const SetsFormat& format, const std::filesystem::path& out, const InferArguments& arguments) {
  if (arguments.samples >= 0 && format.samples == HeldSamples::none)
    fail_usage("--samples {}: {} holds no samples; write them to a file that ends in .npz or .nc", arguments.samples,
               printable(out.string(), 300));
  if (arguments.exact && !format.exact)
    fail_usage("--exact: {} holds samples alone; write the exact posteriors' numbers to .csv, .json, .npz or .tex",
               printable(out.string(), 300));
  if (arguments.question.source == SourceWish::both && !format.exact)
    fail_usage(
        "--refine: {} holds samples of the run's own posteriors alone; write the refined posteriors' numbers to "
        ".csv, .json, .npz or .tex",
        printable(out.string(), 300));
  if (!arguments.theta.empty() && !format.scores)
    fail_usage("--theta: {} holds no log densities; write them to a file that ends in .npz",
               printable(out.string(), 300));
}

// Arrays of an .npz file are in memory until it is written.
void check_memory(const TaskInfo& info, std::int64_t sets, std::int64_t samples, std::int64_t scored) {
  const double numbers =
      static_cast<double>(sets) *
      (static_cast<double>(samples) * static_cast<double>(info.target_size()) + static_cast<double>(scored));
  if (numbers > kMostNumbersHeld)
    fail_usage(
        "{} sets, each with {} samples and log densities at {} values of θ, are {:.3g} numbers in all; an .npz file "
        "takes at most {:.3g}, "
        "so ask for fewer, or for samples in a file that ends in .nc",
        count_text(sets), count_text(samples), count_text(scored), numbers, kMostNumbersHeld);
}

std::filesystem::path sets_file(const LoadedRun& run, const InferArguments& arguments) {
  if (!arguments.out.empty()) return arguments.out;
  return is_shipped(run.folder) ? std::filesystem::path("posteriors.csv") : run.folder / "posteriors.csv";
}

// "1,000 sets", "1 set".
std::string sets_text(std::int64_t sets) {
  return count_text(sets) + (sets == 1 ? " set" : " sets");
}

}  // namespace

std::string progress_text(std::int64_t done, std::int64_t sets, double seconds) {
  const double rate = static_cast<double>(done) / seconds;
  return fmt::format("{} of {}, {} a second, {} left\n", count_text(done), sets_text(sets),
                     rate < 100 ? fmt::format("{:.3g}", rate) : count_text(std::llround(rate)),
                     clock_text(static_cast<double>(sets - done) / rate));
}

namespace {

// The number of sets that the test within the set rejects by chance: "less than one", "about 12".
std::string by_chance_text(std::int64_t tested) {
  const double expected = kUnlikeWithin * static_cast<double>(tested);
  return expected < 1 ? "less than one" : "about " + count_text(std::llround(expected));
}

// The report on the rows: a table and documents of the first ones, and what went wrong.
class SetsReport {
 public:
  SetsReport(const TaskInfo& info, IntervalKind interval, std::int64_t sets, bool exact, bool refined)
      : info_(info), interval_(interval), sets_(sets), exact_(exact), refined_asked_(refined), table_(columns()) {}

  void add(const SetRow& row) {
    ++count_;
    if (count_ <= kRowsPrinted) table_.add(cells(row));
    if (count_ <= kRowsInDocument) rows_.push_back(set_document(row, info_, interval_));
    unrefined_ += refined_asked_ && row.problem.empty() && row.refined.empty();
    if (!row.problem.empty() && failed_++ == 0) first_failed_ = fmt::format("{}: {}", row.name, row.problem);
    rejected_ += row.verdict.rejected();
    tested_ += row.within.has_value();
    if (!row.no_within.empty() && not_tested_++ == 0) first_not_tested_ = row.no_within;
    outside_ += row.typicality.outside;
    only_outside_ += row.verdict.standing == ModelVerdict::Standing::outside;
    disagree_ += !row.typicality.outside && !disagreement_warning(row.disagreement, info_).empty();
    cut_ += row.cut;
    dropped_ += row.dropped;
    lacking_ += row.dropped > 0;
    for (const std::string& text : row.of_item)
      if (++of_items_ <= kItemsListed) about_items_ += fmt::format("  {}\n", text);
    for (const std::string& text : row.warnings)
      if (!is_of_one_set(row, text) && (warnings_.contains(text) || warnings_.size() < kWarningsTold))
        ++warnings_[text];
  }

  // Reports the progress from time to time. Rows arrive in batches: between two batches all finished rows have been
  // added.
  void report_progress() {
    const double seconds = watch_.seconds();
    if (count_ == 0 || count_ >= sets_ || seconds - reported_ < kSecondsBetweenLines) return;
    reported_ = seconds;
    print(progress_text(count_, sets_, seconds));
  }

  void warn() const {
    if (cut_ > 0)
      print(
          fmt::format("warning: {} of {} more than {} observations, the maximum for the task {}; at most that many of "
                      "each are used\n",
                      count_text(cut_), verb("holds", "hold"), count_text(info_.max_n), info_.title));
    if (dropped_ > 0)
      print(
          fmt::format("warning: {} of {} a value that is missing or not finite and {} left out; posteriors assume that "
                      "values are missing at random\n",
                      dropped_ == 1 ? "1 observation" : count_text(dropped_) + " observations",
                      sets_text(lacking_) + (dropped_ == 1 ? " has" : " have"), dropped_ == 1 ? "is" : "are"));
    for (const auto& [text, count] : warnings_)
      print(fmt::format("warning: {} ({} of {})\n", text, count_text(count), sets_text(count_)));
    if (rejected_ > 0)
      print(fmt::format(
          "warning: the model is rejected by {} of {} sets that were tested within the set, where {} of the "
          "model's own would be by chance; out of distribution: use no posterior under it of these\n",
          count_text(rejected_), count_text(tested_), by_chance_text(tested_)));
    if (not_tested_ > 0)
      print(fmt::format("{} judged by the mean embedding alone, not within the set: {}\n",
                        not_tested_ == 1 ? "1 set is" : count_text(not_tested_) + " sets are", first_not_tested_));
    if (unrefined_ > 0)
      print(fmt::format("warning: the posteriors of {} of {} are not refined; the file says why\n",
                        count_text(unrefined_), sets_text(count_)));
    if (only_outside_ > 0)
      print(fmt::format("warning: {} of {} out of distribution; do not trust their posteriors\n",
                        count_text(only_outside_), verb("is", "are")));
    if (disagree_ > 0)
      print(
          fmt::format("warning: the runs of the ensemble disagree about {} of {}; what these depend on is the run as "
                      "much as the data\n",
                      count_text(disagree_), sets_text(count_)));
    if (of_items_ > 0)
      print(fmt::format("warning: what speaks against the posterior of one item or another:\n{}{}", about_items_,
                        of_items_ > kItemsListed
                            ? fmt::format("  … and {} more in the file\n", count_text(of_items_ - kItemsListed))
                            : ""));
    if (failed_ > 0)
      print(fmt::format("warning: {} of {} could not be answered, the first {}\n", count_text(failed_),
                        sets_text(count_), first_failed_));
  }

  std::string text(const std::string& file) const {
    std::string out = table_.text(2);
    if (count_ > kRowsPrinted) out += fmt::format("  … and {} more in {}\n", count_text(count_ - kRowsPrinted), file);
    return out + fmt::format("\n{} of {} answered, in {} ({:.3g} a second): {}\n", count_text(count_ - failed_),
                             verb("is", "are"), duration_text(watch_.seconds()),
                             static_cast<double>(count_) / watch_.seconds(), file);
  }

  // Adds the rows to the report.
  nlohmann::json document(nlohmann::json reported) && {
    reported["answered"] = count_ - failed_;
    reported["failed"] = failed_;
    reported["outside_training"] = outside_;
    reported["rejected"] = rejected_;
    if (reported.contains("missing")) reported["dropped"] = dropped_;
    if (disagree_ > 0) reported["disagree"] = disagree_;
    if (refined_asked_) reported["unrefined"] = unrefined_;
    reported["seconds"] = watch_.seconds();
    reported["sets"] = std::move(rows_);
    reported["sets_left_out"] = std::max<std::int64_t>(count_ - kRowsInDocument, 0);
    return reported;
  }
  bool failed() const { return failed_ > 0; }

 private:
  // "9 sets are"
  std::string verb(const char* one, const char* many) const {
    return fmt::format("{} {}", sets_text(count_), count_ == 1 ? one : many);
  }

  // Whether a warning names the set; then it is counted by its kind.
  bool is_of_one_set(const SetRow& row, const std::string& text) const {
    return text == disagreement_warning(row.disagreement, info_) ||
           (row.typicality.outside && text == outside_text(row.typicality)) ||
           (row.verdict.rejected() && text == verdict_warning(row.verdict)) ||
           std::any_of(row.of_item.begin(), row.of_item.end(),
                       [&](const std::string& reported) { return reported.ends_with(text); }) ||
           (row.dropped > 0 && text == dropped_text(row.dropped, row.held + row.dropped)) ||
           (row.cut && text.starts_with(row.name + " holds "));
  }

  std::vector<Table::Column> columns() const {
    std::vector<Table::Column> columns = {{"set", false}, {"N"}};
    for (const Target& target : info_.targets) {
      const std::string before = info_.targets.size() > 1 ? target.label + " " : "";
      columns.push_back({before + "mean"});
      columns.push_back({before + "sd"});
      columns.push_back({before + "median"});
      columns.push_back({fmt::format("{}90 %, {}", before, interval_title(interval_))});
      if (refined_asked_) {
        columns.push_back({before + "refined mean"});
        columns.push_back({before + "refined sd"});
      }
      if (!exact_) continue;
      columns.push_back({before + "exact mean"});
      columns.push_back({before + "exact sd"});
    }
    if (exact_) columns.push_back({"KL / nat"});
    columns.push_back({"farther than"});
    columns.push_back({"to know", false});
    return columns;
  }

  // Set and N, four numbers per target and two of the exact and of the refined posterior, KL once, typicality, caveats.
  std::size_t table_columns() const {
    return 4 + (4 + (exact_ ? 2 : 0) + (refined_asked_ ? 2 : 0)) * info_.targets.size() + (exact_ ? 1 : 0);
  }

  std::vector<std::string> cells(const SetRow& row) const {
    const std::size_t targets = info_.targets.size();
    if (!row.problem.empty()) {
      std::vector<std::string> cells(table_columns() - 1, "–");
      cells[0] = row.name;
      cells.push_back("not answered: " + row.problem);
      return cells;
    }
    std::vector<std::string> cells = {row.name, count_text(row.n)};
    for (std::size_t t = 0; t < targets; ++t) {
      const TargetNumbers& one = row.numbers[t];
      for (const std::string& cell : {fmt::format("{:.5g}", one.mean), fmt::format("{:.5g}", one.sd),
                                      fmt::format("{:.5g}", one.quantiles[2]), most_text(one, interval_)})
        cells.push_back(cell);
      if (refined_asked_) {
        cells.push_back(row.refined.empty() ? "–" : fmt::format("{:.5g}", row.refined[t].mean));
        cells.push_back(row.refined.empty() ? "–" : fmt::format("{:.5g}", row.refined[t].sd));
      }
      if (!exact_) continue;
      cells.push_back(row.exact.empty() ? "–" : fmt::format("{:.5g}", row.exact[t].mean));
      cells.push_back(row.exact.empty() ? "–" : fmt::format("{:.5g}", row.exact[t].sd));
    }
    if (exact_) cells.push_back(std::isfinite(row.kl) ? fmt::format("{:.3g}", row.kl) : "–");
    cells.push_back(row.typicality.known ? fmt::format("{:.3g} %", row.typicality.percentile) : "–");
    cells.push_back(to_know_text(row));
    return cells;
  }

  const TaskInfo& info_;
  IntervalKind interval_;
  std::int64_t sets_, count_ = 0, failed_ = 0, outside_ = 0, cut_ = 0, disagree_ = 0, of_items_ = 0, dropped_ = 0,
                      only_outside_ = 0, rejected_ = 0, tested_ = 0, not_tested_ = 0,  // only_outside_: not rejected
      lacking_ = 0,  // omitted observations, and the sets with such
      unrefined_ = 0;
  bool exact_, refined_asked_;
  Table table_;
  nlohmann::json rows_ = nlohmann::json::array();
  std::string first_failed_, about_items_, first_not_tested_;
  std::map<std::string, std::int64_t> warnings_;
  Stopwatch watch_;
  double reported_ = 0;
};

// Reports that an unfinished file does not exist, or that the old one remains.
class SetsWritten {
 public:
  explicit SetsWritten(const std::filesystem::path& file) : file_(file) {}
  ~SetsWritten() {
    std::error_code error;
    if (done_ || keep_going()) return;
    print(std::filesystem::exists(file_, error)
              ? fmt::format("{} is as it was before: a file of answers is written when all are there\n", file_.string())
              : fmt::format("{} is not written: that is done when all answers are there\n", file_.string()));
  }
  SetsWritten(const SetsWritten&) = delete;
  SetsWritten& operator=(const SetsWritten&) = delete;
  void done() { done_ = true; }

 private:
  const std::filesystem::path& file_;
  bool done_ = false;
};

AskedSets asked_sets(const InferArguments& arguments) {
  return {arguments.question, arguments.exact, arguments.force};
}

}  // namespace

bool asks_many_sets(const LoadedRun& run, const InferArguments& arguments) {
  return arguments.question.set.member.empty() && holds_many_sets(*run.task, arguments.question.set);
}

SetsQuestion sets_question(const LoadedRun& run, const InferArguments& arguments) {
  check_together(run, arguments);
  return pairs::sets_question(run, asked_sets(arguments));
}

Result infer_sets(const LoadedRun& run, const InferArguments& arguments) {
  const TaskInfo& info = run.task->info();
  const IntervalKind interval = arguments.question.interval;
  const std::filesystem::path out = sets_file(run, arguments);
  const SetsFormat& format = sets_format(out);
  check_together(run, arguments);
  check_output(out, format.ending, {arguments.data(), arguments.theta});
  check_held(format, out, arguments);
  const ResultFile file(out, result_use(run, arguments));
  SetsQuestion question = sets_question(run, arguments);
  const DrawCount draws = draw_count(info, arguments.samples);
  if (format.samples == HeldSamples::always || arguments.samples >= 0) {
    question.asked.draws = draws.drawn;
    question.asked.kept = draws.written;
  }
  if (arguments.predictive == 0) question.asked.within = false;
  question.asked.keep_refining = keep_going;
  const AskedRun asked = asked_run(run, question);
  const std::int64_t sets = question.sets->count();
  if (const std::string text = left_out_text(*question.sets); !text.empty()) print("warning: " + text + "\n");
  std::int64_t scored = 0;
  if (!arguments.theta.empty()) {
    question.asked.theta = read_theta(arguments.theta, info, sets);
    scored = question.asked.theta.size(-2);
  }
  if (format.samples == HeldSamples::asked) check_memory(info, sets, question.asked.kept, scored);
  const bool both = arguments.question.source == SourceWish::both;
  SetsHead head{&info,
                sets_about(run, asked_sets(arguments), question),
                interval,
                sets,
                question.asked.kept,
                scored,
                !run.config.ensemble.empty(),
                arguments.exact,
                both,
                question.asked.refiner && !both,
                question.items};
  if (arguments.question.source == SourceWish::best)
    if (const std::string text = outdated_comparison(run); !text.empty()) print("warning: " + text + "\n");
  if (head.source && arguments.question.source == SourceWish::best)
    print("Sets are refined by the learned likelihood where it is better; --source run gives the run's own at once\n");
  SetsReport report(info, interval, sets, arguments.exact, both);
  SetsWritten written(out);
  write_sets(out, head, [&](const std::function<void(const SetRow&)>& take) {
    answer_sets(
        asked, *question.sets, question.asked,
        [&](const SetRow& row) {
          take(row);
          report.add(row);
        },
        [&] {
          report.report_progress();
          return keep_going();
        });
  });
  written.done();
  file.written();
  report.warn();
  Result result;
  result.exit_code = report.failed() ? 1 : 0;
  result.text = fmt::format("{}: posteriors of {} from {} of {}\n\n{}", info.title, run.name, sets_text(sets),
                            printable(arguments.data(), 300), report.text(out.string()));
  for (const Target& target : info.targets)
    if (target.periodic)
      result.text +=
          fmt::format("Values of {} repeat after {:.6g}, so that an interval may pass an end of its range.\n",
                      target.label, target.period());
  head.reported["file"] = printable(out.string(), 4096);
  result.document = std::move(report).document(std::move(head.reported));
  return result;
}

}  // namespace pairs::batch

#include "app/scores/sharpness.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/runs/places.h"
#include "app/scores/score.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"
#include "core/train/run/shipped.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

constexpr double kLevel = 0.05;
constexpr std::size_t kMostNeighbors = 30, kFewestSets = 50, kFewestMade = 30;
constexpr std::uintmax_t kMostBytes = 16 << 20;  // of a file of scores

struct Compared {
  std::string other;
  std::int64_t n;
  std::size_t sets;
  PairedDifference gain;
};

// The gains of the other run at all sizes that both score on the same sets.
std::vector<Compared> gains_of(const Metrics& metrics, const Metrics& other) {
  std::vector<Compared> out;
  for (const EvaluationRow& mine : metrics.rows)
    for (const EvaluationRow& theirs : other.rows) {
      if (mine.n != theirs.n || mine.extrapolation || theirs.extrapolation || mine.log_prob.empty() ||
          theirs.log_prob.empty() || mine.rank_tests.size() != theirs.rank_tests.size())
        continue;
      const std::size_t sets = paired_sets(mine, theirs);
      if (sets >= kFewestSets) out.push_back({other.run, mine.n, sets, score_difference(mine, theirs, sets)});
    }
  return out;
}

// The gains of the references that were made from the same sets.
std::vector<Compared> gains_of_references(const Metrics& metrics) {
  std::vector<Compared> out;
  for (const EvaluationRow& row : metrics.rows)
    for (const auto& [name, gain] : row.reference_gain)
      if (!row.extrapolation && gain.sets >= static_cast<std::int64_t>(kFewestMade))
        out.push_back(
            {fmt::format("the {} posterior", name), row.n, static_cast<std::size_t>(gain.sets), {gain.mean, gain.se}});
  return out;
}

}  // namespace

Sharpness sharpness(const Metrics& metrics, const std::vector<Metrics>& others) {
  Sharpness out;
  out.density = std::any_of(metrics.rows.begin(), metrics.rows.end(),
                            [](const EvaluationRow& row) { return !row.log_prob.empty(); });
  out.exact = std::any_of(metrics.rows.begin(), metrics.rows.end(),
                          [](const EvaluationRow& row) { return !std::isnan(row.gap); });
  std::vector<Compared> all = gains_of_references(metrics);
  out.refined = !all.empty();
  for (const Metrics& other : others) {
    const std::vector<Compared> of_one = gains_of(metrics, other);
    out.compared += !of_one.empty();
    all.insert(all.end(), of_one.begin(), of_one.end());
  }
  if (all.empty()) return out;
  const double z = boost::math::quantile(boost::math::normal(), 1 - kLevel / static_cast<double>(all.size()));
  for (const Compared& one : all) {
    const double lower = one.gain.mean - z * one.gain.se;
    if (!std::isfinite(lower) || lower <= out.lower) continue;  // also for the first, where out.lower is NaN
    out.other = one.other;
    out.n = one.n;
    out.sets = one.sets;
    out.gain = one.gain.mean;
    out.gain_se = one.gain.se;
    out.lower = lower;
  }
  return out;
}

std::vector<std::string> gain_texts(const std::vector<EvaluationRow>& rows) {
  std::vector<std::string> out;
  for (const EvaluationRow& row : rows)
    for (const auto& [name, gain] : row.reference_gain) {
      std::string text =
          fmt::format("At N = {} the log density of the {} posterior is higher by {} nat on {} sets", count_text(row.n),
                      name, with_error_text(gain.mean, gain.se, 2), count_text(gain.sets));
      if (gain.left_out > 0)
        text +=
            fmt::format("; {} of these could not be {} and count as the run's own", count_text(gain.left_out), name);
      out.push_back(std::move(text));
    }
  return out;
}

std::vector<std::string> made_calibration_texts(const std::vector<EvaluationRow>& rows,
                                                const std::vector<std::string>& targets) {
  std::map<std::string, std::vector<EvaluationRow>> made;
  for (const EvaluationRow& row : rows)
    for (const auto& [name, found] : row.reference_ranks) {
      EvaluationRow own;
      own.n = row.n;
      own.sets = static_cast<std::int64_t>(found.sets.size());
      own.samples = found.samples;
      own.extrapolation = row.extrapolation;
      own.ranks = found.ranks;
      for (const std::vector<double>& ranks : found.ranks) own.rank_tests.push_back(rank_test(ranks, found.samples));
      // By their truths the tests know the sets of several sizes again, of which some may be left out.
      for (const std::vector<double>& truths : row.truths) {
        own.truths.emplace_back();
        for (const std::int64_t set : found.sets) own.truths.back().push_back(truths.at(static_cast<std::size_t>(set)));
      }
      made[name].push_back(std::move(own));
    }
  std::vector<std::string> out;
  for (const auto& [name, of_one] : made)
    if (EvaluationVerdict verdict = density_verdict(of_one, {targets}); !verdict.text.empty()) {
      verdict.text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(verdict.text.front())));
      out.push_back(fmt::format("The {} posterior: {}", name, verdict.text));
    }
  return out;
}

std::string sharpness_text(const Sharpness& found) {
  if (found.loses())
    return fmt::format(
        "Loses at least {} nat at N = {} (95 %), on average over the prior: {} has a higher log density by {} nat on "
        "the same {} sets",
        number_text(found.lower, 2), count_text(found.n), printable(found.other, 100),
        with_error_text(found.gain, found.gain_se, 2), count_text(static_cast<std::int64_t>(found.sets)));
  if (found.exact || !found.density) return "";
  if (found.refined && found.compared == 0)
    return "How sharp its posteriors are is not known, but the refined ones are not shown to be sharper";
  if (found.compared > 0)
    return fmt::format("How sharp its posteriors are is not known, but {} of the task {} not shown to be sharper",
                       found.compared == 1 ? "the other run" : fmt::format("the {} other runs", found.compared),
                       found.compared == 1 ? "is" : "are");
  return "How sharp its posteriors are is not known: the task has no exact posterior, and no other run of it is scored "
         "on the same sets";
}

std::string sharpness_sentences(const Metrics& metrics, const std::vector<Metrics>& others,
                                const std::vector<std::string>& targets) {
  std::vector<std::string> all = made_calibration_texts(metrics.rows, targets);
  if (std::string text = sharpness_text(sharpness(metrics, others)); !text.empty())
    all.insert(all.begin(), std::move(text));
  return fmt::format("{}", fmt::join(all, ". "));
}

nlohmann::json sharpness_document(const Sharpness& found) {
  nlohmann::json out = {{"known", found.exact || found.loses()}, {"compared", found.compared}};
  if (std::isnan(found.lower)) return out;
  out["loses_at_least"] = std::max(found.lower, 0.0);
  out["other"] = printable(found.other, 200);
  out["n"] = found.n;
  out["sets"] = found.sets;
  out["gain"] = found.gain;
  out["gain_se"] = found.gain_se;
  return out;
}

std::vector<Metrics> neighbor_metrics(const Tasks& tasks, const fs::path& run_folder, const Metrics& metrics) {
  std::error_code error;
  const fs::path own = fs::weakly_canonical(run_folder, error);
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  const auto add = [&](const fs::path& folder) {
    const fs::path file = folder / run_file::metrics;
    if (fs::weakly_canonical(folder, error) == own || !fs::is_regular_file(file, error)) return;
    const std::uintmax_t bytes = fs::file_size(file, error);
    if (error || bytes == 0 || bytes > kMostBytes) return;
    if (const auto time = fs::last_write_time(file, error); !error) files.emplace_back(time, file);
  };
  if (!is_shipped(run_folder))
    for (fs::directory_iterator entry(own.parent_path(), error), end; !error && entry != end; entry.increment(error))
      add(entry->path());
  try {
    for (const ShippedWeights& shipped : shipped_weights(tasks, metrics.task)) add(shipped.folder);
  } catch (const Error&) {
    // Damaged weights are reported where they are opened.
  }
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::vector<Metrics> out;
  std::size_t read = 0;
  for (const auto& [time, file] : files) {
    if (read == kMostNeighbors) break;
    try {
      const std::string text = read_file(file, kMostBytes);
      // Scores of other tasks, and those without a checksum, are not parsed.
      if (text.find(fmt::format("\"{}\"", metrics.task)) == text.npos || text.find("\"check\"") == text.npos) continue;
      ++read;
      Metrics one = parse_metrics(text, file.string());
      const auto has_weights = [&](const Metrics& known) { return known.weights == one.weights; };
      if (one.task == metrics.task && one.settings == metrics.settings && one.data == metrics.data &&
          one.seed == metrics.seed && !has_weights(metrics) && std::none_of(out.begin(), out.end(), has_weights) &&
          same_test_sets(one.rows, metrics.rows))
        out.push_back(std::move(one));
    } catch (const Error&) {
      // It is not needed.
    }
  }
  return out;
}

}  // namespace pairs

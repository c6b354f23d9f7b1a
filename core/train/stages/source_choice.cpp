#include "core/train/stages/source_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/json.h"
#include "core/base/text/text.h"
#include "core/eval/evaluate/evaluate.h"
#include "core/report/number_text.h"
#include "core/stored_sets.h"
#include "core/train/run/run.h"
#include "core/train/stages/refined_density.h"

namespace pairs {
namespace {

constexpr std::int64_t kMany = 100;           // above this N half as many sets are compared
constexpr std::int64_t kLeastSets = 4;        // of a size that is compared
constexpr std::int64_t kMostCompared = 1000;  // the largest N

// 1, 10, 100, … and the largest N; of an estimator with a head for each size, its sizes.
std::vector<std::int64_t> compared_sizes(const Estimator& estimator) {
  std::vector<std::int64_t> sizes;
  const std::int64_t most = std::min(estimator.max_n(), kMostCompared);
  for (const std::int64_t n : estimator.sizes())
    if (n <= most) sizes.push_back(n);
  if (!sizes.empty()) return sizes;
  for (std::int64_t n = 1; n < most; n *= 10) sizes.push_back(n);
  // Two sizes less than a factor of two apart give nearly the same comparison.
  if (sizes.size() > 1 && sizes.back() * 2 > most) sizes.pop_back();
  sizes.push_back(most);
  return sizes;
}

// The weights of the run and of its likelihood, which a comparison is of.
std::string compared_weights(const std::filesystem::path& run) {
  return weights_checksum(run / run_file::estimator) + " " +
         weights_checksum(likelihood_folder(run) / likelihood_file::weights);
}

bool is_number(const nlohmann::json& row, const char* key) {
  return row.contains(key) && row.at(key).is_number() && std::isfinite(row.at(key).get<double>());
}

}  // namespace

bool SourceChoice::refined(std::int64_t n) const {
  if (scores.empty()) return false;
  const auto above = std::find_if(scores.begin(), scores.end(), [&](const SourceScore& one) { return one.n >= n; });
  const SourceScore& high = above == scores.end() ? scores.back() : *above;
  const SourceScore& low = above == scores.begin() || above == scores.end() ? high : *std::prev(above);
  const double width = std::log(static_cast<double>(high.n)) - std::log(static_cast<double>(low.n));
  const double share =
      width > 0 ? (std::log(static_cast<double>(n)) - std::log(static_cast<double>(low.n))) / width : 1;
  const auto between = [&](double a, double b) { return (1 - share) * a + share * b; };
  return between(low.gain, high.gain) > -between(low.se, high.se);
}

std::string SourceChoice::text(std::int64_t n) const {
  PAIRS_CHECK(!scores.empty(), "No sources were compared");
  const auto distance = [&](const SourceScore& one) {
    return std::abs(std::log(static_cast<double>(one.n)) - std::log(static_cast<double>(n)));
  };
  const SourceScore& near =
      *std::min_element(scores.begin(), scores.end(),
                        [&](const SourceScore& a, const SourceScore& b) { return distance(a) < distance(b); });
  return fmt::format("at N = {}{} it {} {} nat against the run's own on {} held-out sets{}", count_text(near.n),
                     near.n == n ? "" : ", the nearest size that was compared,", near.gain < 0 ? "loses" : "gains",
                     with_error_text(std::abs(near.gain), near.se, 2), near.sets,
                     near.refused > 0 ? fmt::format(", {} of which it refused", near.refused) : "");
}

SourceChoice compare_sources(const OpenEstimator& open, const std::shared_ptr<const Task>& task,
                             const RunLikelihood& known, std::int64_t most, std::uint64_t seed,
                             const std::function<bool()>& keep_going,
                             const std::function<void(std::int64_t, std::int64_t)>& progress) {
  const StoredSets* const stored = task->stored();
  struct Part {
    std::int64_t n, sets;
  };
  std::vector<Part> parts;
  std::int64_t all = 0, done = 0;
  for (const std::int64_t n : compared_sizes(*open(task))) {
    const std::int64_t wanted = std::max(n > kMany ? most / 2 : most, kLeastSets),
                       sets = stored == nullptr ? wanted : std::min(wanted, stored->sets(Purpose::likelihood, n));
    if (sets < kLeastSets) continue;
    parts.push_back({n, sets});
    all += sets;
  }
  EvaluationOptions options;
  options.samples = 0;
  options.exact = false;
  options.pool_replicates = 0;
  options.purpose = Purpose::likelihood;
  options.seed = stream_key(seed, Purpose::check);  // other sets than those that the likelihood is learned from
  options.made = refined_density(known, task, std::max(most, kLeastSets), keep_going);
  options.made.score = [&, score = options.made.score](const Observations& x, const Latents& own) {
    if (progress) progress(done++, all);
    return score(x, own);
  };
  SourceChoice choice;
  for (const Part& part : parts) {
    options.sizes = {part.n};
    options.sets = {part.sets};
    const SetDemand demand{Purpose::likelihood, 0, part.sets, part.sets, part.n, "the comparison"};
    const std::shared_ptr<Estimator> estimator = open(stored == nullptr ? task : stored->serving({&demand, 1}));
    for (const EvaluationRow& row : evaluate(*estimator, options, keep_going)) {
      const ReferenceGain& gain = row.reference_gain.at(kRefined);
      if (gain.sets > 1) choice.scores.push_back({row.n, gain.sets, gain.left_out, gain.mean, gain.se});
    }
  }
  return choice;
}

std::optional<SourceChoice> load_source_choice(const std::filesystem::path& run) {
  const std::filesystem::path file = likelihood_folder(run) / likelihood_file::comparison;
  std::error_code code;
  if (!std::filesystem::exists(file, code)) return std::nullopt;
  const nlohmann::json document = parse_json(read_file(file));
  const auto check = [&](bool holds) {
    PAIRS_CHECK(holds, "{} cannot be used: it is damaged; remove it, and pairs --batch likelihood {} makes it again",
                printable(file.string(), 300), shell_word(run.string()));
  };
  check(document.is_object() && document.contains("weights") && document["weights"].is_string() &&
        document.contains("scores") && document["scores"].is_array());
  if (document["weights"].get<std::string>() != compared_weights(run)) return std::nullopt;
  SourceChoice choice;
  for (const nlohmann::json& row : document["scores"]) {
    check(row.is_object());
    for (const char* key : {"n", "sets", "refused", "gain", "se"}) check(is_number(row, key));
    choice.scores.push_back({row["n"].get<std::int64_t>(), row["sets"].get<std::int64_t>(),
                             row["refused"].get<std::int64_t>(), row["gain"].get<double>(), row["se"].get<double>()});
    check(choice.scores.back().n > 0 && choice.scores.back().sets > 0 &&
          (choice.scores.size() == 1 || choice.scores.back().n > choice.scores[choice.scores.size() - 2].n));
  }
  return choice;
}

void save_source_choice(const std::filesystem::path& run, const SourceChoice& choice) {
  nlohmann::json document = {{"weights", compared_weights(run)}, {"scores", nlohmann::json::array()}};
  for (const SourceScore& one : choice.scores)
    document["scores"].push_back(
        {{"n", one.n}, {"sets", one.sets}, {"refused", one.refused}, {"gain", one.gain}, {"se", one.se}});
  write_file(likelihood_folder(run) / likelihood_file::comparison, document.dump(1) + "\n");
}

}  // namespace pairs

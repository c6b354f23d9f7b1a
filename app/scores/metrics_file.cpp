#include "app/scores/metrics_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "app/scores/score_list.h"
#include "app/scores/scoring.h"
#include "app/scores/verdict.h"
#include "app/text/table.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/log.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"
#include "core/train/run/run.h"

namespace pairs {
namespace {

using nlohmann::json;

json row_document(const EvaluationRow& row) {
  json out = {{"n", row.n}, {"sets", row.sets}, {"samples", row.samples}};
  if (row.extrapolation) out["extrapolation"] = true;
  for (const Score& score : score_list()) {
    for (const RowNumber& number : score.numbers())
      if (const double value = number.of(row); std::isfinite(value)) out[number.key] = value;
    if (score.derived && !std::isnan(score.value(row))) out[score.key] = score.value(row);
    if (!score.by_target) continue;
    for (const RankTest& test : row.rank_tests)
      if (!std::isnan(test.*score.by_target)) out[score.key].push_back(test.*score.by_target);
  }
  for (const auto& [name, value] : row.reference_nll)
    if (std::isfinite(value)) out["reference_nll"][name] = value;
  for (const auto& [name, gap] : row.reference_gap)
    if (std::isfinite(gap.mean) && std::isfinite(gap.se)) out["reference_gap"][name] = {gap.mean, gap.se};
  for (const auto& [name, gain] : row.reference_gain)
    if (std::isfinite(gain.mean) && std::isfinite(gain.se))
      out["reference_gain"][name] = {
          {"gain", gain.mean}, {"gain_se", gain.se}, {"sets", gain.sets}, {"left_out", gain.left_out}};
  for (const auto& [name, found] : row.reference_ranks) {
    json& tests = out["reference_rank_tests"][name] = {{"sets", found.sets.size()}};
    for (const std::vector<double>& ranks : found.ranks) {
      const RankTest test = rank_test(ranks, found.samples);
      if (std::isnan(test.location_z)) continue;
      tests["location_z"].push_back(test.location_z);
      tests["width_z"].push_back(test.width_z);
      tests["rank_p"].push_back(test.rank_p);
    }
  }
  if (!row.companion.empty()) out["companion"] = row.companion;
  if (row.pool > 0) {
    out["pool"] = row.pool;
    if (row.pool_trained > 0) out["pool_trained"] = row.pool_trained;
    out["pool_location_sd"] = row.pool_location_sd;
    if (out.contains("location_z")) out["pool_location_z"] = row.pool_location_z;
  }
  if (!row.tested.empty()) {
    const auto* bytes = reinterpret_cast<const char*>(row.tested.data());
    out["tested"] = fmt::format("{:08x}", checksum({bytes, row.tested.size() * sizeof row.tested[0]}));
  }
  return out;
}

// Digests of test sets, four hexadecimal digits each. All rows use prefixes of the same sets, so that the row with the
// most sets stores them for all; none if a row has none.
std::string tested_text(const std::vector<EvaluationRow>& rows) {
  const EvaluationRow* most = nullptr;
  for (const EvaluationRow& row : rows) {
    if (row.tested.empty()) return "";
    if (!most || row.tested.size() > most->tested.size()) most = &row;
  }
  std::string text;
  for (const EvaluationRow& row : rows)
    PAIRS_CHECK(std::equal(row.tested.begin(), row.tested.end(), most->tested.begin()),
                "The test sets at N = {} are not those at N = {}", row.n, most->n);
  if (most)
    for (const std::uint16_t digest : most->tested) text += fmt::format("{:04x}", digest);
  return text;
}

std::vector<std::uint16_t> read_tested(const std::string& text) {
  PAIRS_CHECK(text.size() % 4 == 0 && text.find_first_not_of("0123456789abcdef") == std::string::npos,
              "These are no digests of test sets");
  std::vector<std::uint16_t> out;
  for (std::size_t at = 0; at < text.size(); at += 4)
    out.push_back(static_cast<std::uint16_t>(std::stoul(text.substr(at, 4), nullptr, 16)));
  return out;
}

// The checksum at the end of a text of metrics.
std::string check_text(std::string_view before) {
  return fmt::format(",\"check\":\"{:08x}\"}}\n", checksum(before));
}

// Whether a text of metrics is as it was written.
bool is_sealed(std::string_view text) {
  const std::size_t length = check_text("").size();
  return text.size() > length && text.ends_with(check_text(text.substr(0, text.size() - length)));
}

constexpr std::int64_t kMostN = 1'000'000'000;  // maximum credible N of a row

// Numbers of sets that only the file contains.
void put_numbers(json& row, const char* key, const std::vector<double>& values, bool append = false) {
  for (const double value : values)
    PAIRS_CHECK(std::isfinite(value), "An evaluation with {} in its \"{}\" cannot be kept as JSON", value, key);
  if (append)
    row[key].push_back(values);
  else
    row[key] = values;
}

// A list of the parameters of each set; all rows use prefixes of the same sets, so that the row with the most sets
// stores them for all; none if a row has none.
std::vector<std::vector<double>> shared_truths(const std::vector<EvaluationRow>& rows) {
  const EvaluationRow* most = nullptr;
  for (const EvaluationRow& row : rows) {
    if (row.truths.empty()) return {};
    if (!most || row.sets > most->sets) most = &row;
  }
  return most ? most->truths : std::vector<std::vector<double>>{};
}

void put_truths(json& out, const std::vector<EvaluationRow>& rows) {
  for (const std::vector<double>& of_target : shared_truths(rows)) put_numbers(out, "truths", of_target, true);
}

// Reads what put_truths wrote, and a row's other data of the further tests.
void read_truths(const json& in, const json& line, EvaluationRow& row) {
  const auto sets = static_cast<std::size_t>(row.sets);
  if (in.contains("truths")) {
    const auto all = in["truths"].get<std::vector<std::vector<double>>>();
    PAIRS_CHECK(all.size() == row.ranks.size(), "{} truths do not fit {} targets", all.size(), row.ranks.size());
    for (const std::vector<double>& one : all) {
      PAIRS_CHECK(one.size() >= sets, "{} truths do not fit {} sets", one.size(), sets);
      row.truths.emplace_back(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(sets));
    }
  }
  if (line.contains("ecdf_p")) {
    const auto all = line["ecdf_p"].get<std::vector<double>>();
    PAIRS_CHECK(all.size() == row.rank_tests.size(), "{} p-values do not fit {} targets", all.size(), row.ranks.size());
    for (std::size_t t = 0; t < all.size(); ++t) row.rank_tests[t].ecdf_p = all[t];
  }
  if (!line.contains("distance_ranks")) return;
  line["distance_ranks"].get_to(row.distance_ranks);
  PAIRS_CHECK(row.distance_ranks.size() == sets, "{} distances do not fit {} sets", row.distance_ranks.size(), sets);
}

// The number of digits that resolve `step`.
int significant_digits(double value, double step) {
  if (value == 0) return 1;
  return std::clamp(static_cast<int>(std::floor(std::log10(std::fabs(value))) - std::floor(std::log10(step))) + 1, 1,
                    17);
}

// Posterior means and sds of each target's sets, to a thousandth of the sd.
void put_moments(json& line, const EvaluationRow& row) {
  for (std::size_t t = 0; t < row.means.size(); ++t) {
    std::vector<double> means, sds;
    for (std::size_t i = 0; i < row.means[t].size(); ++i) {
      const double sd = row.sds[t][i];
      const double step = sd > 0 ? std::pow(10, std::floor(std::log10(sd)) - 3) : 0;
      const auto rounded = [&](double value) {
        const std::string text =
            step > 0 ? fmt::format("{:.{}g}", value, significant_digits(value, step)) : fmt::format("{}", value);
        return std::stod(text);
      };
      means.push_back(rounded(row.means[t][i]));
      sds.push_back(rounded(sd));
    }
    put_numbers(line, "means", means, true);
    put_numbers(line, "sds", sds, true);
  }
}

// Reads what put_moments and row_document wrote about the sets' posterior means.
void read_moments(const json& line, EvaluationRow& row) {
  if (line.contains("companion")) line["companion"].get_to(row.companion);
  PAIRS_CHECK(row.companion.empty() || row.companion.size() == row.ranks.size(),
              "{} numbers of the comparison with another run do not fit {} targets", row.companion.size(),
              row.ranks.size());
  if (!line.contains("means")) return;
  line["means"].get_to(row.means);
  line.at("sds").get_to(row.sds);
  const auto fits = [&](const std::vector<std::vector<double>>& values) {
    return values.size() == row.ranks.size() && std::all_of(values.begin(), values.end(), [&](const auto& one) {
             return one.size() == row.log_prob.size();
           });
  };
  PAIRS_CHECK(fits(row.means) && fits(row.sds), "means and sds do not fit {} targets and {} sets", row.ranks.size(),
              row.log_prob.size());
}

ReferenceRanks read_reference_ranks(const json& in, const EvaluationRow& row) {
  ReferenceRanks out;
  in.at("samples").get_to(out.samples);
  in.at("sets").get_to(out.sets);
  in.at("ranks").get_to(out.ranks);
  PAIRS_CHECK(out.samples >= 1 && std::is_sorted(out.sets.begin(), out.sets.end()) &&
                  (out.sets.empty() || (out.sets.front() >= 0 && out.sets.back() < row.sets)) &&
                  std::all_of(out.ranks.begin(), out.ranks.end(),
                              [&](const std::vector<double>& one) { return one.size() == out.sets.size(); }),
              "The ranks of a reference are not those of {} sets", row.sets);
  return out;
}

}  // namespace

std::string p_text(double p) {
  if (std::isnan(p)) return "–";
  return p < 1e-12 ? "< 1e-12" : p < 0.001 ? fmt::format("{:.0e}", p) : number_text(p, 3);
}

std::string size_text(const EvaluationRow& row) {
  return count_text(row.n) + (row.extrapolation ? ", extrapolation" : "");
}

std::string pool_note(const std::vector<EvaluationRow>& rows) {
  const EvaluationRow* most = nullptr;
  for (const EvaluationRow& row : rows)
    if (row.pool > 0 && (!most || row.n > most->n)) most = &row;
  if (!most) return "";
  double sd = 0, z = NAN;
  for (std::size_t t = 0; t < most->pool_location_sd.size(); ++t) {
    sd = std::max(sd, most->pool_location_sd[t]);
    if (!(std::fabs(most->pool_location_z[t]) < std::fabs(z))) z = most->pool_location_z[t];
  }
  const std::string together =
      std::isnan(z) ? ""
                    : fmt::format(", and the location is {} standard errors of sets and pool together from the middle",
                                  number_text(z, 1));
  return fmt::format(
      "All test sets draw their observations from the same {}. That alone moves all posteriors of size N by about "
      "√(N / {}) of their sd, {:.2f} at N = {}, whatever the estimator and however many sets: there it moves the mean "
      "rank by {:.4f} (1 sd, found by resampling the pool{}){}.",
      count_text(most->pool), count_text(most->pool),
      std::sqrt(static_cast<double>(most->n) / static_cast<double>(most->pool)), count_text(most->n), sd,
      most->pool_trained > 0
          ? fmt::format(", and likewise the {} that training drew from", count_text(most->pool_trained))
          : "",
      together);
}

std::string calibration_note(const std::vector<EvaluationRow>& rows) {
  if (std::none_of(rows.begin(), rows.end(), [](const EvaluationRow& row) { return !row.rank_tests.empty(); }))
    return "";
  const CalibrationLimits limits = calibration_limits(rows);
  const bool all_pooled = std::all_of(rows.begin(), rows.end(), [](const EvaluationRow& row) { return row.pool > 0; });
  std::string text = fmt::format(
      "{} are judged together: location z and width z of each target{}{}. Family-wise false-alarm rate 5 % "
      "(borderline: beyond z ±{:.1f}{}), 0.1 % (miscalibrated: beyond z ±{:.1f}{}){}.\n{}",
      counted(static_cast<std::size_t>(limits.tests + limits.pooled_tests), "test"),
      all_pooled ? "" : ", rank p and ECDF p; ACAUC, TARP, C2ST and region p of each size",
      limits.pooled_tests > 0 ? "; location and width pooled over sizes and targets" : "", limits.borderline.z,
      all_pooled ? "" : fmt::format(", p {:.0e} or the noise floor (95 %)", limits.borderline.p),
      limits.miscalibrated.z, all_pooled ? "" : fmt::format(" or p {:.0e}", limits.miscalibrated.p),
      limits.pooled_tests > 0 ? fmt::format("; pooled tests: beyond z ±{:.1f} and ±{:.1f}", limits.pooled_borderline.z,
                                            limits.pooled_miscalibrated.z)
                              : "",
      calibrated_meaning());
  if (const std::string pool = pool_note(rows); !pool.empty())
    text += fmt::format(
        " The location is judged against the effect of the pool; rank p and ACAUC, which the pool moves with it, are "
        "not judged. {}",
        pool);
  return text;
}

std::string subject_note(const Metrics& metrics) {
  if (metrics.subjects == 0) return "";
  return fmt::format(
      "Every test set is about another one of {} {} that no stage of training saw: standard errors and floors count "
      "{}.",
      count_text(metrics.subjects), metrics.subject_word, metrics.subject_word);
}

json metrics_document(const Metrics& metrics) {
  json out = {{"task", metrics.task},       {"run", metrics.run},
              {"data", metrics.data},       {"strategy", metrics.strategy},
              {"preset", metrics.preset},   {"settings", metrics.settings},
              {"seed", metrics.seed},       {"training_seed", metrics.training_seed},
              {"weights", metrics.weights}, {"rows", json::array()}};
  if (!metrics.sampler.empty()) out["sampler"] = metrics.sampler;
  if (metrics.subjects > 0) {
    out["subjects"] = metrics.subjects;
    out["subject_word"] = metrics.subject_word;
  }
  if (!metrics.caution.empty()) out["caution"] = metrics.caution;
  if (!metrics.companion.empty())
    out["companion"] = {{"run", metrics.companion}, {"weights", metrics.companion_weights}};
  for (const EvaluationRow& row : metrics.rows) out["rows"].push_back(row_document(row));
  return out;
}

std::string metrics_text(const Metrics& metrics) {
  json out = metrics_document(metrics);
  if (std::string tested = tested_text(metrics.rows); !tested.empty()) out["tested"] = std::move(tested);
  put_truths(out, metrics.rows);
  for (std::size_t i = 0; i < metrics.rows.size(); ++i) {
    const EvaluationRow& row = metrics.rows[i];
    json& line = out["rows"][i];
    for (const auto& [name, found] : row.reference_ranks)
      line["reference_ranks"][name] = {{"samples", found.samples}, {"sets", found.sets}, {"ranks", found.ranks}};
    line["ranks"] = row.ranks;
    put_numbers(line, "log_prob", row.log_prob);
    put_moments(line, row);
    if (!row.distance_ranks.empty()) put_numbers(line, "distance_ranks", row.distance_ranks);
    if (!row.set_mse.empty()) put_numbers(line, "set_mse", row.set_mse);
    if (!row.set_mse_posterior.empty()) put_numbers(line, "set_mse_posterior", row.set_mse_posterior);
  }
  std::string text = out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text.pop_back();  // the brace
  return text + check_text(text);
}

std::string changed_metrics(const std::string& text, const std::string& where,
                            const std::function<std::string(std::string)>& change) {
  if (!json::accept(text)) fail("{} is damaged: it is no JSON; evaluate the run again", where);
  if (!json::parse(text).contains("check")) return change(text);
  if (!is_sealed(text)) fail("{} is damaged: it does not fit its checksum; evaluate the run again", where);
  const std::string body = change(text.substr(0, text.size() - check_text("").size()));
  return body + check_text(body);
}

Metrics parse_metrics(const std::string& text, const std::string& where) {
  bool checked = false;
  try {
    const json in = json::parse(text);
    checked = in.contains("check");
    PAIRS_CHECK(!checked || is_sealed(text), "They do not fit their checksum");
    Metrics metrics;
    in.at("task").get_to(metrics.task);
    in.at("run").get_to(metrics.run);
    in.at("data").get_to(metrics.data);
    in.at("strategy").get_to(metrics.strategy);
    in.at("preset").get_to(metrics.preset);
    if (in.contains("settings")) in["settings"].get_to(metrics.settings);
    in.at("seed").get_to(metrics.seed);
    in.at("training_seed").get_to(metrics.training_seed);
    in.at("weights").get_to(metrics.weights);
    metrics.sampler = in.value("sampler", "");
    metrics.subjects = in.value("subjects", std::int64_t{0});
    metrics.subject_word = in.value("subject_word", "");
    metrics.caution = in.value("caution", "");
    PAIRS_CHECK(metrics.subjects >= 0, "{} subjects are no number of them", metrics.subjects);
    if (in.contains("companion")) {
      in["companion"].at("run").get_to(metrics.companion);
      in["companion"].at("weights").get_to(metrics.companion_weights);
    }
    const std::vector<std::uint16_t> tested = read_tested(in.value("tested", ""));
    PAIRS_CHECK(!in.at("rows").empty(), "There is no row");
    for (const json& line : in.at("rows")) {
      EvaluationRow row;
      line.at("n").get_to(row.n);
      line.at("sets").get_to(row.sets);
      line.at("samples").get_to(row.samples);
      row.extrapolation = line.value("extrapolation", false);
      PAIRS_CHECK(row.n >= 1 && row.n <= kMostN && row.sets >= 1 && row.samples >= 0,
                  "{} sets of {} with {} samples are no evaluation", row.sets, row.n, row.samples);
      PAIRS_CHECK(std::none_of(metrics.rows.begin(), metrics.rows.end(),
                               [&](const EvaluationRow& other) { return other.n == row.n; }),
                  "N = {} appears twice", row.n);
      for (const Score& score : score_list())
        for (const RowNumber& number : score.numbers())
          if (line.contains(number.key)) number.put(row, line[number.key].get<double>());
      if (line.contains("reference_nll")) line["reference_nll"].get_to(row.reference_nll);
      if (line.contains("reference_gap"))
        for (const auto& [name, gap] : line["reference_gap"].items())
          row.reference_gap[name] = {gap.at(0).get<double>(), gap.at(1).get<double>()};
      if (line.contains("reference_gain"))
        for (const auto& [name, gain] : line["reference_gain"].items())
          row.reference_gain[name] = {gain.at("gain").get<double>(), gain.at("gain_se").get<double>(),
                                      gain.at("sets").get<std::int64_t>(), gain.at("left_out").get<std::int64_t>()};
      if (line.contains("reference_ranks"))
        for (const auto& [name, found] : line["reference_ranks"].items())
          row.reference_ranks[name] = read_reference_ranks(found, row);
      line.at("ranks").get_to(row.ranks);
      // From the ranks, which older files without the tests also contain.
      for (const std::vector<double>& ranks : row.ranks) row.rank_tests.push_back(rank_test(ranks, row.samples));
      row.pool = line.value("pool", std::int64_t{0});
      if (row.pool > 0) {
        row.pool_trained = line.value("pool_trained", std::int64_t{0});
        line.at("pool_location_sd").get_to(row.pool_location_sd);
        row.pool_location_z = line.value("pool_location_z", std::vector<double>(row.ranks.size(), NAN));
        PAIRS_CHECK(row.pool_location_sd.size() == row.ranks.size() && row.pool_location_z.size() == row.ranks.size(),
                    "{} numbers of the pool do not fit {} targets", row.pool_location_sd.size(), row.ranks.size());
      }
      line.at("log_prob").get_to(row.log_prob);
      read_moments(line, row);
      read_truths(in, line, row);
      if (line.contains("set_mse")) line["set_mse"].get_to(row.set_mse);
      if (line.contains("set_mse_posterior")) line["set_mse_posterior"].get_to(row.set_mse_posterior);
      if (!tested.empty()) {
        PAIRS_CHECK(static_cast<std::size_t>(row.sets) <= tested.size(), "{} of {} sets are known", tested.size(),
                    row.sets);
        row.tested.assign(tested.begin(), tested.begin() + static_cast<std::ptrdiff_t>(row.sets));
      }
      metrics.rows.push_back(std::move(row));
    }
    if (!checked)
      spdlog::warn("{} has no checksum, so whether its numbers were changed or damaged cannot be known", where);
    return metrics;
  } catch (const std::exception&) {
    if (checked && !is_sealed(text))
      fail(
          "The metrics in {} were changed or damaged: they do not fit their checksum; make them again with pairs "
          "--batch evaluate",
          where);
    fail("The metrics in {} cannot be read; make them again with pairs --batch evaluate", where);
  }
}

std::optional<Metrics> read_metrics(const Tasks& tasks, const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  Metrics metrics = parse_metrics(read_file(file, 1ull << 30), file.string());
  const std::filesystem::path config = file.parent_path() / run_file::config;
  if (metrics.settings.empty() && std::filesystem::exists(config, error))
    metrics.settings = setting_texts(read_run_toml(tasks, config).task_settings);
  return metrics;
}

std::map<std::string, std::string> setting_texts(TaskSettings settings) {
  std::map<std::string, std::string> texts;
  for (const Field& field : settings.fields()) {
    // An empty text means the same as none.
    const auto* const text = std::get_if<std::string*>(&field.slot);
    if (!text || !(*text)->empty()) texts[field.key] = field_text(field);
  }
  return texts;
}

std::string metrics_table(const std::vector<EvaluationRow>& rows, int indent) {
  return scoring_of(rows).table(rows).text(indent);
}

}  // namespace pairs

#include "app/posterior/files/sets_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "app/kinds/target/parameters_room.h"
#include "app/posterior/caveats/disagreement_text.h"
#include "app/posterior/caveats/verdict.h"
#include "app/posterior/files/draws_file.h"
#include "app/posterior/files/latex_output.h"
#include "app/posterior/files/posterior_samples.h"
#include "app/posterior/files/text_output.h"
#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "core/base/tables/csv_line.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

constexpr std::array<std::size_t, 3> kToldLevels = {0, 2, 4};  // of kQuantileLevels: 5, 50 and 95 %

// A number in digits that reproduce it exactly; an empty cell if there is none.
std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

// Numbers of the exact or of the refined posterior; NaN if there is none.
TargetNumbers numbers_of(const std::vector<TargetNumbers>& numbers, std::size_t target) {
  return numbers.empty() ? TargetNumbers() : numbers[target];
}

// The own values of the row's item; NaN if it has none.
double own_of(const SetRow& row, std::size_t target) {
  return target < row.own.size() ? row.own[target] : NAN;
}

class CsvOutput final : public SetsOutput {
 public:
  CsvOutput(const std::filesystem::path& file, const SetsHead& head) : text_(file), head_(head) {
    std::vector<std::string> cells = {"set", "n"};
    for (const Target& target : head.info->targets) {
      for (const char* what : {"mean", "sd", "q05", "q50", "q95"}) cells.push_back(target.name + "_" + what);
      if (own_interval())
        for (const char* what : {"low90", "high90"}) cells.push_back(target.name + "_" + what);
    }
    if (head.exact) {
      for (const Target& target : head.info->targets)
        for (const char* what : {"mean", "sd"}) cells.push_back(target.name + "_exact_" + what);
      cells.emplace_back("kl");
    }
    if (head.refined)
      for (const Target& target : head.info->targets)
        for (const char* what : {"mean", "sd", "q05", "q50", "q95"}) cells.push_back(target.name + "_refined_" + what);
    if (head.source) cells.emplace_back("source");
    if (head.own)
      for (const Target& target : head.info->targets) cells.push_back(target.name + "_own");
    if (head.ensemble)
      for (const char* what : {"divergence", "spread"}) cells.emplace_back(what);
    for (const char* what :
         {"distance", "percentile", "outside_training", "p_within", "verdict", "extrapolates", "warnings", "error"})
      cells.emplace_back(what);
    line(cells);
  }
  void add(const SetRow& row) override {
    std::vector<std::string> cells = {row.name, row.problem.empty() ? fmt::format("{}", row.n) : ""};
    for (std::size_t t = 0; t < head_.info->targets.size(); ++t) {
      const TargetNumbers numbers = row.problem.empty() ? row.numbers[t] : TargetNumbers();
      cells.push_back(csv_number(numbers.mean));
      cells.push_back(csv_number(numbers.sd));
      for (const std::size_t level : kToldLevels) cells.push_back(csv_number(numbers.quantiles[level]));
      if (own_interval())
        for (const double end : {numbers.most(head_.interval).low, numbers.most(head_.interval).high})
          cells.push_back(csv_number(end));
    }
    if (head_.exact) {
      for (std::size_t t = 0; t < head_.info->targets.size(); ++t)
        for (const double value : {numbers_of(row.exact, t).mean, numbers_of(row.exact, t).sd})
          cells.push_back(csv_number(value));
      cells.push_back(csv_number(row.kl));
    }
    if (head_.refined)
      for (std::size_t t = 0; t < head_.info->targets.size(); ++t) {
        const TargetNumbers refined = numbers_of(row.refined, t);
        cells.push_back(csv_number(refined.mean));
        cells.push_back(csv_number(refined.sd));
        for (const std::size_t level : kToldLevels) cells.push_back(csv_number(refined.quantiles[level]));
      }
    if (head_.source) cells.push_back(row.problem.empty() ? source_word(row.source) : "");
    if (head_.own)
      for (std::size_t t = 0; t < head_.info->targets.size(); ++t) cells.push_back(csv_number(own_of(row, t)));
    if (head_.ensemble)
      for (const double value : {row.problem.empty() ? row.disagreement.nat : NAN, largest_spread(row.disagreement)})
        cells.push_back(csv_number(value));
    const bool known = row.typicality.known;
    cells.push_back(known ? csv_number(row.typicality.distance) : "");
    cells.push_back(known ? csv_number(row.typicality.percentile) : "");
    cells.emplace_back(!known ? "" : row.typicality.outside ? "1" : "0");
    cells.push_back(row.within ? csv_number(row.within->p) : "");
    cells.push_back(row.verdict.text);
    cells.emplace_back(!row.problem.empty() ? "" : row.extrapolates ? "1" : "0");
    cells.push_back(fmt::format("{}", fmt::join(row.warnings, "; ")));
    cells.push_back(row.problem);
    line(cells);
  }
  void finish() override { text_.finish(); }

 private:
  // Whether the interval differs from the quantiles.
  bool own_interval() const { return head_.interval != IntervalKind::central; }
  void line(const std::vector<std::string>& cells) {
    std::string out;
    for (const std::string& cell : cells) {
      out += csv_quoted(cell);
      out += ',';
    }
    out.back() = '\n';
    text_.write(out);
  }

  TextOutput text_;
  SetsHead head_;
};

class JsonOutput final : public SetsOutput {
 public:
  JsonOutput(const std::filesystem::path& file, const SetsHead& head) : text_(file), head_(head) {
    std::string reported = head.reported.dump();
    reported.pop_back();  // the object continues with the sets
    text_.write(reported + (head.reported.empty() ? "" : ",") + "\"sets\":[");
  }
  void add(const SetRow& row) override {
    text_.write((count_++ > 0 ? ",\n" : "\n") + set_document(row, *head_.info, head_.interval).dump());
  }
  void finish() override {
    text_.write("\n]}\n");
    text_.finish();
  }

 private:
  TextOutput text_;
  SetsHead head_;
  std::int64_t count_ = 0;
};

// Arrays [M], [M, d] and [M, d, 3], samples [M, S, d] and log densities [M, P]; NaN for sets without a posterior.
class NpzOutput final : public SetsOutput {
 public:
  NpzOutput(const std::filesystem::path& file, const SetsHead& head) : file_(file), head_(head) {
    const auto targets = static_cast<std::int64_t>(head.info->targets.size());
    if (head.samples > 0) samples_ = torch::full({head.sets, head.samples, targets}, NAN, torch::kFloat64);
    if (head.scored > 0) log_density_ = torch::full({head.sets, head.scored}, NAN, torch::kFloat64);
  }
  void add(const SetRow& row) override {
    const auto set = static_cast<std::int64_t>(names_.size());
    if (row.samples.defined() && samples_.defined()) samples_[set].copy_(row.samples);
    if (row.log_density.defined()) log_density_[set].copy_(row.log_density);
    names_.push_back(row.name);
    n_.push_back(row.n);
    const std::size_t targets = head_.info->targets.size();
    for (std::size_t t = 0; t < targets; ++t) {
      const TargetNumbers numbers = row.problem.empty() ? row.numbers[t] : TargetNumbers();
      mean_.push_back(numbers.mean);
      sd_.push_back(numbers.sd);
      for (const std::size_t level : kToldLevels) quantiles_.push_back(numbers.quantiles[level]);
      interval_.push_back(numbers.most(head_.interval).low);
      interval_.push_back(numbers.most(head_.interval).high);
      exact_mean_.push_back(numbers_of(row.exact, t).mean);
      exact_sd_.push_back(numbers_of(row.exact, t).sd);
      refined_mean_.push_back(numbers_of(row.refined, t).mean);
      refined_sd_.push_back(numbers_of(row.refined, t).sd);
      own_.push_back(own_of(row, t));
    }
    kl_.push_back(row.kl);
    const bool known = row.problem.empty() && row.typicality.known;
    percentile_.push_back(known ? row.typicality.percentile : NAN);
    distance_.push_back(known ? row.typicality.distance : NAN);
    p_within_.push_back(row.within ? row.within->p : NAN);
    divergence_.push_back(row.problem.empty() ? row.disagreement.nat : NAN);
    spread_.push_back(largest_spread(row.disagreement));
    warned_.push_back(row.warnings.empty() ? 0 : 1);
    failed_.push_back(row.problem.empty() ? 0 : 1);
    refined_first_.push_back(row.source == SourceWish::refined ? 1 : 0);
  }
  void finish() override {
    const auto sets = static_cast<std::int64_t>(n_.size());
    const auto targets = static_cast<std::int64_t>(head_.info->targets.size());
    const auto array = [](const auto& values, auto type, std::vector<std::int64_t> shape) {
      return torch::tensor(values, type).view(shape);
    };
    std::map<std::string, torch::Tensor> arrays = {
        {"n", array(n_, torch::kInt64, {sets})},
        {"mean", array(mean_, torch::kFloat64, {sets, targets})},
        {"sd", array(sd_, torch::kFloat64, {sets, targets})},
        {"quantiles", array(quantiles_, torch::kFloat64, {sets, targets, 3})},
        {"interval", array(interval_, torch::kFloat64, {sets, targets, 2})},
        {"distance", array(distance_, torch::kFloat64, {sets})},
        {"percentile", array(percentile_, torch::kFloat64, {sets})},
        {"p_within", array(p_within_, torch::kFloat64, {sets})},
        {"warned", array(warned_, torch::kInt64, {sets})},
        {"failed", array(failed_, torch::kInt64, {sets})}};
    arrays["set"] = names();
    if (head_.ensemble) {
      arrays["divergence"] = array(divergence_, torch::kFloat64, {sets});
      arrays["spread"] = array(spread_, torch::kFloat64, {sets});
    }
    if (head_.refined) {
      arrays["refined_mean"] = array(refined_mean_, torch::kFloat64, {sets, targets});
      arrays["refined_sd"] = array(refined_sd_, torch::kFloat64, {sets, targets});
    }
    if (head_.source) arrays["refined"] = array(refined_first_, torch::kInt64, {sets});
    if (head_.exact) {
      arrays["exact_mean"] = array(exact_mean_, torch::kFloat64, {sets, targets});
      arrays["exact_sd"] = array(exact_sd_, torch::kFloat64, {sets, targets});
      arrays["kl"] = array(kl_, torch::kFloat64, {sets});
    }
    if (head_.own) arrays["own"] = array(own_, torch::kFloat64, {sets, targets});
    if (samples_.defined()) arrays["samples"] = samples_;
    if (log_density_.defined()) arrays["log_density"] = log_density_;
    write_npz(file_, arrays);
  }

 private:
  // The names' bytes in UTF-8, padded with zeros [M, longest].
  torch::Tensor names() const {
    std::size_t longest = 1;
    for (const std::string& name : names_) longest = std::max(longest, name.size());
    torch::Tensor bytes =
        torch::zeros({static_cast<std::int64_t>(names_.size()), static_cast<std::int64_t>(longest)}, torch::kUInt8);
    for (std::size_t i = 0; i < names_.size(); ++i)
      std::copy(names_[i].begin(), names_[i].end(), bytes.mutable_data_ptr<std::uint8_t>() + i * longest);
    return bytes;
  }

  std::filesystem::path file_;
  SetsHead head_;
  std::vector<std::string> names_;
  std::vector<std::int64_t> n_, warned_, failed_, refined_first_;
  std::vector<double> mean_, sd_, quantiles_, interval_, distance_, percentile_, p_within_, divergence_, spread_;
  std::vector<double> exact_mean_, exact_sd_, refined_mean_, refined_sd_, kl_, own_;
  torch::Tensor samples_, log_density_;  // undefined unless requested
};

template <class Output>
std::unique_ptr<SetsOutput> open_output(const std::filesystem::path& file, const SetsHead& head) {
  return std::make_unique<Output>(file, head);
}

const std::vector<SetsFormat>& formats() {
  static const std::vector<SetsFormat> all = {{".csv", HeldSamples::none, false, true, open_output<CsvOutput>},
                                              {".json", HeldSamples::none, false, true, open_output<JsonOutput>},
                                              {".npz", HeldSamples::asked, true, true, open_output<NpzOutput>},
                                              {".tex", HeldSamples::none, false, true, latex_output},
                                              {".nc", HeldSamples::always, false, false, draws_output},
                                              {".h5", HeldSamples::always, false, false, draws_output}};
  return all;
}

}  // namespace

const SetsFormat& sets_format(const std::filesystem::path& file) {
  std::vector<std::string> endings;
  for (const SetsFormat& one : formats()) {
    if (file.extension() == one.ending) return one;
    endings.emplace_back(one.ending);
  }
  fail_usage("--out {} must end in {}", printable(file.string(), 300), fmt::join(endings, ", "));
}

void write_sets(const std::filesystem::path& file, const SetsHead& head,
                const std::function<void(const std::function<void(const SetRow&)>& take)>& give) {
  const SetsFormat& format = sets_format(file);
  write_file_through(file, [&](const std::filesystem::path& temporary) {
    const std::unique_ptr<SetsOutput> output = format.open(temporary, head);
    give([&](const SetRow& row) { output->add(row); });
    output->finish();
  });
}

nlohmann::json set_document(const SetRow& row, const TaskInfo& info, IntervalKind interval) {
  if (!row.problem.empty()) return {{"set", row.name}, {"error", row.problem}};
  nlohmann::json document = numbers_document(row.numbers, interval);
  document["set"] = row.name;
  document["n"] = row.n;
  if (row.dropped > 0) document["dropped"] = row.dropped;
  document["extrapolates"] = row.extrapolates;
  document["warnings"] = row.warnings;
  if (row.sources) document["source"] = source_word(row.source);
  if (!row.refined.empty()) document["refined"] = numbers_document(row.refined, interval);
  if (!row.exact.empty()) {
    document["exact"] = numbers_document(row.exact, interval);
    document["kl"] = std::isfinite(row.kl) ? nlohmann::json(row.kl) : nlohmann::json();
  }
  for (std::size_t t = 0; t < row.own.size(); ++t)
    document["own"][info.targets[t].name] = std::isfinite(row.own[t]) ? nlohmann::json(row.own[t]) : nlohmann::json();
  if (!row.kind.empty()) document["kind"] = row.kind;
  if (!row.own.empty()) document["recalibrated"] = recalibrations_document(row.recalibrations, info.targets);
  add_typicality(document, row.typicality);
  document["verdict"] = verdict_document(row.verdict);
  if (row.within) document["within"] = within_document(*row.within);
  if (!row.no_within.empty()) document["no_within"] = row.no_within;
  add_disagreement(document, row.disagreement, info);
  return document;
}

}  // namespace pairs

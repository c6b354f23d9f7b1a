#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "core/base/files/safetensors.h"
#include "core/base/text/error.h"
#include "core/likelihood/learned_likelihood.h"

namespace pairs {
namespace {

constexpr const char* kFormat = "pairs-likelihood-2";
// The columns' scales [m, 6] and the conditions' location and scale [2, g], both float64, and the prior's margins.
constexpr const char *kColumns = "columns", *kGiven = "given", *kMargin = "margin";
// Where columns have single values with probabilities of their own: the column's place and the value [A, 2], float64.
constexpr const char* kAtoms = "atoms";
constexpr std::int64_t kMostWidth = 4096;

std::int64_t number_of(const std::map<std::string, std::string>& metadata, const std::string& key, std::int64_t least,
                       std::int64_t most) {
  const auto found = metadata.find(key);
  std::int64_t value = 0;
  PAIRS_CHECK(found != metadata.end(), "its metadata lacks \"{}\"", key);
  const std::string& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  PAIRS_CHECK(error == std::errc() && end == text.data() + text.size() && value >= least && value <= most,
              "its metadata \"{}\" is not a whole number from {} to {}", key, least, most);
  return value;
}

// "0, 2", the columns of x that are covariates.
std::string covariate_text(const std::vector<std::int64_t>& order, std::int64_t covariates) {
  return fmt::format("{}", fmt::join(order.begin(), order.begin() + covariates, ", "));
}

// Checks that parameters and columns are periodic where the task's are.
void check_periodic(const ParameterSpace& space, const std::vector<ColumnScale>& columns, const TaskInfo& info) {
  const auto d = static_cast<std::int64_t>(info.targets.size());
  for (std::int64_t k = 0; k < space.size(); ++k) {
    const auto at = static_cast<std::size_t>(k < d ? k : k - d);
    PAIRS_CHECK(space.margin(k).periodic() == (k < d ? info.targets[at].periodic : info.nuisances[at].period > 0),
                "its parameters are periodic where those of task {} are not, or the other way round", info.name);
  }
  const std::vector<std::int64_t> order = density_order(info);
  for (std::size_t j = 0; j < columns.size(); ++j)
    PAIRS_CHECK(
        (columns[j].kind() == ColumnKind::periodic) == (info.column_period(static_cast<std::size_t>(order[j])) > 0),
        "its columns are periodic where those of task {} are not, or the other way round", info.name);
}

}  // namespace

void LearnedLikelihood::save(const std::filesystem::path& file, std::map<std::string, std::string> metadata) const {
  TensorFile out;
  for (const auto& [name, tensor] : parameters()) out.tensors[name] = tensor.detach();
  std::vector<torch::Tensor> rows;
  for (const ColumnScale& one : columns_) {
    const std::array<double, ColumnScale::kNumbers> numbers = one.numbers();
    rows.push_back(torch::tensor(std::vector<double>(numbers.begin(), numbers.end()), torch::kFloat64));
  }
  out.tensors[kColumns] = at::stack(rows);
  std::vector<double> atoms;
  for (std::size_t k = 0; k < columns_.size(); ++k)
    for (const double atom : columns_[k].atoms()) atoms.insert(atoms.end(), {static_cast<double>(k), atom});
  if (!atoms.empty()) out.tensors[kAtoms] = torch::tensor(atoms, torch::kFloat64).view({-1, 2});
  if (given_location_.defined()) out.tensors[kGiven] = at::stack({given_location_, given_scale_});
  space_.store(kMargin, out.tensors);
  out.metadata = {{"format", kFormat},
                  {"members", std::to_string(members())},
                  {"components", std::to_string(settings_.density.components)},
                  {"hidden", std::to_string(settings_.density.hidden)},
                  {"layers", std::to_string(settings_.density.layers)},
                  {"covariates", covariate_text(order_, covariates_)},
                  {"prior_network", prior_network_used_ ? "1" : "0"}};
  if (std::isfinite(coarsening_)) out.metadata["coarsening"] = fmt::format("{}", coarsening_);
  out.metadata.merge(metadata);
  write_safetensors(file, out);
}

LearnedLikelihood LearnedLikelihood::load(const std::filesystem::path& file, const Task& task) {
  const TensorFile content = [&] {
    try {
      return read_safetensors(file);
    } catch (const Error& error) {
      fail("{}; or remove that file and train the likelihood again", error.what());
    }
  }();
  const auto format = content.metadata.find("format");
  PAIRS_CHECK(format != content.metadata.end() && format->second == kFormat,
              "{} is not a learned likelihood of this program; remove it and train it again", file.string());
  try {
    const auto name = content.metadata.find("task");
    PAIRS_CHECK(name != content.metadata.end() && name->second == task.info().name, "it belongs to task {}, not {}",
                name == content.metadata.end() ? "?" : name->second, task.info().name);
    LikelihoodSettings settings;
    settings.members = number_of(content.metadata, "members", 1, 16);
    settings.density.components = number_of(content.metadata, "components", 1, 1024);
    settings.density.hidden = number_of(content.metadata, "hidden", 1, kMostWidth);
    settings.density.layers = number_of(content.metadata, "layers", 1, 16);
    const auto find = [&](const std::string& key) -> const torch::Tensor& {
      const auto found = content.tensors.find(key);
      PAIRS_CHECK(found != content.tensors.end(), "it lacks the tensor {}", key);
      PAIRS_CHECK(at::isfinite(found->second).all().item<bool>(), "its tensor {} holds NaN or infinite values", key);
      return found->second;
    };
    const torch::Tensor& scales = find(kColumns);
    PAIRS_CHECK(scales.dim() == 2 && scales.size(1) == ColumnScale::kNumbers && scales.size(0) >= 1 &&
                    scales.size(0) == static_cast<std::int64_t>(task.info().observation_numbers()),
                "its columns are not those of task {}", task.info().name);
    std::vector<std::vector<double>> atoms(static_cast<std::size_t>(scales.size(0)));
    if (content.tensors.contains(kAtoms)) {
      const torch::Tensor& all = find(kAtoms);
      PAIRS_CHECK(all.dim() == 2 && all.size(1) == 2, "its tensor {} has the wrong shape", kAtoms);
      for (std::int64_t i = 0; i < all.size(0); ++i) {
        const auto k = static_cast<std::int64_t>(all[i][0].item<double>());
        PAIRS_CHECK(k >= 0 && k < scales.size(0), "its tensor {} names a column that it has not", kAtoms);
        atoms[static_cast<std::size_t>(k)].push_back(all[i][1].item<double>());
      }
    }
    std::vector<ColumnScale> columns;
    for (std::int64_t k = 0; k < scales.size(0); ++k) {
      std::array<double, ColumnScale::kNumbers> numbers = {};
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = scales[k][static_cast<std::int64_t>(i)].item<double>();
      columns.push_back(ColumnScale::from(numbers, std::move(atoms[static_cast<std::size_t>(k)])));
    }
    torch::Tensor location, scale;
    if (const std::int64_t g = task.info().given_size(); g > 0) {
      const torch::Tensor& given = find(kGiven);
      PAIRS_CHECK(given.dim() == 2 && given.size(0) == 2 && given.size(1) == g,
                  "its conditions are not those of task {}", task.info().name);
      location = given[0].to(torch::kFloat64);
      scale = given[1].to(torch::kFloat64);
    }
    ParameterSpace space = ParameterSpace::from(kMargin, content.tensors);
    const auto all = static_cast<std::int64_t>(task.info().targets.size() + task.info().nuisances.size());
    PAIRS_CHECK(space.size() == all, "it has {} parameters, and task {} has {}", space.size(), task.info().name, all);
    check_periodic(space, columns, task.info());
    LearnedLikelihood out(settings, std::move(space), task.info(), std::move(columns), location, scale, 0);
    const auto covariates = content.metadata.find("covariates");
    PAIRS_CHECK(
        (covariates == content.metadata.end() ? "" : covariates->second) == covariate_text(out.order_, out.covariates_),
        "its covariates are not those of task {}", task.info().name);
    const at::NoGradGuard no_grad;
    for (const auto& [key, tensor] : out.parameters()) {
      const torch::Tensor& stored = find(key);
      PAIRS_CHECK(stored.sizes() == tensor.sizes(), "its tensor {} has the shape of another network", key);
      torch::Tensor live = tensor;
      live.copy_(stored);
    }
    out.prior_network_used_ = number_of(content.metadata, "prior_network", 0, 1) == 1;
    if (const auto found = content.metadata.find("coarsening"); found != content.metadata.end()) {
      out.coarsening_ = std::strtod(found->second.c_str(), nullptr);
      PAIRS_CHECK(out.coarsening_ > 0, "its coarsening is \"{}\", and must be above 0", found->second);
    }
    out.metadata_ = content.metadata;
    return out;
  } catch (const Error& error) {
    fail("{} cannot be used: {}; remove it and train it again", file.string(), error.what());
  }
}

}  // namespace pairs

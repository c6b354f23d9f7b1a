#include "core/given.h"

#include <ATen/Functions.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "core/base/fields/face.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

const std::vector<GivenRange>* ranges_of(const Task& task) {
  const HasGivenRanges* const known = face<HasGivenRanges>(task);
  return known == nullptr || known->given_ranges().empty() ? nullptr : &known->given_ranges();
}

}  // namespace

std::vector<std::string> given_names(const TaskInfo& info) {
  std::vector<std::string> names;
  for (const Given& one : info.given) names.push_back(one.name);
  return names;
}

torch::Tensor standardized_given(const Task& task, const torch::Tensor& given) {
  const std::vector<GivenRange>* const ranges = ranges_of(task);
  if (ranges == nullptr) return given.to(torch::kFloat32);
  std::vector<torch::Tensor> columns;
  for (std::size_t k = 0; k < ranges->size(); ++k) {
    const GivenRange& range = (*ranges)[k];
    const torch::Tensor values = given.select(1, static_cast<std::int64_t>(k)).to(torch::kFloat64);
    columns.push_back(((range.log ? values.log() : values) - range.location) / range.scale);
  }
  return torch::stack(columns, 1).to(torch::kFloat32);
}

void check_given(const Task& task, const torch::Tensor& given, const std::string& where) {
  if (!given.defined()) return;
  const torch::Tensor rows =
      given.to(torch::kCPU, torch::kFloat64).reshape({-1, task.info().given_size()}).contiguous();
  const std::vector<GivenRange>* const ranges = ranges_of(task);
  const double* at = rows.const_data_ptr<double>();
  for (std::int64_t i = 0; i < rows.size(0); ++i)
    for (std::size_t k = 0; k < task.info().given.size(); ++k, ++at) {
      const std::string& name = task.info().given[k].name;
      PAIRS_CHECK(std::isfinite(*at), "{}: {} = {} is not a finite number", where, name, *at);
      if (ranges == nullptr) continue;
      const GivenRange& range = (*ranges)[k];
      PAIRS_CHECK(*at >= range.low && *at <= range.high, "{}: {} = {} cannot be: it lies between {} and {}", where,
                  name, *at, range.low, range.high);
      PAIRS_CHECK(!range.log || *at > 0, "{}: {} = {} must be above 0", where, name, *at);
    }
}

torch::Tensor middle_given(const Task& task) {
  const std::vector<GivenRange>* const ranges = ranges_of(task);
  if (ranges == nullptr) return {};
  const torch::Tensor middle = at::empty({1, static_cast<std::int64_t>(ranges->size())}, torch::kFloat64);
  double* to = middle.mutable_data_ptr<double>();
  for (const GivenRange& range : *ranges) *to++ = range.log ? std::exp(range.location) : range.location;
  return middle;
}

void report_given(ReferencePosterior& reference, const torch::Tensor& given) {
  if (KnowsGiven* const known = face<KnowsGiven>(reference); known != nullptr && given.defined())
    known->know(given.to(torch::kCPU, torch::kFloat64).reshape({-1}).contiguous());
}

std::string given_text(const Task& task, const torch::Tensor& given) {
  const std::vector<GivenRange>* const ranges = ranges_of(task);
  if (ranges == nullptr || !given.defined()) return "";
  const torch::Tensor values = given.to(torch::kCPU, torch::kFloat64).reshape({-1}).contiguous();
  std::vector<std::string> words;
  for (std::size_t k = 0; k < ranges->size(); ++k)
    words.push_back(fmt::format("{} = {:.6g}{}{}", task.info().given[k].name, values.const_data_ptr<double>()[k],
                                (*ranges)[k].unit.empty() ? "" : " ", (*ranges)[k].unit));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string unseen_given_text(const Task& task, const torch::Tensor& given) {
  const std::vector<GivenRange>* const ranges = ranges_of(task);
  if (ranges == nullptr || !given.defined()) return "";
  const torch::Tensor values = given.to(torch::kCPU, torch::kFloat64).reshape({-1}).contiguous();
  std::vector<std::string> words;
  for (std::size_t k = 0; k < ranges->size(); ++k) {
    const GivenRange& range = (*ranges)[k];
    const double value = values.const_data_ptr<double>()[k];
    if (value < range.seen_low || value > range.seen_high)
      words.push_back(fmt::format("{} = {:.6g} outside of {:.6g} to {:.6g}", task.info().given[k].name, value,
                                  range.seen_low, range.seen_high));
  }
  return words.empty() ? ""
                       : fmt::format("The conditions lie outside of training ({}): do not trust the posterior",
                                     fmt::join(words, "; "));
}

}  // namespace pairs

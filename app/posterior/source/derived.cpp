#include "app/posterior/source/derived.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/gpu/transfer.h"
#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/one_thread.h"
#include "core/eval/metrics/interval.h"
#include "core/likelihood/refined_posterior.h"
#include "core/periodic.h"

namespace pairs {
namespace {

std::string without_blanks(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == text.npos ? "" : text.substr(first, last - first + 1);
}

bool is_name(const std::string& text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
  };
  return !text.empty() && text == printable(text, text.size()) && letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

struct Sides {
  std::string name, expression;
};

Sides sides_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string shown = printable(text, 200);
  if (equals == text.npos)
    fail_usage("The derived quantity \"{}\" has no name; write NAME = EXPRESSION, e.g. \"ratio = a/b\"", shown);
  Sides sides{without_blanks(text.substr(0, equals)), without_blanks(text.substr(equals + 1))};
  if (!is_name(sides.name) || sides.name.size() > 60)
    fail_usage(
        "The derived quantity \"{}\" needs a name of letters, digits and underscores, at most 60 bytes, before its =",
        shown);
  return sides;
}

DerivedNumbers numbers_of(const DerivedQuantity& quantity, const PosteriorSource& source, const torch::Tensor& draws) {
  std::vector<double> values = doubles(quantity.values(draws));
  const auto all = static_cast<double>(values.size());
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  DerivedNumbers out{quantity.name(), quantity.expression(), source.name, source.role, source.ours, {}, 0};
  out.undefined = 1 - static_cast<double>(values.size()) / all;
  if (values.size() >= 2) out.numbers = draw_numbers(values);
  return out;
}

}  // namespace

std::vector<std::string> target_names(const TaskInfo& info) {
  std::vector<std::string> names;
  for (const Target& target : info.targets) names.push_back(target.name);
  return names;
}

DerivedQuantity::DerivedQuantity(const std::string& text, const std::vector<std::string>& targets)
    : name_(sides_of(text).name), written_(sides_of(text).expression), expression_(written_, targets) {
  for (const std::string& target : targets)
    if (name_ == target)
      fail_usage("The derived quantity \"{}\" has the name of a target; choose another", printable(text, 200));
}

torch::Tensor DerivedQuantity::values(const torch::Tensor& draws) const {
  const torch::Tensor rows = draws.to(torch::kCPU, torch::kFloat64).contiguous();
  const auto d = static_cast<std::size_t>(rows.size(1));
  torch::Tensor out = torch::empty({rows.size(0)}, torch::kFloat64);
  const double* in = rows.const_data_ptr<double>();
  auto* values = out.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < rows.size(0); ++i, in += d) values[i] = expression_.value({in, d});
  return out;
}

std::vector<DerivedQuantity> derived_quantities(const std::vector<std::string>& texts, const TaskInfo& info) {
  if (!texts.empty() && info.targets.empty())
    fail_usage("The target of {} is an image, from which no quantity is derived", info.name);
  return derived_quantities(texts, target_names(info));
}

std::vector<DerivedQuantity> derived_quantities(const std::vector<std::string>& texts,
                                                const std::vector<std::string>& targets) {
  std::vector<DerivedQuantity> out;
  for (const std::string& text : texts) {
    DerivedQuantity one(text, targets);
    if (std::any_of(out.begin(), out.end(), [&](const DerivedQuantity& known) { return known.name() == one.name(); }))
      fail_usage("Two derived quantities are called {}; give each a name of its own", one.name());
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<DerivedNumbers> derived_numbers(const std::vector<DerivedQuantity>& quantities,
                                            const std::vector<PosteriorSource>& sources,
                                            const std::vector<Target>& targets) {
  std::vector<DerivedNumbers> out;
  if (quantities.empty()) return out;
  const torch::NoGradGuard no_grad;
  const OneThread one_thread;
  std::vector<std::pair<const PosteriorSource*, torch::Tensor>> drawn;
  for (const PosteriorSource& source : sources)
    if (source.ours || source.role == SeriesRole::exact || source.name == kRefined)
      drawn.emplace_back(&source,
                         unrolled(targets, source.sample(kDerivedDraws, kFigureSeed).to(torch::kCPU, torch::kFloat64)));
  for (const DerivedQuantity& quantity : quantities)
    for (const auto& [source, draws] : drawn) out.push_back(numbers_of(quantity, *source, draws));
  return out;
}

std::string undefined_text(const DerivedNumbers& numbers) {
  if (numbers.undefined <= 0) return "";
  return fmt::format("{}: at {:.3g} % of the draws {} is not a finite number; they are left out", numbers.name,
                     100 * numbers.undefined, numbers.expression);
}

}  // namespace pairs

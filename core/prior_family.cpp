#include "core/prior_family.h"

#include <ATen/Functions.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <charconv>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <vector>

#include "core/base/files/npz.h"
#include "core/base/gpu/transfer.h"
#include "core/base/tables/csv_table.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

using Numbers = std::vector<double>;

// A density with a formula: log density and distribution function of one value within [low, high].
struct Formula {
  double low = -INFINITY, high = INFINITY;
  std::function<double(double)> log_density, below;
};

class FormulaPrior final : public PriorFamily {
 public:
  FormulaPrior(std::string text, Formula formula) : PriorFamily(std::move(text)), formula_(std::move(formula)) {}
  torch::Tensor log_density(const torch::Tensor& values) const override {
    std::vector<double> out = doubles(values);
    for (double& value : out)
      value = value >= formula_.low && value <= formula_.high ? formula_.log_density(value) : -INFINITY;
    return torch::tensor(out, torch::kFloat64);
  }
  double below(double value) const override {
    return value <= formula_.low ? 0 : value >= formula_.high ? 1 : formula_.below(value);
  }
  std::pair<double, double> range() const override { return {formula_.low, formula_.high}; }

 private:
  Formula formula_;
};

double normal_below(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

double log_normal_density(double z, double sd) {
  return -0.5 * z * z - std::log(sd) - 0.5 * std::log(2 * std::numbers::pi);
}

// A family: its name, the names of its parameters, how many may be given, why given ones are invalid ("" if they are
// valid), and its density.
struct Family {
  const char* name;
  const char* numbers;
  std::size_t least, most;
  std::string (*wrong)(const Numbers&);
  Formula (*formula)(const Numbers&);
};

std::string ends_wrong(const Numbers& n) {
  return n[0] < n[1] ? "" : "its first number must lie below its second";
}
std::string scale_wrong(const Numbers& n) {
  return n.back() > 0 ? "" : "its last number must be above zero";
}

Formula beta_formula(const Numbers& n) {
  const double a = n[0], b = n[1], low = n.size() > 2 ? n[2] : 0, high = n.size() > 2 ? n[3] : 1, width = high - low;
  const double scale = std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) - std::log(width);
  const auto part = [](double power, double of) { return power == 1 ? 0 : (power - 1) * std::log(of); };
  return {low, high, [=](double x) { return scale + part(a, (x - low) / width) + part(b, (high - x) / width); },
          [=](double x) { return boost::math::ibeta(a, b, (x - low) / width); }};
}

const std::vector<Family>& families() {
  static const std::vector<Family> all = {
      {"uniform", "LOW, HIGH", 2, 2, ends_wrong,
       [](const Numbers& n) {
         const double low = n[0], width = n[1] - n[0];
         return Formula{n[0], n[1], [=](double) { return -std::log(width); },
                        [=](double x) { return (x - low) / width; }};
       }},
      {"normal", "MEAN, SD", 2, 2, scale_wrong,
       [](const Numbers& n) {
         const double mean = n[0], sd = n[1];
         return Formula{-INFINITY, INFINITY, [=](double x) { return log_normal_density((x - mean) / sd, sd); },
                        [=](double x) { return normal_below((x - mean) / sd); }};
       }},
      {"lognormal", "MEAN, SD", 2, 2, scale_wrong,
       [](const Numbers& n) {
         const double mean = n[0], sd = n[1];
         const auto density = [=](double x) {
           return x > 0 ? log_normal_density((std::log(x) - mean) / sd, sd) - std::log(x) : -INFINITY;
         };
         return Formula{0, INFINITY, density, [=](double x) { return normal_below((std::log(x) - mean) / sd); }};
       }},
      {"half-normal", "SD", 1, 1, scale_wrong,
       [](const Numbers& n) {
         const double sd = n[0];
         return Formula{0, INFINITY, [=](double x) { return std::numbers::ln2 + log_normal_density(x / sd, sd); },
                        [=](double x) { return std::erf(x / (sd * std::numbers::sqrt2)); }};
       }},
      {"exponential", "MEAN", 1, 1, scale_wrong,
       [](const Numbers& n) {
         const double mean = n[0];
         return Formula{0, INFINITY, [=](double x) { return -x / mean - std::log(mean); },
                        [=](double x) { return -std::expm1(-x / mean); }};
       }},
      {"gamma", "SHAPE, MEAN", 2, 2,
       [](const Numbers& n) -> std::string { return n[0] > 0 && n[1] > 0 ? "" : "its numbers must be above zero"; },
       [](const Numbers& n) {
         const double shape = n[0], scale = n[1] / n[0];
         const double norm = -std::lgamma(shape) - shape * std::log(scale);
         const auto density = [=](double x) { return norm + (shape == 1 ? 0 : (shape - 1) * std::log(x)) - x / scale; };
         return Formula{0, INFINITY, density, [=](double x) { return boost::math::gamma_p(shape, x / scale); }};
       }},
      {"beta", "A, B or A, B, LOW, HIGH", 2, 4,
       [](const Numbers& n) -> std::string {
         if (n.size() == 3) return "it takes two numbers, or four";
         if (!(n[0] > 0 && n[1] > 0)) return "its first two numbers must be above zero";
         return n.size() < 4 || n[2] < n[3] ? "" : "its third number must lie below its fourth";
       },
       beta_formula},
      {"log-uniform", "LOW, HIGH", 2, 2,
       [](const Numbers& n) -> std::string { return n[0] > 0 ? ends_wrong(n) : "its numbers must be above zero"; },
       [](const Numbers& n) {
         const double low = n[0], log_width = std::log(n[1] / n[0]);
         return Formula{n[0], n[1], [=](double x) { return -std::log(x * log_width); },
                        [=](double x) { return std::log(x / low) / log_width; }};
       }},
      {"cauchy", "MIDDLE, SCALE", 2, 2, scale_wrong, [](const Numbers& n) {
         const double middle = n[0], scale = n[1];
         const auto density = [=](double x) {
           const double z = (x - middle) / scale;
           return -std::log(std::numbers::pi * scale) - std::log1p(z * z);
         };
         return Formula{-INFINITY, INFINITY, density,
                        [=](double x) { return 0.5 + std::atan((x - middle) / scale) / std::numbers::pi; }};
       }}};
  return all;
}

// A density known at some values, with linear interpolation in between.
class TablePrior final : public PriorFamily {
 public:
  TablePrior(std::string text, Numbers values, Numbers densities)
      : PriorFamily(std::move(text)), values_(std::move(values)), densities_(std::move(densities)) {
    masses_.push_back(0);
    for (std::size_t i = 1; i < values_.size(); ++i)
      masses_.push_back(masses_.back() + (densities_[i] + densities_[i - 1]) / 2 * (values_[i] - values_[i - 1]));
  }
  double mass() const { return masses_.back(); }

  torch::Tensor log_density(const torch::Tensor& values) const override {
    std::vector<double> out = doubles(values);
    for (double& value : out)
      value = value < values_.front() || value > values_.back() ? -INFINITY : std::log(at(value) / mass());
    return torch::tensor(out, torch::kFloat64);
  }
  double below(double value) const override {
    if (value <= values_.front()) return 0;
    if (value >= values_.back()) return 1;
    const std::size_t i = cell(value);
    return (masses_[i] + (densities_[i] + at(value)) / 2 * (value - values_[i])) / mass();
  }
  std::pair<double, double> range() const override { return {values_.front(), values_.back()}; }

 private:
  std::size_t cell(double value) const {
    const auto above = std::upper_bound(values_.begin() + 1, values_.end() - 1, value);
    return static_cast<std::size_t>(above - values_.begin()) - 1;
  }
  double at(double value) const {
    const std::size_t i = cell(value);
    const double part = (value - values_[i]) / (values_[i + 1] - values_[i]);
    return densities_[i] + part * (densities_[i + 1] - densities_[i]);
  }
  Numbers values_, densities_, masses_;
};

// The columns of a table that hold the values and their density, and whether that is a logarithm.
struct PriorColumns {
  std::size_t values = 0, density = 1;
  bool log = false;
};

// Identified by the names of the columns if they have names; else the first two.
PriorColumns prior_columns(const std::vector<std::string>& columns, const std::string& target,
                           const std::string& where) {
  const auto place_of = [&](std::initializer_list<std::string_view> names) -> std::optional<std::size_t> {
    for (const std::string_view name : names)
      for (std::size_t k = 0; k < columns.size(); ++k) {
        std::string column = columns[k];
        std::transform(column.begin(), column.end(), column.begin(), [](char c) {
          return c == '-' || c == ' ' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        });
        if (column == name || columns[k] == name) return k;
      }
    return {};
  };
  auto density = place_of({"density", "pdf", "p", "probability", "prior"}),
       log = place_of({"log_density", "log_pdf", "log_p", "log_prob", "log_prior", "logdensity", "logpdf", "logp"}),
       values =
           place_of({target.empty() ? std::string_view("value") : std::string_view(target), "value", "values", "x"});
  if (density && density == values) density.reset();
  const std::string has = printable(fmt::format("{}", fmt::join(columns, ", ")), 300);
  const bool named = columns.front() != "column 1" && (density || log || values || !target.empty());
  if (!named) {
    if (columns.size() != 2)
      fail_usage("{} must hold two columns, values and their densities, and holds {}", where, columns.size());
    return {};
  }
  if (density && log)
    fail_usage("{} has the columns {}, both a density and its logarithm; leave one of them out", where, has);
  if (!density && !log)
    fail_usage("{} has the columns {}; call the one of densities density, or log_density", where, has);
  PriorColumns out{values.value_or(0), log ? *log : *density, log.has_value()};
  if (!values) {
    if (!target.empty() || columns.size() != 2)
      fail_usage("{} has the columns {}; call the one of values {}", where, has,
                 target.empty() ? "value" : printable(target) + ", or value");
    out.values = 1 - out.density;
  }
  return out;
}

std::shared_ptr<const PriorFamily> table_prior(const std::string& file, const std::string& where,
                                               const std::string& target) {
  const CsvTable read = read_csv_table(file, {});
  const torch::Tensor& table = read.rows;
  const std::string shown = printable(file, 300);
  const PriorColumns columns = prior_columns(read.columns, target, fmt::format("{} {}", where, shown));
  if (table.size(0) < 2)
    fail_usage("{} {} must hold values and their densities in two rows or more, and holds one", where, shown);
  Numbers values = doubles(table.select(1, static_cast<std::int64_t>(columns.values))),
          densities = doubles(table.select(1, static_cast<std::int64_t>(columns.density)));
  if (columns.log) {
    const double highest = *std::max_element(densities.begin(), densities.end());
    for (double& density : densities) density = std::exp(density - highest);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]) || !std::isfinite(densities[i]) || densities[i] < 0)
      fail_usage("{} {}: row {} holds {:g} and {:g}; densities are finite and not below zero", where, shown, i + 1,
                 values[i], densities[i]);
    if (i > 0 && values[i] <= values[i - 1])
      fail_usage("{} {}: the values must ascend, but row {} holds {:g} after {:g}", where, shown, i + 1, values[i],
                 values[i - 1]);
  }
  auto prior = std::make_shared<TablePrior>(file, std::move(values), std::move(densities));
  if (!(prior->mass() > 0 && std::isfinite(prior->mass())))
    fail_usage("{} {} holds a density that is zero everywhere", where, shown);
  return prior;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == text.npos ? std::string_view() : text.substr(first, last - first + 1);
}

std::optional<double> number_of(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

// "1, 2" -> its numbers; nothing if one is invalid.
std::optional<Numbers> numbers_of(std::string_view text) {
  Numbers out;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::optional<double> one = number_of(text.substr(0, comma));
    if (!one) return {};
    out.push_back(*one);
    if (comma == text.npos) return out;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

double PriorFamily::quantile(double level) const {
  PAIRS_CHECK(level > 0 && level < 1, "A prior has quantiles of levels between 0 and 1, and not of {}", level);
  auto [low, high] = range();
  // Ends that are not there are sought in steps that double.
  const double inner = std::isfinite(low) ? low : std::isfinite(high) ? high : 0;
  if (!std::isfinite(high))
    for (double step = 1; !std::isfinite(high); step *= 2)
      if (below(inner + step) >= level) high = inner + step;
  if (!std::isfinite(low))
    for (double step = 1; !std::isfinite(low); step *= 2)
      if (below(inner - step) < level) low = inner - step;
  for (int step = 0; step < 200; ++step) {
    const double middle = low + 0.5 * (high - low);
    if (!(middle > low && middle < high)) break;
    (below(middle) < level ? low : high) = middle;
  }
  return low + 0.5 * (high - low);
}

const std::string& prior_families() {
  static const std::string all = [] {
    std::string out;
    for (const Family& one : families()) out += fmt::format("{}{}({})", out.empty() ? "" : ", ", one.name, one.numbers);
    return out;
  }();
  return all;
}

std::shared_ptr<const PriorFamily> prior_family(const std::string& text, const std::string& where,
                                                const std::string& target) {
  const std::string_view all = trimmed(text);
  const std::string shown = printable(text, 300);
  const std::size_t open = all.find('(');
  if (all.ends_with(".csv")) return table_prior(std::string(all), where, target);
  if (open == all.npos || !all.ends_with(')'))
    fail_usage("{} {} is no prior: write a family with its numbers, e.g. normal(0.2, 0.05), or name a table (.csv). {}",
               where, shown.empty() ? "\"\"" : shown, "Families: " + prior_families());
  std::string name(trimmed(all.substr(0, open)));
  std::replace(name.begin(), name.end(), '_', '-');
  const auto& known = families();
  const auto family = std::find_if(known.begin(), known.end(), [&](const Family& one) { return one.name == name; });
  if (family == known.end())
    fail_usage("{} {}: there is no family {}; there are {}", where, shown, printable(name, 60), prior_families());
  const auto numbers = numbers_of(all.substr(open + 1, all.size() - open - 2));
  if (!numbers || numbers->size() < family->least || numbers->size() > family->most)
    fail_usage("{} {} must hold numbers as in {}({})", where, shown, family->name, family->numbers);
  if (const std::string wrong = family->wrong(*numbers); !wrong.empty()) fail_usage("{} {}: {}", where, shown, wrong);
  return std::make_shared<FormulaPrior>(std::string(all), family->formula(*numbers));
}

}  // namespace pairs

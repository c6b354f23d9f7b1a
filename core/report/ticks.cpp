#include "core/report/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace pairs::chart {
namespace {

constexpr double kPlainLow = 1e-3, kPlainHigh = 1e5;  // labels outside this range are powers of ten

int decade_of(double value) {
  return static_cast<int>(std::floor(std::log10(value) * (1 + 1e-15) + 1e-9));
}

double power(int exponent) {
  return std::strtod(fmt::format("1e{}", exponent).c_str(), nullptr);
}

std::string power_label(int mantissa, int exponent) {
  const std::string tens = "10" + superscript(exponent);
  return mantissa == 1 ? tens : fmt::format("{}×{}", mantissa, tens);
}

bool within(double value, double low, double high) {
  const double slack = 1e-9 * (high - low);
  return value >= low - slack && value <= high + slack;
}

// Ticks at mantissas x 10^k with k a multiple of `every`; minor ticks at 1..9 or, with `every` above 1, at decades.
Ticks log_ticks(double low, double high, int every, const std::vector<int>& mantissas, bool plain) {
  Ticks ticks;
  const double slack = 1 + 1e-9;
  const auto inside = [&](double v) { return v >= low / slack && v <= high * slack; };
  for (int k = decade_of(low) - 1; k <= decade_of(high) + 1; ++k) {
    const bool labeled = ((k % every) + every) % every == 0;
    for (int m = 1; m <= 9; ++m) {
      const double value = m * power(k);
      if (!inside(value) || value == 0) continue;
      if (labeled && std::find(mantissas.begin(), mantissas.end(), m) != mantissas.end())
        ticks.major.push_back({value, plain ? grouped_number(value, std::max(0, -k)) : power_label(m, k)});
      else if (every == 1 || m == 1)
        ticks.minor.push_back(value);
    }
  }
  return ticks;
}

std::vector<Ticks> linear_candidates(double low, double high) {
  std::vector<Ticks> candidates;
  const int first = decade_of((high - low) / 20);
  for (int k = first; k <= first + 3; ++k)
    for (const int m : {1, 2, 5}) {
      const double step = m * power(k);
      if ((high - low) / step > 25) continue;
      Ticks ticks = linear_ticks(low, high, step);
      if (ticks.major.size() < 2 && !candidates.empty()) return candidates;
      candidates.push_back(std::move(ticks));
    }
  return candidates;
}

std::vector<Ticks> log_candidates(double low, double high) {
  std::vector<Ticks> candidates;
  const bool plain_range = low >= kPlainLow * (1 - 1e-9) && high <= kPlainHigh * (1 + 1e-9);
  const double decades = std::log10(high) - std::log10(low);
  const auto add = [&](int every, const std::vector<int>& mantissas) {
    for (const bool plain : {true, false}) {
      if (plain && !plain_range) continue;
      Ticks ticks = log_ticks(low, high, every, mantissas, plain);
      if (ticks.major.size() >= 2) candidates.push_back(std::move(ticks));
    }
  };
  if (decades < 2.3) add(1, {1, 2, 5});
  for (const int every : {1, 2, 3, 5, 10, 20, 50, 100}) add(every, {1});
  if (candidates.empty() || decades < 0.5) {
    std::vector<Ticks> fine = linear_candidates(low, high);
    candidates.insert(candidates.begin(), fine.begin(), fine.end());
  }
  return candidates;
}

}  // namespace

std::string superscript(int number) {
  static constexpr std::array<const char*, 10> kDigits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number))) text += kDigits[digit - '0'];
  return text;
}

std::string grouped_number(double value, int decimals) {
  std::string digits = fmt::format("{:.{}f}", std::fabs(value), decimals);
  const bool zero = digits.find_first_not_of("0.") == std::string::npos;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  for (std::size_t i = point; i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return (value < 0 && !zero ? "−" : "") + digits;
}

Ticks linear_ticks(double low, double high, double step) {
  Ticks ticks;
  const double largest = std::max(std::fabs(low), std::fabs(high));
  const int top = decade_of(largest), step_decade = decade_of(step);
  if (top >= 6 || top < -3) ticks.exponent = top;
  const int decimals = std::clamp(ticks.exponent - step_decade, 0, 17);
  const double unit = power(ticks.exponent);
  const auto multiple = [&](double index, double size) {
    // Dividing by a whole power of ten gives 0.3 where 3 * 0.1 would not.
    const int k = decade_of(size);
    const double mantissa = std::round(size / power(k));
    return k < 0 && k > -300 ? index * mantissa / power(-k) : index * mantissa * power(k);
  };
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i)
    ticks.major.push_back({multiple(i, step) + 0.0, grouped_number(multiple(i, step) / unit, decimals)});
  const int mantissa = static_cast<int>(std::round(step / power(step_decade)));
  const int parts = mantissa == 2 ? 4 : 5;
  const double fine = step / parts;
  for (double i = std::ceil(low / fine - 1e-9); i * fine <= high + 1e-9 * fine; ++i)
    if (std::fmod(i, parts) != 0 && within(i * fine, low, high)) ticks.minor.push_back(i * fine);
  return ticks;
}

Ticks choose_ticks(AxisScale scale, double low, double high, const std::function<bool(const Ticks&)>& fits) {
  const std::vector<Ticks> candidates =
      scale == AxisScale::log ? log_candidates(low, high) : linear_candidates(low, high);
  for (const Ticks& ticks : candidates)
    if (fits(ticks)) return ticks;
  // Even the coarsest are too many: labels every second of them, every third, ... and at least one.
  const Ticks& coarsest = candidates.back();
  Ticks thinned = coarsest;
  for (std::size_t stride = 2; stride <= coarsest.major.size() && !fits(thinned); ++stride) {
    thinned.major.clear();
    thinned.minor = coarsest.minor;
    for (std::size_t i = 0; i < coarsest.major.size(); ++i) {
      if (i % stride == 0)
        thinned.major.push_back(coarsest.major[i]);
      else
        thinned.minor.push_back(coarsest.major[i].value);
    }
  }
  return thinned;
}

}  // namespace pairs::chart

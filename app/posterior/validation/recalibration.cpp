#include "app/posterior/validation/recalibration.h"

#include <algorithm>
#include <cmath>

#include "app/posterior/validation/external_validation.h"
#include "core/base/text/error.h"
#include "core/periodic.h"

namespace pairs {
namespace {

constexpr std::size_t kLeastRecalibrated = 40;  // items of a kind; fewer do not determine the 99 % interval
constexpr double kNormal90 = 1.6448536, kNormal99 = 2.5758293;

// A target's values on an unbounded scale, and back: θ and places are float64 of any shape.
struct OpenPlace {
  double low, high, scale;

  // Unrolled values of a periodic target have no bounds.
  explicit OpenPlace(const Target& target)
      : low(target.periodic ? -INFINITY : target.low),
        high(target.periodic ? INFINITY : target.high),
        scale(target.scale) {}
  static torch::Tensor open(const torch::Tensor& positive) {  // the inverse of softplus
    return positive + at::log(-at::expm1(-positive));
  }
  static torch::Tensor closed(const torch::Tensor& place) {
    return at::clamp_min(place, 0) + at::log1p(at::exp(-at::abs(place)));
  }
  torch::Tensor at(const torch::Tensor& value) const {
    if (std::isfinite(low) && std::isfinite(high)) return at::log(value - low) - at::log(high - value);
    if (std::isfinite(low)) return open((value - low) / scale);
    if (std::isfinite(high)) return -open((high - value) / scale);
    return value / scale;
  }
  torch::Tensor value(const torch::Tensor& place) const {
    if (std::isfinite(low) && std::isfinite(high)) return low + (high - low) * at::sigmoid(place);
    if (std::isfinite(low)) return low + scale * closed(place);
    if (std::isfinite(high)) return high - scale * closed(-place);
    return place * scale;
  }
  // log |d place / d value|
  torch::Tensor log_slope(const torch::Tensor& value) const {
    if (std::isfinite(low) && std::isfinite(high))
      return std::log(high - low) - at::log(value - low) - at::log(high - value);
    if (std::isfinite(low)) return -at::log(-at::expm1(-(value - low) / scale)) - std::log(scale);
    if (std::isfinite(high)) return -at::log(-at::expm1(-(high - value) / scale)) - std::log(scale);
    return at::full_like(value, -std::log(scale));
  }
  // The place of one number. A number at a bound counts as `near` scales away from it.
  double of(double number, double near = 1e-4) const {
    if (std::isfinite(low)) number = std::max(number, low + near * scale);
    if (std::isfinite(high)) number = std::min(number, high - near * scale);
    return at(torch::full({}, number, torch::kFloat64)).item<double>();
  }
};

// An item's posterior on such a scale, and its own value.
struct OpenAnswer {
  double middle, width, own;  // width: the sd of a normal with this 90 % interval

  // Takes the bounds of a 90 % interval and the item's own value. An own value exactly at a bound of the range, such as
  // a cube's, would lie outside every central interval; it counts as a twentieth of a scale away from the bound.
  OpenAnswer(const OpenPlace& place, double low, double high, double value) : own(place.of(value, 0.05)) {
    const double from = place.of(low), to = place.of(high);
    middle = (from + to) / 2;
    width = std::max((to - from) / (2 * kNormal90), 1e-3);
  }
  double miss(double added) const { return std::abs(own - middle) / std::hypot(width, added); }
};

// The spreading of a posterior of this width: within its 90 % interval, and out to its 99 % interval.
struct Spread {
  double inner = 1, outer = 1;

  Spread(const Recalibration& by, double width) {
    constexpr double least = 0.3;  // of the slope beyond the 90 % interval, over that within
    const double wide = std::hypot(width, by.added) / width;
    inner = std::max(1.0, by.factor90 * wide);
    outer = std::max({1.0, by.factor99 * wide, inner * (kNormal90 + least * (kNormal99 - kNormal90)) / kNormal99});
  }
  double slope() const { return (outer * kNormal99 - inner * kNormal90) / (kNormal99 - kNormal90); }
  // Maps distances from the median, in widths, to those of the spread posterior, and back. Both are increasing.
  torch::Tensor out(const torch::Tensor& from) const {
    const torch::Tensor far = at::abs(from);
    return at::sign(from) * at::where(far <= kNormal90, inner * far, inner * kNormal90 + slope() * (far - kNormal90));
  }
  torch::Tensor back(const torch::Tensor& to) const {
    const torch::Tensor far = at::abs(to);
    const double edge = inner * kNormal90;
    return at::sign(to) * at::where(far <= edge, far / inner, kNormal90 + (far - edge) / slope());
  }
  // log of the slope of back().
  torch::Tensor log_back(const torch::Tensor& to) const {
    return at::where(at::abs(to) <= inner * kNormal90, at::full_like(to, -std::log(inner)),
                     at::full_like(to, -std::log(slope())));
  }
};

// Fits the spreading with which `answers` reach their coverage at the smallest mean width.
void widen_least(const std::vector<OpenAnswer>& answers, Recalibration& learned) {
  const std::size_t count = answers.size();
  double least = INFINITY;
  std::vector<double> misses(count);
  for (int step = 0; step <= 60; ++step) {
    Recalibration validated = learned;
    validated.added = 0.05 * step;
    for (std::size_t i = 0; i < count; ++i) misses[i] = answers[i].miss(validated.added);
    std::sort(misses.begin(), misses.end());
    const auto at = [&](double level) {
      const auto rank = static_cast<std::size_t>(std::ceil(level * static_cast<double>(count + 1)));
      return std::max(misses[std::clamp<std::size_t>(rank, 1, count) - 1], 1e-6);
    };
    validated.factor90 = at(0.9) / kNormal90;
    validated.factor99 = at(0.99) / kNormal99;
    double width = 0;
    for (const OpenAnswer& one : answers) {
      const Spread spread(validated, one.width);
      width += one.width * (spread.inner * kNormal90 + spread.outer * kNormal99);
    }
    if (width < least) {
      least = width;
      learned = validated;
    }
  }
}

}  // namespace

std::vector<Recalibration> learn_recalibrations(const std::vector<ValidatedItem>& items,
                                                const ExternalValidation& validated,
                                                const std::vector<Target>& targets) {
  constexpr std::size_t kParts = 10;
  std::vector<Recalibration> all;
  for (const ValidatedKind& kind : validated.kinds)
    for (std::size_t t = 0; t < targets.size(); ++t) {
      if (kind.kind.empty() || kind.other_quantity(t)) continue;
      const OpenPlace place(targets[t]);
      std::vector<OpenAnswer> answers;
      for (const ValidatedItem& one : items) {
        if (one.kind != kind.kind) continue;
        answers.emplace_back(place, one.low90[t], one.high90[t], one.own[t]);
      }
      if (answers.size() < kLeastRecalibrated) continue;
      Recalibration learned{.kind = kind.kind, .target = t, .count = static_cast<std::int64_t>(answers.size())};
      widen_least(answers, learned);
      // Neighbors in the list often have one source, so a tenth is a contiguous part of it.
      std::int64_t inside = 0;
      for (std::size_t part = 0; part < kParts; ++part) {
        std::vector<OpenAnswer> rest, held_out;
        for (std::size_t i = 0; i < answers.size(); ++i)
          (i * kParts / answers.size() == part ? held_out : rest).push_back(answers[i]);
        Recalibration by;
        widen_least(rest, by);
        for (const OpenAnswer& one : held_out) {
          const Spread spread(by, one.width);
          const double miss = std::abs(one.own - one.middle) / one.width;
          inside += miss <= kNormal90 * spread.inner;
          learned.missed99 += miss > kNormal99 * spread.outer;
        }
      }
      learned.inside90 = static_cast<double>(inside) / static_cast<double>(answers.size());
      all.push_back(learned);
    }
  return all;
}

std::vector<Recalibration> of_kind(std::vector<Recalibration> all, const std::string& kind) {
  std::erase_if(all, [&](const Recalibration& one) { return one.kind != kind; });
  return all;
}

PosteriorSource recalibrated(PosteriorSource source, const std::vector<Target>& targets,
                             const std::vector<Recalibration>& recalibrations) {
  constexpr std::int64_t kDraws = 4096;
  constexpr std::uint64_t kSeed = 1;
  if (recalibrations.empty() || !source.sample) return source;
  const torch::Tensor drawn = source.sample(kDraws, kSeed).to(torch::kCPU, torch::kFloat64);
  if (!at::isfinite(drawn).all().item<bool>()) return source;
  const std::vector<Target> own = turned(targets, drawn);
  const torch::Tensor draws = wrapped(own, drawn);
  struct Widened {
    std::int64_t target;
    OpenPlace place;
    double middle, width;
    Spread spread;
  };
  std::vector<Widened> widened;
  for (const Recalibration& one : recalibrations) {
    const auto t = static_cast<std::int64_t>(one.target);
    const OpenPlace place(targets[one.target]);
    const torch::Tensor ends = at::quantile(draws.select(1, t), torch::tensor({0.05, 0.95}, torch::kFloat64));
    const OpenAnswer answer(place, ends[0].item<double>(), ends[1].item<double>(), ends[0].item<double>());
    const Spread spread(one, answer.width);
    if (spread.inner > 1 || spread.outer > 1) widened.push_back({t, place, answer.middle, answer.width, spread});
  }
  if (widened.empty()) return source;
  const auto sample = source.sample;
  source.sample = [sample, widened, own, targets](std::int64_t count, std::uint64_t seed) {
    const torch::Tensor raw = sample(count, seed);
    torch::Tensor theta = wrapped(own, raw.to(torch::kFloat64)).clone();
    for (const Widened& one : widened) {
      const torch::Tensor from = (one.place.at(theta.select(1, one.target)) - one.middle) / one.width;
      theta.select(1, one.target).copy_(one.place.value(one.middle + one.width * one.spread.out(from)));
    }
    return wrapped(targets, theta).to(raw.scalar_type());
  };
  if (const auto log_density = source.log_density)
    source.log_density = [log_density, widened, own](const torch::Tensor& asked_at) {
      const torch::Tensor theta = wrapped(own, asked_at.to(torch::kFloat64));
      torch::Tensor before = theta.clone();
      torch::Tensor slope = at::zeros({theta.size(0)}, before.options());
      for (const Widened& one : widened) {
        const torch::Tensor asked = theta.select(1, one.target).to(torch::kFloat64);
        const torch::Tensor to = (one.place.at(asked) - one.middle) / one.width;
        const torch::Tensor value = one.place.value(one.middle + one.width * one.spread.back(to));
        before.select(1, one.target).copy_(value);
        slope += one.place.log_slope(asked) - one.place.log_slope(value) + one.spread.log_back(to);
      }
      // The density is zero at and beyond a bound of a target's range.
      const torch::Tensor within = at::isfinite(before).all(1) & at::isfinite(slope);
      const torch::Tensor safe = at::where(within.unsqueeze(1), before, theta.to(torch::kFloat64));
      const torch::Tensor density = log_density(safe);
      return at::where(within.to(density.device()), density + slope.to(density.device()),
                       at::full_like(density, -INFINITY));
    };
  return source;
}

nlohmann::json recalibrations_document(const std::vector<Recalibration>& all, const std::vector<Target>& targets) {
  nlohmann::json list = nlohmann::json::array();
  for (const Recalibration& one : all)
    list.push_back({{"kind", one.kind},
                    {"target", targets[one.target].name},
                    {"count", one.count},
                    {"added", one.added},
                    {"factor_90", one.factor90},
                    {"factor_99", one.factor99},
                    {"inside_90", one.inside90},
                    {"missed_99", one.missed99}});
  return list;
}

std::vector<Recalibration> recalibrations_of_json(const nlohmann::json& document, const std::vector<Target>& targets) {
  PAIRS_CHECK(document.is_array(), "its recalibrations are no list");
  std::vector<Recalibration> all;
  for (const nlohmann::json& one : document) {
    const std::string name = one.at("target").get<std::string>();
    const auto at =
        std::find_if(targets.begin(), targets.end(), [&](const Target& target) { return target.name == name; });
    PAIRS_CHECK(at != targets.end(), "it recalibrates a target {} that the task lacks", name);
    PAIRS_CHECK(one.at("count").is_number_integer() && one.at("missed_99").is_number_integer(),
                "its recalibration counts no whole items");
    const Recalibration read{.kind = one.at("kind").get<std::string>(),
                             .target = static_cast<std::size_t>(at - targets.begin()),
                             .count = one.at("count").get<std::int64_t>(),
                             .added = one.at("added").get<double>(),
                             .factor90 = one.at("factor_90").get<double>(),
                             .factor99 = one.at("factor_99").get<double>(),
                             .inside90 = one.at("inside_90").get<double>(),
                             .missed99 = one.at("missed_99").get<std::int64_t>()};
    const bool sound = read.count > 0 && read.added >= 0 && std::isfinite(read.added) && read.factor90 > 0 &&
                       std::isfinite(read.factor90) && read.factor99 > 0 && std::isfinite(read.factor99) &&
                       read.inside90 >= 0 && read.inside90 <= 1 && read.missed99 >= 0 && read.missed99 <= read.count;
    PAIRS_CHECK(sound, "its recalibration of {} cannot be", read.kind);
    all.push_back(read);
  }
  return all;
}

}  // namespace pairs

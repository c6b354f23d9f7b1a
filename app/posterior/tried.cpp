#include "app/posterior/tried.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "app/posterior/disagreement_text.h"
#include "app/posterior/posterior_samples.h"
#include "app/posterior/recalibration.h"
#include "app/posterior/typicality.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/base/transfer.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr double kHolds = 0.9, kAccepted = 0.8, kHardly = 0.7;
constexpr std::int64_t kFewTried = 20;  // whose share says little: its standard error is 0.07

// Whether such things tell another quantity of themselves than the target, so that their share says nothing of it.
bool other_quantity(const std::vector<std::string>& other, std::size_t target) {
  return target < other.size() && !other[target].empty();
}

// Of the targets of which they tell no other quantity; 1 where there is none.
double least_share(const TriedKind& kind) {
  double least = 1;
  for (std::size_t t = 0; t < kind.inside90.size(); ++t)
    if (!other_quantity(kind.other, t)) least = std::min(least, kind.inside90[t]);
  return least;
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

// "V 46 %, log a 54 %"
std::string shares(const TaskInfo& info, const TriedKind& kind) {
  std::vector<std::string> parts;
  for (std::size_t t = 0; t < std::min(kind.inside90.size(), info.targets.size()); ++t) {
    parts.push_back(fmt::format("{}{} {}", info.targets[t].label,
                                other_quantity(kind.other, t) ? " (" + kind.other[t] + ")" : "",
                                percent(kind.inside90[t])));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// What is known of a kind: learnt from the things at hand, else read from beside the weights.
std::vector<Recalibration> recalibrations_for(const LoadedRun& run, const Tried& tried, const std::string& kind) {
  if (!tried.problem.empty()) return {};
  if (!tried.things.empty()) return of_kind(learn_recalibrations(tried.things, tried, run.task->info().targets), kind);
  return of_kind(recalibrations_of(run), kind);
}

// The kind with the shares that widened posteriors hold.
TriedKind as_widened(TriedKind kind, const std::vector<Recalibration>& by) {
  for (const Recalibration& one : by) kind.inside90[one.target] = one.inside90;
  return kind;
}

constexpr std::size_t kLeastRecalibrated = 40;  // things of a kind: with fewer, 99 % are not known
constexpr double kNormal90 = 1.6448536, kNormal99 = 2.5758293;

// A target's values on an axis without ends, and back: θ and places are float64 of any shape.
struct OpenPlace {
  double low, high, scale;

  explicit OpenPlace(const Target& target) : low(target.low), high(target.high), scale(target.scale) {}
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
  // Of one number; what lies at an end counts as so many scales away from it.
  double of(double number, double near = 1e-4) const {
    if (std::isfinite(low)) number = std::max(number, low + near * scale);
    if (std::isfinite(high)) number = std::min(number, high - near * scale);
    return at(torch::full({}, number, torch::kFloat64)).item<double>();
  }
};

// A thing's posterior on such an axis, and where its own value lies.
struct OpenAnswer {
  double middle, width, own;  // width: the sd of a normal with this 90 % interval

  // Of the ends of a 90 % interval, and the own value. A value at the very end of the range, as a cube's, lies beyond
  // every central interval: it counts as a twentieth of a scale from there.
  OpenAnswer(const OpenPlace& place, double low, double high, double value) : own(place.of(value, 0.05)) {
    const double from = place.of(low), to = place.of(high);
    middle = (from + to) / 2;
    width = std::max((to - from) / (2 * kNormal90), 1e-3);
  }
  double miss(double added) const { return std::abs(own - middle) / std::hypot(width, added); }
};

// By how much a posterior of this width is spread: within its 90 % interval, and out to its 99 % interval.
struct Spread {
  double inner = 1, outer = 1;

  Spread(const Recalibration& by, double width) {
    constexpr double least = 0.3;  // of the slope beyond the 90 % interval, over that within
    const double wide = std::hypot(width, by.added) / width;
    inner = std::max(1.0, by.factor90 * wide);
    outer = std::max({1.0, by.factor99 * wide, inner * (kNormal90 + least * (kNormal99 - kNormal90)) / kNormal99});
  }
  double slope() const { return (outer * kNormal99 - inner * kNormal90) / (kNormal99 - kNormal90); }
  // Of distances from the middle in widths, and back: both grow with what they are given.
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

// Sets by what `answers` hold their shares with the least mean width.
void widen_least(const std::vector<OpenAnswer>& answers, Recalibration& learnt) {
  const std::size_t count = answers.size();
  double least = INFINITY;
  std::vector<double> misses(count);
  for (int step = 0; step <= 60; ++step) {
    Recalibration tried = learnt;
    tried.added = 0.05 * step;
    for (std::size_t i = 0; i < count; ++i) misses[i] = answers[i].miss(tried.added);
    std::sort(misses.begin(), misses.end());
    const auto at = [&](double level) {
      const auto rank = static_cast<std::size_t>(std::ceil(level * static_cast<double>(count + 1)));
      return std::max(misses[std::clamp<std::size_t>(rank, 1, count) - 1], 1e-6);
    };
    tried.factor90 = at(0.9) / kNormal90;
    tried.factor99 = at(0.99) / kNormal99;
    double width = 0;
    for (const OpenAnswer& one : answers) {
      const Spread spread(tried, one.width);
      width += one.width * (spread.inner * kNormal90 + spread.outer * kNormal99);
    }
    if (width < least) {
      least = width;
      learnt = tried;
    }
  }
}

std::uint32_t checksum_of(const torch::Tensor& values) {
  const torch::Tensor bytes = values.to(torch::kCPU).contiguous();
  return checksum({static_cast<const char*>(bytes.const_data_ptr()), bytes.nbytes()});
}

// Equal for one thing under two names: the set depends on the thing, n and the seed alone.
std::pair<std::uint32_t, std::uint32_t> mark_of(const ThingSet& set) {
  return {checksum_of(set.latents.theta), checksum_of(set.x.is_ragged() ? set.x.rows() : set.x.block())};
}

// Whether to go on.
bool tell_of(const Preparation& hearer, const std::string& what, std::int64_t done, std::int64_t total) {
  if (hearer.stop && hearer.stop()) return false;
  if (hearer.progress) hearer.progress(what, done, total);
  return true;
}

}  // namespace

ThingMarks marks_of(const ThingSet& set) {
  return {set.kind, set.parts, set.latents.theta.defined() ? doubles(set.latents.theta) : std::vector<double>{},
          set.other};
}

std::vector<double> ThingMarks::truth() const {
  std::vector<double> values = own;
  for (std::size_t t = 0; t < values.size(); ++t)
    if (other_quantity(t)) values[t] = NAN;
  return values;
}

std::string kind_of(const Tried& tried, const ThingMarks& marks) {
  return marks.kind + (!marks.kind.empty() && tried.parts.unlike(marks.parts) ? kUnlikeTraining : "");
}

const TriedKind* Tried::find(const std::string& kind) const {
  const auto at = std::find_if(kinds.begin(), kinds.end(), [&](const TriedKind& one) { return one.kind == kind; });
  return at == kinds.end() ? nullptr : &*at;
}

Tried try_things(const LoadedRun& run, const Things& known, const std::vector<std::string>& texts, std::int64_t n,
                 std::int64_t draws, const Preparation& hearer) {
  const TaskInfo& info = run.task->info();
  const std::size_t d = info.targets.size();
  PAIRS_CHECK(d > 0, "What a thing tells of itself is compared with parameters, and the target of task {} is an image",
              info.name);
  if (n == 0) n = std::min(run.estimator->max_n(), info.max_n);
  Tried tried;
  tried.on = known.thing();
  const std::string learnt_from = "what training had, to tell what is unlike it";
  std::int64_t looked_at = 0;
  const auto go_on = [&] { return tell_of(hearer, learnt_from, ++looked_at, 0); };
  if (run.estimator->data_source() == info.data_source) tried.parts = learn_parts(known, go_on);
  if (!tried.parts.known()) tried.values = learn_values(run, go_on);
  std::set<std::pair<std::uint32_t, std::uint32_t>> met;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    if (!tell_of(hearer, tried.on + " asked about", static_cast<std::int64_t>(k),
                 static_cast<std::int64_t>(texts.size())))
      throw Stopped();
    ThingSet set;
    try {
      set = known.read_thing(texts[k], n, 1);
    } catch (const Error& error) {
      ++tried.unread;
      tried.refused.push_back(error.what());
      continue;
    }
    if (!met.insert(mark_of(set)).second) {
      ++tried.repeated;
      continue;
    }
    const torch::NoGradGuard no_grad;
    EmbeddedSet embedded(run.estimator, set.x.count());
    embedded.add(set.x);
    const torch::Tensor aggregate = embedded.aggregate(n, set.x);
    const torch::Tensor samples = finite_samples(
        {run}, estimator_source(run.name, SeriesRole::pairs, run.estimator, aggregate, n, set.latents.given), draws, 1,
        [&] { return largest_value(set.x); });
    const ThingMarks marks = marks_of(set);
    const std::string kind = kind_of(tried, marks);
    auto at =
        std::find_if(tried.kinds.begin(), tried.kinds.end(), [&](const TriedKind& one) { return one.kind == kind; });
    if (at == tried.kinds.end())
      at = tried.kinds.insert(at, {.kind = kind, .n = n, .inside90 = std::vector<double>(d), .other = set.other});
    const torch::Tensor levels = torch::tensor({0.005, 0.05, 0.95, 0.995}, torch::kFloat64);
    const torch::Tensor quantiles = at::quantile(samples.to(torch::kFloat64), levels, 0);  // [4, d]
    const std::vector<double>& own = marks.own;
    TriedThing thing = {.name = texts[k], .kind = kind, .own = own};
    for (std::size_t t = 0; t < d; ++t) {
      const auto q = [&](std::int64_t level) { return quantiles[level][static_cast<std::int64_t>(t)].item<double>(); };
      thing.low90.push_back(q(1));
      thing.high90.push_back(q(2));
      at->inside90[t] += own[t] >= q(1) && own[t] <= q(2) ? 1 : 0;
      thing.missed99 |= !other_quantity(set.other, t) && (own[t] < q(0) || own[t] > q(3));
    }
    const torch::Tensor size = torch::full({1}, n, torch::kInt64);
    thing.unlike = tried.unlike_training(marks) || typicality_of(*run.estimator, aggregate, size).outside;
    if (const Disagreement known = disagreement(*run.estimator, aggregate, size, set.latents.given);
        known.members > 0) {
      thing.spread = largest_spread(known);
      thing.disagreed = !disagreement_warning(known, info).empty();
    }
    ++at->count;
    at->missed99 += thing.missed99;
    at->unlike += thing.unlike;
    at->disagreed += thing.disagreed;
    at->missed_unlike += thing.missed99 && thing.unlike;
    at->missed_told += thing.missed99 && (thing.unlike || thing.disagreed);
    tried.things.push_back(std::move(thing));
  }
  for (TriedKind& kind : tried.kinds)
    for (double& share : kind.inside90) share /= static_cast<double>(kind.count);
  std::sort(tried.kinds.begin(), tried.kinds.end(),
            [](const TriedKind& a, const TriedKind& b) { return a.kind < b.kind; });
  return tried;
}

std::vector<Recalibration> learn_recalibrations(const std::vector<TriedThing>& things, const Tried& tried,
                                                const std::vector<Target>& targets) {
  constexpr std::size_t kParts = 10;
  std::vector<Recalibration> all;
  for (const TriedKind& kind : tried.kinds)
    for (std::size_t t = 0; t < targets.size(); ++t) {
      if (kind.kind.empty() || other_quantity(kind.other, t)) continue;
      const OpenPlace place(targets[t]);
      std::vector<OpenAnswer> answers;
      for (const TriedThing& one : things) {
        if (one.kind != kind.kind) continue;
        answers.emplace_back(place, one.low90[t], one.high90[t], one.own[t]);
      }
      if (answers.size() < kLeastRecalibrated) continue;
      Recalibration learnt{.kind = kind.kind, .target = t, .count = static_cast<std::int64_t>(answers.size())};
      widen_least(answers, learnt);
      // Neighbours in the list are often of one maker: a tenth is a stretch of it.
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
          learnt.missed99 += miss > kNormal99 * spread.outer;
        }
      }
      learnt.inside90 = static_cast<double>(inside) / static_cast<double>(answers.size());
      all.push_back(learnt);
    }
  return all;
}

std::vector<Recalibration> of_kind(std::vector<Recalibration> all, const std::string& kind) {
  std::erase_if(all, [&](const Recalibration& one) { return one.kind != kind; });
  return all;
}

Tried only_kind(Tried tried, const std::string& kind) {
  std::erase_if(tried.kinds, [&](const TriedKind& one) { return one.kind != kind; });
  return tried;
}

PosteriorSource recalibrated(PosteriorSource source, const std::vector<Target>& targets,
                             const std::vector<Recalibration>& recalibrations) {
  constexpr std::int64_t kDraws = 4096;
  constexpr std::uint64_t kSeed = 1;
  if (recalibrations.empty() || !source.sample) return source;
  const torch::Tensor draws = source.sample(kDraws, kSeed).to(torch::kCPU, torch::kFloat64);
  if (!at::isfinite(draws).all().item<bool>()) return source;
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
  source.sample = [sample, widened](std::int64_t count, std::uint64_t seed) {
    const torch::Tensor raw = sample(count, seed);
    torch::Tensor theta = raw.to(torch::kFloat64).clone();
    for (const Widened& one : widened) {
      const torch::Tensor from = (one.place.at(theta.select(1, one.target)) - one.middle) / one.width;
      theta.select(1, one.target).copy_(one.place.value(one.middle + one.width * one.spread.out(from)));
    }
    return theta.to(raw.scalar_type());
  };
  if (const auto log_density = source.log_density)
    source.log_density = [log_density, widened](const torch::Tensor& theta) {
      torch::Tensor before = theta.to(torch::kFloat64).clone();
      torch::Tensor slope = at::zeros({theta.size(0)}, before.options());
      for (const Widened& one : widened) {
        const torch::Tensor asked = theta.select(1, one.target).to(torch::kFloat64);
        const torch::Tensor to = (one.place.at(asked) - one.middle) / one.width;
        const torch::Tensor value = one.place.value(one.middle + one.width * one.spread.back(to));
        before.select(1, one.target).copy_(value);
        slope += one.place.log_slope(asked) - one.place.log_slope(value) + one.spread.log_back(to);
      }
      // Beyond an end of a target's range, and at it, there is no density.
      const torch::Tensor within = at::isfinite(before).all(1) & at::isfinite(slope);
      const torch::Tensor safe = at::where(within.unsqueeze(1), before, theta.to(torch::kFloat64));
      const torch::Tensor density = log_density(safe);
      return at::where(within.to(density.device()), density + slope.to(density.device()),
                       at::full_like(density, -INFINITY));
    };
  return source;
}

bool doubtful(const TriedKind& kind) {
  const double error = std::sqrt(kHolds * (1 - kHolds) / static_cast<double>(std::max<std::int64_t>(kind.count, 1)));
  const double share = least_share(kind);
  return share < kAccepted && share < kHolds - 2 * error;
}

std::string learnt_text(const LoadedRun& run, const Tried& tried) {
  std::string text = fmt::format("Learnt from {}.", run.estimator->data_source());
  if (!tried.problem.empty()) return text;
  if (tried.kinds.empty()) return text + " What it says of others was never tried.";
  text += fmt::format(" Others tried at N = {}, own values in the 90 % interval:", count_text(tried.kinds.front().n));
  bool widened = false;
  for (const TriedKind& kind : tried.kinds) {
    const std::vector<Recalibration> by = recalibrations_for(run, tried, kind.kind);
    text += fmt::format("{} {} ({}): {}", &kind == &tried.kinds.front() ? "" : ";", kind.kind, count_text(kind.count),
                        shares(run.task->info(), kind));
    if (!by.empty()) text += fmt::format(", once widened {}", shares(run.task->info(), as_widened(kind, by)));
    widened |= !by.empty();
  }
  if (widened) text += ". The posterior shown is widened by what these showed";
  return text + ".";
}

std::vector<std::string> thing_warnings(const LoadedRun& run, const Tried& tried, const std::string& name,
                                        const ThingMarks& marks) {
  const std::string warned = tried.problem.empty() ? tried_warning(run, tried, kind_of(tried, marks)) : tried.problem;
  const std::string advice = warned.empty() || !tried.problem.empty() ? ": do not trust the posterior" : "";
  // Posteriors of a kind that was tried enough are widened by what its things showed, those unlike training among them:
  // that one is such is no reason to doubt its interval.
  if (!recalibrations_for(run, tried, kind_of(tried, marks)).empty())
    return warned.empty() ? std::vector<std::string>{} : std::vector<std::string>{warned};
  std::vector<std::string> out;
  for (const std::string& text :
       {new_parts_text(tried.parts, marks.parts), far_values_text(tried.values, run.task->info(), marks.own)})
    if (!text.empty()) out.push_back(name + ": " + text + advice);
  if (!warned.empty()) out.push_back(warned);
  return out;
}

std::string tried_note(const LoadedRun& run, const Tried& tried, const std::string& kind) {
  const TriedKind* const known = tried.find(kind);
  if (!known) return "";
  const std::vector<Recalibration> by = recalibrations_for(run, tried, kind);
  return fmt::format("tried on {} ({}) at N = {}: {} in the {}90 % interval", count_text(known->count), kind,
                     count_text(known->n), shares(run.task->info(), as_widened(*known, by)),
                     by.empty() ? "" : "widened ");
}

std::string tried_warning(const LoadedRun& run, const Tried& tried, const std::string& kind) {
  if (kind.empty()) return "";
  const TriedKind* const found = tried.find(kind);
  if (!found)
    return fmt::format(
        "nothing like this one ({}) was ever tried with {}, which learnt from {}: whether its posterior holds is not "
        "known",
        kind, run.name, run.estimator->data_source());
  const std::vector<Recalibration> by = recalibrations_for(run, tried, kind);
  const TriedKind widened = as_widened(*found, by);
  const TriedKind* const known = &widened;
  const std::string learnt =
      fmt::format("{} learnt from {}; tried on {} like this one ({}) at N = {}", run.name, run.estimator->data_source(),
                  counted(static_cast<std::size_t>(known->count), "thing"), kind, count_text(known->n));
  const std::string held = fmt::format("{}: own values in its {}90 % interval: {}", learnt,
                                       by.empty() ? "" : "widened ", shares(run.task->info(), *known));
  if (doubtful(*known))
    return held +
           (least_share(*known) < kHardly ? "; do not trust the posterior" : "; take the posterior for too narrow");
  if (known->count < kFewTried) return held + "; so few say little of whether the posterior holds";
  for (std::size_t t = 0; t < run.task->info().targets.size(); ++t)
    if (other_quantity(known->other, t))
      return fmt::format("{}, which tell no {} of their own: whether that of the posterior holds is not known", learnt,
                         run.task->info().targets[t].label);
  return "";
}

}  // namespace pairs

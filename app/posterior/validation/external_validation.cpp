#include "app/posterior/validation/external_validation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "app/posterior/caveats/disagreement_text.h"
#include "app/posterior/caveats/typicality.h"
#include "core/base/files/files.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/periodic.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr double kHolds = 0.9, kAccepted = 0.8, kHardly = 0.7;
constexpr std::int64_t kFewValidated = 20;  // fewer say little: the standard error of a share is 0.07

// The smallest share over targets without another quantity; 1 if there is none.
double least_share(const ValidatedKind& kind) {
  double least = 1;
  for (std::size_t t = 0; t < kind.inside90.size(); ++t)
    if (!kind.other_quantity(t)) least = std::min(least, kind.inside90[t]);
  return least;
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

// "V 46 %, log a 54 %"
std::string shares(const TaskInfo& info, const ValidatedKind& kind) {
  std::vector<std::string> parts;
  for (std::size_t t = 0; t < std::min(kind.inside90.size(), info.targets.size()); ++t) {
    parts.push_back(fmt::format("{}{} {}", info.targets[t].label,
                                kind.other_quantity(t) ? " (" + kind.other[t] + ")" : "", percent(kind.inside90[t])));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The recalibrations of a kind, unless the validation has a problem.
std::vector<Recalibration> recalibrations_for(const ExternalValidation& validated, const std::string& kind) {
  return validated.problem.empty() ? of_kind(validated.recalibrations, kind) : std::vector<Recalibration>();
}

// The kind with the coverage of widened posteriors.
ValidatedKind as_widened(ValidatedKind kind, const std::vector<Recalibration>& by) {
  for (const Recalibration& one : by) kind.inside90[one.target] = one.inside90;
  return kind;
}

std::uint32_t checksum_of(const torch::Tensor& values) {
  const torch::Tensor bytes = values.to(torch::kCPU).contiguous();
  return checksum({static_cast<const char*>(bytes.const_data_ptr()), bytes.nbytes()});
}

// Equal for one item under two names: the set depends only on the item, n and the seed.
std::pair<std::uint32_t, std::uint32_t> mark_of(const ItemSet& set) {
  return {checksum_of(set.latents.theta), checksum_of(set.x.is_ragged() ? set.x.rows() : set.x.block())};
}

// Whether to continue.
bool report_of(const Preparation& hearer, const std::string& what, std::int64_t done, std::int64_t total) {
  if (hearer.stop && hearer.stop()) return false;
  if (hearer.progress) hearer.progress(what, done, total);
  return true;
}

}  // namespace

ItemMarks marks_of(const ItemSet& set) {
  return {set.kind, set.parts, set.latents.theta.defined() ? doubles(set.latents.theta) : std::vector<double>{},
          set.other};
}

std::vector<double> ItemMarks::truth() const {
  std::vector<double> values = own;
  for (std::size_t t = 0; t < values.size(); ++t)
    if (other_quantity(t)) values[t] = NAN;
  return values;
}

std::string kind_of(const ExternalValidation& validated, const ItemMarks& marks) {
  return marks.kind + (!marks.kind.empty() && validated.parts.unlike(marks.parts) ? kOutOfDistribution : "");
}

std::vector<Recalibration> recalibrations_of(const ExternalValidation& validated, const ItemMarks& marks) {
  return recalibrations_for(validated, kind_of(validated, marks));
}

const ValidatedKind* ExternalValidation::find(const std::string& kind) const {
  const auto at = std::find_if(kinds.begin(), kinds.end(), [&](const ValidatedKind& one) { return one.kind == kind; });
  return at == kinds.end() ? nullptr : &*at;
}

ExternalValidation validate_items(const LoadedRun& run, const Items& known, const std::vector<std::string>& texts,
                                  std::int64_t n, std::int64_t draws, const Preparation& hearer) {
  const TaskInfo& info = run.task->info();
  const std::size_t d = info.targets.size();
  PAIRS_CHECK(d > 0, "An item's own values are compared with parameters, and the target of task {} is an image",
              info.name);
  if (n == 0) n = std::min(run.estimator->max_n(), info.max_n);
  ExternalValidation validated;
  validated.on = known.item();
  const std::string learned_from = "values in training, to find what is out of distribution";
  std::int64_t looked_at = 0;
  const auto go_on = [&] { return report_of(hearer, learned_from, ++looked_at, 0); };
  if (run.estimator->data_source() == info.data_source) validated.parts = learn_parts(known, go_on);
  if (!validated.parts.known()) validated.values = learn_values(run, go_on);
  std::set<std::pair<std::uint32_t, std::uint32_t>> met;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    if (!report_of(hearer, validated.on + " evaluated", static_cast<std::int64_t>(k),
                   static_cast<std::int64_t>(texts.size())))
      throw Stopped();
    ItemSet set;
    try {
      set = known.read_item(texts[k], n, 1);
    } catch (const Error& error) {
      ++validated.unread;
      validated.refused.push_back(error.what());
      continue;
    }
    if (!met.insert(mark_of(set)).second) {
      ++validated.repeated;
      continue;
    }
    const torch::NoGradGuard no_grad;
    EmbeddedSet embedded(run.estimator, set.x.count());
    embedded.add(set.x);
    const torch::Tensor aggregate = embedded.aggregate(n, set.x);
    const torch::Tensor drawn = finite_samples(
        {run}, estimator_source(run.name, SeriesRole::pairs, run.estimator, aggregate, n, set.latents.given), draws, 1,
        [&] { return largest_value(set.x); });
    const ItemMarks marks = marks_of(set);
    const std::string kind = kind_of(validated, marks);
    auto at = std::find_if(validated.kinds.begin(), validated.kinds.end(),
                           [&](const ValidatedKind& one) { return one.kind == kind; });
    if (at == validated.kinds.end())
      at = validated.kinds.insert(at, {.kind = kind, .n = n, .inside90 = std::vector<double>(d), .other = set.other});
    const std::vector<Target> targets = turned(info.targets, drawn.to(torch::kFloat64));
    const torch::Tensor samples = wrapped(targets, drawn.to(torch::kFloat64));
    const torch::Tensor levels = torch::tensor({0.005, 0.05, 0.95, 0.995}, torch::kFloat64);
    const torch::Tensor quantiles = at::quantile(samples, levels, 0);  // [4, d]
    std::vector<double> own = marks.own;
    for (std::size_t t = 0; t < d; ++t)
      if (targets[t].periodic) own[t] = wrapped(own[t], targets[t].low, targets[t].period());
    ValidatedItem item = {.name = texts[k], .kind = kind, .own = own};
    for (std::size_t t = 0; t < d; ++t) {
      const auto q = [&](std::int64_t level) { return quantiles[level][static_cast<std::int64_t>(t)].item<double>(); };
      item.low90.push_back(q(1));
      item.high90.push_back(q(2));
      at->inside90[t] += own[t] >= q(1) && own[t] <= q(2) ? 1 : 0;
      item.missed99 |= !marks.other_quantity(t) && (own[t] < q(0) || own[t] > q(3));
    }
    const torch::Tensor size = torch::full({1}, n, torch::kInt64);
    item.unlike = validated.out_of_distribution(marks) || typicality_of(*run.estimator, aggregate, size).outside;
    if (const Disagreement known = disagreement(*run.estimator, aggregate, size, set.latents.given);
        known.members > 0) {
      item.spread = largest_spread(known);
      item.disagreed = !disagreement_warning(known, info).empty();
    }
    ++at->count;
    at->missed99 += item.missed99;
    at->unlike += item.unlike;
    at->disagreed += item.disagreed;
    at->missed_outside += item.missed99 && item.unlike;
    at->missed_disagreed += item.missed99 && (item.unlike || item.disagreed);
    validated.items.push_back(std::move(item));
  }
  for (ValidatedKind& kind : validated.kinds)
    for (double& share : kind.inside90) share /= static_cast<double>(kind.count);
  std::sort(validated.kinds.begin(), validated.kinds.end(),
            [](const ValidatedKind& a, const ValidatedKind& b) { return a.kind < b.kind; });
  validated.recalibrations = learn_recalibrations(validated.items, validated, info.targets);
  return validated;
}

ExternalValidation only_kind(ExternalValidation validated, const std::string& kind) {
  std::erase_if(validated.kinds, [&](const ValidatedKind& one) { return one.kind != kind; });
  return validated;
}

bool doubtful(const ValidatedKind& kind) {
  const double error = std::sqrt(kHolds * (1 - kHolds) / static_cast<double>(std::max<std::int64_t>(kind.count, 1)));
  const double share = least_share(kind);
  return share < kAccepted && share < kHolds - 2 * error;
}

std::string learned_text(const LoadedRun& run, const ExternalValidation& validated) {
  std::string text = fmt::format("Trained on {}.", run.estimator->data_source());
  if (!validated.problem.empty()) return text;
  if (validated.kinds.empty()) return text + " Without external validation.";
  text += fmt::format(" External validation at N = {}, own values in the 90 % interval:",
                      count_text(validated.kinds.front().n));
  bool widened = false;
  for (const ValidatedKind& kind : validated.kinds) {
    const std::vector<Recalibration> by = recalibrations_for(validated, kind.kind);
    text += fmt::format("{} {} ({}): {}", &kind == &validated.kinds.front() ? "" : ";", kind.kind,
                        count_text(kind.count), shares(run.task->info(), kind));
    if (!by.empty()) text += fmt::format(", once widened {}", shares(run.task->info(), as_widened(kind, by)));
    widened |= !by.empty();
  }
  if (widened) text += ". The posterior shown is widened by what these showed";
  return text + ".";
}

std::vector<std::string> item_warnings(const LoadedRun& run, const ExternalValidation& validated,
                                       const std::string& name, const ItemMarks& marks) {
  const std::string warned =
      validated.problem.empty() ? validation_warning(run, validated, kind_of(validated, marks)) : validated.problem;
  const std::string advice = warned.empty() || !validated.problem.empty() ? ": do not trust the posterior" : "";
  // Posteriors of a kind with enough validation items are widened by the results of all its items, including those out
  // of distribution: being one of these is no reason to doubt its interval.
  if (!recalibrations_of(validated, marks).empty())
    return warned.empty() ? std::vector<std::string>{} : std::vector<std::string>{warned};
  std::vector<std::string> out;
  for (const std::string& text :
       {new_parts_text(validated.parts, marks.parts), far_values_text(validated.values, run.task->info(), marks.own)})
    if (!text.empty()) out.push_back(name + ": " + text + advice);
  if (!warned.empty()) out.push_back(warned);
  return out;
}

std::string validation_note(const LoadedRun& run, const ExternalValidation& validated, const std::string& kind) {
  const ValidatedKind* const known = validated.find(kind);
  if (!known) return "";
  const std::vector<Recalibration> by = recalibrations_for(validated, kind);
  return fmt::format("validated on {} ({}) at N = {}: {} in the {}90 % interval", count_text(known->count), kind,
                     count_text(known->n), shares(run.task->info(), as_widened(*known, by)),
                     by.empty() ? "" : "widened ");
}

std::string validation_warning(const LoadedRun& run, const ExternalValidation& validated, const std::string& kind) {
  if (kind.empty()) return "";
  const ValidatedKind* const found = validated.find(kind);
  if (!found)
    return fmt::format(
        "no external validation on items like this one ({}) with {}, which was trained on {}: whether its posterior "
        "holds is not known",
        kind, run.name, run.estimator->data_source());
  const std::vector<Recalibration> by = recalibrations_for(validated, kind);
  const ValidatedKind widened = as_widened(*found, by);
  const ValidatedKind* const known = &widened;
  const std::string learned = fmt::format(
      "{} was trained on {}; validated on {} like this one ({}) at N = {}", run.name, run.estimator->data_source(),
      counted(static_cast<std::size_t>(known->count), "item"), kind, count_text(known->n));
  const std::string held = fmt::format("{}: own values in its {}90 % interval: {}", learned,
                                       by.empty() ? "" : "widened ", shares(run.task->info(), *known));
  if (doubtful(*known))
    return held +
           (least_share(*known) < kHardly ? "; do not trust the posterior" : "; take the posterior for too narrow");
  if (known->count < kFewValidated) return held + "; too few to show whether the posterior holds";
  for (std::size_t t = 0; t < run.task->info().targets.size(); ++t)
    if (known->other_quantity(t))
      return fmt::format("{}, which have no {} of their own: whether that of the posterior holds is not known", learned,
                         run.task->info().targets[t].label);
  return "";
}

}  // namespace pairs

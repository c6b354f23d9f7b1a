#include "app/posterior/tried.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "app/posterior/posterior_samples.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/transfer.h"
#include "core/posterior/typicality.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr std::uint64_t kTriedBytes = 1 << 20;
constexpr double kHolds = 0.9, kAccepted = 0.8;

TriedKind kind_of_json(const nlohmann::json& one) {
  TriedKind kind;
  kind.kind = one.at("kind").get<std::string>();
  kind.count = one.at("count").get<std::int64_t>();
  kind.n = one.at("n").get<std::int64_t>();
  kind.inside90 = one.at("inside_90").get<std::vector<double>>();
  kind.other = one.at("other").get<std::vector<std::string>>();
  kind.missed99 = one.at("missed_99").get<std::int64_t>();
  kind.missed_unlike = one.at("missed_99_and_unlike_training").get<std::int64_t>();
  kind.unlike = one.at("unlike_training").get<std::int64_t>();
  return kind;
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

// "V 46 %, log a 54 %"
std::string shares(const TaskInfo& info, const TriedKind& kind) {
  std::vector<std::string> parts;
  for (std::size_t t = 0; t < std::min(kind.inside90.size(), info.targets.size()); ++t) {
    const bool other = t < kind.other.size() && !kind.other[t].empty();
    parts.push_back(fmt::format("{}{} {}", info.targets[t].label, other ? " (" + kind.other[t] + ")" : "",
                                percent(kind.inside90[t])));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// "parts": tried-parts.npz beside tried.json.
std::filesystem::path beside(const std::filesystem::path& tried, const char* what) {
  return tried.parent_path() / (tried.stem().string() + "-" + what + ".npz");
}

}  // namespace

ThingMarks marks_of(const ThingSet& set) {
  return {set.kind, set.parts, set.latents.theta.defined() ? doubles(set.latents.theta) : std::vector<double>{}};
}

std::string kind_of(const Tried& tried, const ThingMarks& marks) {
  return !marks.kind.empty() && tried.unlike_training(marks) ? marks.kind + ", unlike training" : marks.kind;
}

const TriedKind* Tried::find(const std::string& kind) const {
  const auto at = std::find_if(kinds.begin(), kinds.end(), [&](const TriedKind& one) { return one.kind == kind; });
  return at == kinds.end() ? nullptr : &*at;
}

Tried tried_of(const LoadedRun& run) {
  Tried tried;
  const std::filesystem::path file = run.folder / kTriedFile;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return tried;
  const nlohmann::json document = parse_json(read_file(file, kTriedBytes));
  try {
    tried.on = document.at("on").get<std::string>();
    tried.unread = document.at("unread").get<std::int64_t>();
    for (const nlohmann::json& one : document.at("kinds")) tried.kinds.push_back(kind_of_json(one));
  } catch (const nlohmann::json::exception&) {
    fail("{} is damaged; remove it, or write it again with pairs --batch tried", file.string());
  }
  tried.parts = read_known_parts(beside(file, "parts"));
  tried.values = read_known_values(beside(file, "values"), static_cast<std::int64_t>(run.task->info().targets.size()));
  return tried;
}

nlohmann::json tried_document(const Tried& tried) {
  nlohmann::json document = {{"on", tried.on}, {"unread", tried.unread}, {"kinds", nlohmann::json::array()}};
  for (const TriedKind& kind : tried.kinds)
    document["kinds"].push_back({{"kind", kind.kind},
                                 {"count", kind.count},
                                 {"n", kind.n},
                                 {"inside_90", kind.inside90},
                                 {"other", kind.other},
                                 {"missed_99", kind.missed99},
                                 {"missed_99_and_unlike_training", kind.missed_unlike},
                                 {"unlike_training", kind.unlike}});
  return document;
}

void write_tried(const std::filesystem::path& file, const LoadedRun& of, const Tried& tried) {
  nlohmann::json document = tried_document(tried);
  document["learnt_from"] = of.estimator->data_source();
  if (tried.parts.known()) write_known_parts(beside(file, "parts"), tried.parts);
  if (tried.values.known()) write_known_values(beside(file, "values"), tried.values);
  write_file(file, document.dump(2) + "\n");
}

Tried try_things(const LoadedRun& run, const Things& known, const std::vector<std::string>& texts, std::int64_t n,
                 std::int64_t draws, const std::function<bool(std::size_t)>& next) {
  const TaskInfo& info = run.task->info();
  const std::size_t d = info.targets.size();
  PAIRS_CHECK(d > 0, "What a thing tells of itself is compared with parameters, and the target of task {} is an image",
              info.name);
  if (n == 0) n = std::min(run.estimator->max_n(), info.max_n);
  Tried tried;
  tried.on = known.thing();
  tried.parts = learn_parts(run, known, [&] { return next(0); });
  if (!tried.parts.known()) tried.values = learn_values(run, [&] { return next(0); });
  for (std::size_t k = 0; k < texts.size(); ++k) {
    if (!next(k)) throw Stopped();
    ThingSet set;
    try {
      set = known.read_thing(texts[k], n, 1);
    } catch (const Error& error) {
      ++tried.unread;
      tried.refused.push_back(error.what());
      continue;
    }
    const torch::NoGradGuard no_grad;
    const torch::Tensor aggregate = finite_aggregate(run, set.x, texts[k]);
    const torch::Tensor samples = finite_samples(
        estimator_source(run.name, SeriesRole::pairs, run.estimator, aggregate, n, set.latents.given, 1), draws);
    const ThingMarks marks = marks_of(set);
    const std::string kind = kind_of(tried, marks);
    auto at =
        std::find_if(tried.kinds.begin(), tried.kinds.end(), [&](const TriedKind& one) { return one.kind == kind; });
    if (at == tried.kinds.end()) at = tried.kinds.insert(at, {kind, 0, n, std::vector<double>(d), set.other, 0, 0, 0});
    const torch::Tensor levels = torch::tensor({0.005, 0.05, 0.95, 0.995}, torch::kFloat64);
    const torch::Tensor quantiles = at::quantile(samples.to(torch::kFloat64), levels, 0);  // [4, d]
    const std::vector<double>& own = marks.own;
    bool missed = false;
    for (std::size_t t = 0; t < d; ++t) {
      const auto q = [&](std::int64_t level) { return quantiles[level][static_cast<std::int64_t>(t)].item<double>(); };
      at->inside90[t] += own[t] >= q(1) && own[t] <= q(2) ? 1 : 0;
      missed |= !(t < set.other.size() && !set.other[t].empty()) && (own[t] < q(0) || own[t] > q(3));
    }
    const bool unlike =
        tried.unlike_training(marks) || place_of(*run.estimator, aggregate, torch::full({1}, n, torch::kInt64)).outside;
    ++at->count;
    at->missed99 += missed;
    at->unlike += unlike;
    at->missed_unlike += missed && unlike;
  }
  for (TriedKind& kind : tried.kinds)
    for (double& share : kind.inside90) share /= static_cast<double>(kind.count);
  std::sort(tried.kinds.begin(), tried.kinds.end(),
            [](const TriedKind& a, const TriedKind& b) { return a.kind < b.kind; });
  return tried;
}

bool doubtful(const TriedKind& kind) {
  const double error = std::sqrt(kHolds * (1 - kHolds) / static_cast<double>(std::max<std::int64_t>(kind.count, 1)));
  return std::any_of(kind.inside90.begin(), kind.inside90.end(),
                     [&](double share) { return share < kAccepted && share < kHolds - 2 * error; });
}

std::string learnt_text(const LoadedRun& run, const Tried& tried) {
  std::string text = fmt::format("Learnt from {}.", run.estimator->data_source());
  if (tried.kinds.empty()) return text + " What it says of others was never tried.";
  text += fmt::format(" Others tried at N = {}, own values in the 90 % interval:", count_text(tried.kinds.front().n));
  for (const TriedKind& kind : tried.kinds)
    text += fmt::format("{} {} ({}): {}", &kind == &tried.kinds.front() ? "" : ";", kind.kind, count_text(kind.count),
                        shares(run.task->info(), kind));
  return text + ".";
}

std::vector<std::string> thing_warnings(const LoadedRun& run, const Tried& tried, const std::string& name,
                                        const ThingMarks& marks) {
  std::vector<std::string> out;
  for (const std::string& text :
       {new_parts_text(tried.parts, marks.parts), far_values_text(tried.values, run.task->info(), marks.own)})
    if (!text.empty()) out.push_back(name + ": " + text);
  if (std::string text = tried_warning(run, tried, kind_of(tried, marks)); !text.empty())
    out.push_back(std::move(text));
  return out;
}

std::string tried_note(const LoadedRun& run, const Tried& tried, const std::string& kind) {
  const TriedKind* const known = tried.find(kind);
  if (!known) return "";
  return fmt::format("tried on {} ({}): {} in the 90 % interval", count_text(known->count), kind,
                     shares(run.task->info(), *known));
}

std::string tried_warning(const LoadedRun& run, const Tried& tried, const std::string& kind) {
  if (kind.empty()) return "";
  const TriedKind* const known = tried.find(kind);
  if (!known)
    return fmt::format(
        "{} learnt from {} and was never tried on things like this one ({}): whether its posterior holds "
        "is not known",
        run.name, run.estimator->data_source(), kind);
  if (!doubtful(*known)) return "";
  return fmt::format(
      "{} learnt from {} and was tried on {} things like this one ({}) at N = {}: of their own values {} "
      "lay in its 90 % interval; do not trust the posterior",
      run.name, run.estimator->data_source(), count_text(known->count), kind, count_text(known->n),
      shares(run.task->info(), *known));
}

}  // namespace pairs

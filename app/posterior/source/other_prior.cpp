#include "app/posterior/source/other_prior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/kinds/target/parameters_room.h"
#include "app/posterior/source/derived.h"
#include "core/base/gpu/transfer.h"
#include "core/base/tables/csv_line.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/one_thread.h"
#include "core/eval/metrics/interval.h"
#include "core/periodic.h"
#include "core/prior_density.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr int kTurns = 10;  // of a prior around a periodic target, either way
constexpr std::int64_t kPriorDraws = 4096;
constexpr double kKolmogorovLimit = 1.95;  // of the distance times the root of the number of draws, at p = 0.001
constexpr std::size_t kRatioCells = 4000;
constexpr std::int64_t kStart = 512;  // samples that a posterior is made anew from
constexpr double kReachInSds = 12;    // of a grid around a posterior that no range bounds

std::string_view without_ends(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == text.npos ? std::string_view() : text.substr(first, last - first + 1);
}

// A target's index and its prior, as given.
struct NamedPrior {
  std::int64_t target = 0;
  std::string text;
};

NamedPrior named_prior(const TaskInfo& info, const std::string& text, const char* option) {
  const std::size_t equals = text.find('='), open = text.find('(');
  const bool named = equals != text.npos && (open == text.npos || equals < open);
  if (!named) {
    if (info.targets.size() == 1) return {0, text};
    fail_usage("{} {} names no target; write for example \"{} = normal(0, 1)\"", option, printable(text, 200),
               info.targets.front().name);
  }
  const std::string name(without_ends(std::string_view(text).substr(0, equals)));
  for (std::size_t t = 0; t < info.targets.size(); ++t)
    if (info.targets[t].name == name)
      return {static_cast<std::int64_t>(t), std::string(without_ends(std::string_view(text).substr(equals + 1)))};
  std::string names;
  for (const Target& target : info.targets) names += (names.empty() ? "" : ", ") + target.name;
  for (const Nuisance& nuisance : info.nuisances)
    if (nuisance.name == name)
      fail_usage("{} {}: {} is not inferred by this run, and its prior cannot be changed; targets are {}", option,
                 printable(text, 200), name, names);
  fail_usage("{} {}: there is no target {}; there are {}", option, printable(text, 200), printable(name, 60), names);
}

// Draws from the task's prior, each set once, since stored sets repeat.
torch::Tensor prior_draws(const Task& task) {
  std::vector<std::int64_t> indices(kPriorDraws);
  std::iota(indices.begin(), indices.end(), 0);
  const torch::Tensor theta = task.latents(kFigureSeed, Purpose::test, indices).theta;
  return task.stored() == nullptr ? theta : std::get<0>(at::unique_dim(theta, 0, true, false, false));
}

// The name of another target on which target t of the prior's draws depends; "" if no rank correlation shows it.
std::string depends_on(const TaskInfo& info, const torch::Tensor& draws, std::int64_t t) {
  std::vector<std::int64_t> others;
  for (std::int64_t k = 0; k < draws.size(1); ++k)
    if (k != t) others.push_back(k);
  if (others.empty()) return "";
  const std::int64_t found =
      correlated_column(draws.select(1, t), draws.index_select(1, torch::tensor(others, torch::kLong)));
  return found < 0 ? "" : info.targets[static_cast<std::size_t>(others[static_cast<std::size_t>(found)])].label;
}

// The prior of one target, checked against the task's draws.
std::shared_ptr<const PriorFamily> learned_prior(const Task& task, const torch::Tensor& draws, std::int64_t t,
                                                 const std::string& reported) {
  const TaskInfo& info = task.info();
  const Target& target = info.targets[static_cast<std::size_t>(t)];
  if (reported.empty() && target.prior) return target.prior;
  const bool bounded = std::isfinite(target.low) && std::isfinite(target.high);
  const std::string hint = fmt::format(
      "state it, as the simulator draws it, with e.g. --training-prior \"{} = normal(0, 1)\", or as prior in the task "
      "file",
      target.name);
  if (reported.empty() && !bounded)
    fail_usage("Task {} does not state the density of its prior of {}; {}", info.name, target.label, hint);
  const std::string text = reported.empty() ? fmt::format("uniform({}, {})", target.low, target.high) : reported;
  std::shared_ptr<const PriorFamily> prior =
      prior_family(text, reported.empty() ? "The prior" : "--training-prior", target.name);
  if (prior_distance(draws.select(1, t), *prior).distance > kKolmogorovLimit)
    fail_usage("{} draws of the prior of {} are not those of {}{}", count_text(draws.size(0)), target.label,
               printable(text, 200),
               reported.empty() ? ", and task " + info.name + " does not state its density; " + hint
                                : "; give the prior that the simulator draws from");
  if (const std::string other = depends_on(info, draws, t); !other.empty())
    fail_usage(
        "The prior of {} depends on {}, so that its density alone does not determine the weights; give both their own "
        "prior in the simulator",
        target.label, other);
  return prior;
}

// The share of a prior below and above a target's bounds.
double mass_outside(const PriorFamily& prior, const Target& target) {
  if (target.periodic) return 0;
  const double low = std::isfinite(target.low) ? prior.below(target.low) : 0;
  const double high = std::isfinite(target.high) ? prior.below(target.high) : 1;
  return std::clamp(1 - (high - low), 0.0, 1.0);
}

// Numbers of weighted samples: mean and sd from the weights, all else from as many evenly resampled ones.
std::vector<TargetNumbers> weighted_numbers(const torch::Tensor& draws, const torch::Tensor& weights) {
  const std::vector<double> w = doubles(weights);
  const double all = std::accumulate(w.begin(), w.end(), 0.0);
  std::vector<TargetNumbers> out;
  for (std::int64_t t = 0; t < draws.size(1); ++t) {
    const std::vector<double> values = doubles(draws.select(1, t));
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> even;
    double below = 0;
    std::size_t at = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double level = (static_cast<double>(k) + 0.5) / static_cast<double>(values.size()) * all;
      while (at + 1 < order.size() && below + w[order[at]] < level) below += w[order[at++]];
      even.push_back(values[order[at]]);
    }
    TargetNumbers numbers = draw_numbers(even);
    double mean = 0, square = 0;
    for (std::size_t k = 0; k < values.size(); ++k) mean += w[k] * values[k] / all;
    for (std::size_t k = 0; k < values.size(); ++k) square += w[k] * (values[k] - mean) * (values[k] - mean) / all;
    numbers.mean = mean;
    numbers.sd = std::sqrt(square);
    out.push_back(numbers);
  }
  return out;
}

// For one target: its density times the ratio of priors, on a grid of its range or around the posterior's samples, and
// the mass of that.
void use_density(const OtherPrior& prior, const std::function<torch::Tensor(const torch::Tensor&)>& log_density,
                 const torch::Tensor& draws, ReweighedPosterior& out) {
  const TaskInfo& info = prior.task().info();
  if (info.targets.size() != 1) return;
  const Target target = turned(info.targets, draws).front();
  double mean = draws.mean().item<double>(), reach = kReachInSds * draws.std().item<double>();
  if (out.made && !out.targets.empty()) {  // draws are a proposal's, wider than the posterior
    mean = out.targets.front().mean;
    reach = kReachInSds * out.targets.front().sd;
  }
  const Cells cells{std::max(target.low, mean - reach), std::min(target.high, mean + reach), kRatioCells};
  if (!(cells.high > cells.low)) return;
  const torch::Tensor at = torch::tensor(cells.middles(), torch::kFloat64).unsqueeze(1);
  const torch::Tensor log = log_density(at).to(torch::kCPU, torch::kFloat64),
                      logs = out.made ? log : log + prior.log_ratio(at);
  const double top = logs.max().item<double>();
  if (!std::isfinite(top)) return;
  out.density = {cell_numbers(cells, doubles((logs - top).exp()))};
  if (!out.made) out.evidence = logs.exp().sum().item<double>() * cells.width();
}

}  // namespace

OtherPrior::OtherPrior(std::shared_ptr<const Task> task, const std::vector<std::string>& texts,
                       const std::vector<std::string>& learned)
    : task_(std::move(task)) {
  const TaskInfo& info = task_->info();
  if (info.targets.empty()) fail_usage("--prior is of parameters, and the target of {} is an image", info.name);
  std::vector<std::string> reported(info.targets.size());
  for (const std::string& text : learned) {
    NamedPrior one = named_prior(info, text, "--training-prior");
    std::string& place = reported[static_cast<std::size_t>(one.target)];
    if (!place.empty())
      fail_usage("--training-prior is given twice for {}", info.targets[static_cast<std::size_t>(one.target)].name);
    place = std::move(one.text);
  }
  for (const std::string& text : texts) {
    const NamedPrior one = named_prior(info, text, "--prior");
    const Target& target = info.targets[static_cast<std::size_t>(one.target)];
    if (std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) { return part.target == one.target; }))
      fail_usage("--prior is given twice for {}", target.name);
    parts_.push_back({one.target, prior_family(one.text, "--prior", target.name), nullptr});
    text_ += fmt::format("{}{} ~ {}", text_.empty() ? "" : ", ", target.label, printable(one.text, 200));
    outside_ = 1 - (1 - outside_) * (1 - mass_outside(*parts_.back().now, target));
  }
  const torch::Tensor middle = torch::zeros({1, info.target_size()}, torch::kFloat64);
  known_ = parts_.size() == info.targets.size() && learned.empty() && log_prior(*task_, middle).defined();
  if (known_) return;
  const torch::Tensor draws = prior_draws(*task_);
  for (Part& part : parts_)
    part.learned = learned_prior(*task_, draws, part.target, reported[static_cast<std::size_t>(part.target)]);
}

torch::Tensor OtherPrior::log_ratio(const torch::Tensor& asked) const {
  const torch::Tensor theta = wrapped(task_->info().targets, asked);
  torch::Tensor now = torch::zeros({theta.size(0)}, torch::kFloat64), old = torch::zeros_like(now);
  if (known_) old = log_prior(*task_, theta);
  for (const Part& part : parts_) {
    const torch::Tensor values = theta.select(1, part.target);
    const Target& target = task_->info().targets[static_cast<std::size_t>(part.target)];
    torch::Tensor own = part.now->log_density(values);
    // Around a circle the prior is the sum over all turns.
    for (int turn = -kTurns; turn <= kTurns && target.periodic; ++turn)
      if (turn != 0) own = torch::logaddexp(own, part.now->log_density(values + turn * target.period()));
    now += own;
    if (part.learned) old += part.learned->log_density(values);
  }
  return torch::where(old.isfinite() & now.isfinite(), now - old, torch::full_like(now, -INFINITY));
}

torch::Tensor OtherPrior::samples(const torch::Tensor& theta, std::uint64_t key) const {
  torch::Tensor out = theta.clone();
  Stream stream(stream_key(key, Purpose::posterior), 3);
  for (const Part& part : parts_) {
    const Target& target = task_->info().targets[static_cast<std::size_t>(part.target)];
    const auto [least, most] = part.learned ? part.learned->range() : std::pair{-HUGE_VAL, HUGE_VAL};
    const double low = target.periodic ? -HUGE_VAL : std::max(least, target.low),
                 high = target.periodic ? HUGE_VAL : std::min(most, target.high),
                 below = std::isfinite(low) ? part.now->below(low) : 0,
                 within = (std::isfinite(high) ? part.now->below(high) : 1) - below;
    PAIRS_CHECK(within > 0, "the prior {} has no density where the training prior of {} has one", part.now->text(),
                target.label);
    for (std::int64_t k = 0; k < out.size(0); ++k)
      out[k][part.target] = part.now->quantile(std::clamp(below + within * stream.uniform64(), 1e-12, 1 - 1e-12));
  }
  return wrapped(task_->info().targets, out);
}

namespace {
constexpr std::string_view kTrainingWord = "training ";
}

PriorTexts prior_texts(const std::string& line) {
  PriorTexts out;
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t to = std::min(line.find(';', from), line.size());
    std::string one = line.substr(from, to - from);
    one.erase(0, one.find_first_not_of(' '));
    const bool old = one.starts_with(kTrainingWord);
    if (!one.empty()) (old ? out.learned : out.now).push_back(old ? one.substr(kTrainingWord.size()) : one);
    from = to + 1;
  }
  return out;
}

std::string prior_line(const PriorTexts& texts) {
  std::string line;
  for (const std::string& one : texts.now) line += (line.empty() ? "" : "; ") + one;
  for (const std::string& one : texts.learned) line += fmt::format("; {}{}", kTrainingWord, one);
  return line;
}

std::vector<std::filesystem::path> prior_files(const std::string& line) {
  std::vector<std::filesystem::path> files;
  PriorTexts texts = prior_texts(line);
  texts.now.insert(texts.now.end(), texts.learned.begin(), texts.learned.end());
  for (const std::string& one : texts.now)
    if (const std::string_view file = trimmed(std::string_view(one).substr(one.find('=') + 1)); file.ends_with(".csv"))
      files.emplace_back(file);
  return files;
}

std::shared_ptr<const OtherPrior> other_prior(std::shared_ptr<const Task> task, const std::string& line) {
  const PriorTexts texts = prior_texts(line);
  if (texts.now.empty() && texts.learned.empty()) return nullptr;
  return std::make_shared<OtherPrior>(std::move(task), texts.now, texts.learned);
}

torch::Tensor prior_weights(const OtherPrior& prior, const torch::Tensor& samples) {
  const torch::Tensor logs = prior.log_ratio(samples.to(torch::kCPU, torch::kFloat64));
  const double top = logs.max().item<double>();
  if (!std::isfinite(top)) return torch::zeros_like(logs);
  const torch::Tensor weights = (logs - top).exp();
  return weights / weights.mean();
}

ReweighedPosterior reweighed(const OtherPrior& prior, const PosteriorSource& source,
                             const std::function<bool()>& keep_going) {
  const torch::NoGradGuard no_grad;
  PAIRS_CHECK(source.log_density, "A posterior without a density cannot be reweighed");
  ReweighedPosterior out;
  out.prior = prior.text();
  out.draws = kDerivedDraws;
  out.outside = prior.outside();
  if (source.under) try {
      const torch::Tensor theta = source.sample(kStart, kFigureSeed).to(torch::kCPU, torch::kFloat64);
      // The prior outlives this call in the density of what is made.
      out.made = std::make_shared<const UnderPrior>(
          source.under([prior](const torch::Tensor& at) { return prior.log_ratio(at); },
                       prior.samples(theta, kFigureSeed), keep_going));
      out.draws = out.made->draws.size(0);
      out.effective = out.made->effective;
      out.evidence = std::exp(out.made->log_evidence);
      out.targets = weighted_numbers(out.made->draws, out.made->weights);
      use_density(prior, out.made->log_density, out.made->draws, out);
      return out;
    } catch (const Stopped&) {
      throw;
    } catch (const std::exception& error) {
      out.not_anew = sentence(error);
    }
  const OneThread one_thread;
  const torch::Tensor draws =
      unrolled(prior.task().info().targets, source.sample(kDerivedDraws, kFigureSeed).to(torch::kCPU, torch::kFloat64));
  const torch::Tensor logs = prior.log_ratio(draws);
  out.evidence = logs.exp().mean().item<double>();
  const double top = logs.max().item<double>();
  if (std::isfinite(top)) {
    const torch::Tensor weights = (logs - top).exp();
    out.effective = weights.sum().square().item<double>() / weights.square().sum().item<double>();
    out.targets = weighted_numbers(draws, weights);
  }
  use_density(prior, source.log_density, draws, out);
  return out;
}

std::string unchanged_text(const TaskInfo& info, bool anew) {
  if (info.nuisances.empty()) return "";
  if (anew) return "The prior of ψ given θ stays that of the simulator";
  return "The prior of ψ given θ stays that of the simulator: weights cannot change it, since the run has integrated ψ "
         "out";
}

std::vector<std::string> reweighed_warnings(const ReweighedPosterior& answer) {
  std::vector<std::string> out;
  if (!answer.not_anew.empty())
    out.push_back(
        fmt::format("The posterior is not refined under {}: {}; the samples under the training prior are "
                    "weighted instead",
                    answer.prior, answer.not_anew));
  if (answer.targets.empty())
    out.push_back(fmt::format("None of {} draws of the posterior lies where the prior {} has any density{}",
                              count_text(answer.draws), answer.prior,
                              answer.density.empty() ? ""
                                                     : "; the numbers are those of the density, as far as it is "
                                                       "right in its tails"));
  else if (answer.effective < kFewEffective)
    out.push_back(fmt::format(
        "Under {} the effective sample size is only {:.0f} of {}: the two priors differ too much where the data put "
        "θ{}",
        answer.prior, answer.effective, count_text(answer.draws),
        answer.density.empty() ? "" : "; the numbers are those of the density, as far as it is right in its tails"));
  if (answer.outside > 1e-3)
    out.push_back(
        fmt::format("The prior {} puts {:.3g} % of its probability where the run's own has none; that part "
                    "is cut off",
                    answer.prior, 100 * answer.outside));
  return out;
}

std::string reweighed_text(const ReweighedPosterior& answer, const TaskInfo& info, IntervalKind interval) {
  std::string text;
  const auto numbers = [&](const std::vector<TargetNumbers>& of) {
    std::string out;
    for (std::size_t t = 0; t < of.size(); ++t)
      out += fmt::format("{}{} = {:.4g} ± {:.2g} ({})", out.empty() ? "" : "; ", info.targets[t].label, of[t].mean,
                         of[t].sd, most_text(of[t], interval));
    return out;
  };
  const bool few = answer.targets.empty() || answer.effective < kFewEffective;
  if (few && answer.density.empty() && answer.targets.empty())
    return fmt::format("Under the prior {} there is no posterior.", answer.prior);
  const std::string count =
      fmt::format("effective sample size {:.0f} of {}", answer.effective, count_text(answer.draws));
  if (few && !answer.density.empty())
    text = fmt::format("Under the prior {}, by the density: {}; {}, too small for numbers of its own.", answer.prior,
                       numbers(answer.density), count);
  else
    text = fmt::format("Under the prior {}{}: {}; {}.{}", answer.prior, answer.made ? ", refined again" : "",
                       numbers(answer.targets), count,
                       answer.density.empty() ? "" : fmt::format(" By the density: {}.", numbers(answer.density)));
  text += answer.made
              ? fmt::format(" Bayes factor against the training prior: {:.2g} (its logarithm is {}).", answer.evidence,
                            with_error_text(answer.made->log_evidence, answer.made->log_evidence_se, 2))
              : fmt::format(" Bayes factor against the training prior: {:.3g}.", answer.evidence);
  if (const std::string unchanged = unchanged_text(info, answer.made != nullptr); !unchanged.empty())
    text += " " + unchanged + ".";
  return text;
}

nlohmann::json reweighed_document(const ReweighedPosterior& answer, const TaskInfo& info, IntervalKind interval) {
  nlohmann::json out;
  if (!answer.targets.empty()) out = numbers_document(answer.targets, interval);
  if (!answer.density.empty()) out["density"] = numbers_document(answer.density, interval);
  out["prior"] = answer.prior;
  out["draws"] = answer.draws;
  out["effective"] = answer.effective;
  out["evidence_ratio"] = answer.evidence;
  if (answer.made) {
    out["log_evidence_ratio"] = answer.made->log_evidence;
    out["log_evidence_ratio_se"] = answer.made->log_evidence_se;
  }
  out["outside"] = answer.outside;
  out["anew"] = answer.made != nullptr;
  out["unchanged"] = unchanged_text(info, answer.made != nullptr);
  out["text"] = reweighed_text(answer, info, interval);
  return out;
}

}  // namespace pairs

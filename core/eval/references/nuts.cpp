#include "core/eval/references/nuts.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLostEnergy = 1000;  // energy error above which a trajectory has diverged
constexpr int kMostStarts = 100;

double log_add(double a, double b) {
  const double high = std::max(a, b);
  return high == -kInfinity ? high : high + std::log1p(std::exp(std::min(a, b) - high));
}

std::vector<double> sum_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> sum(a);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += b[i];
  return sum;
}

struct PhasePoint {
  std::vector<double> position, momentum, gradient;
  double log_density = -kInfinity;
};

// A piece of a trajectory: its ends in the order in which they were reached, the sum of its momenta, the log of its
// summed weights, and a point sampled by these.
struct Piece {
  PhasePoint first, last, drawn;
  std::vector<double> momenta;
  double log_weight = -kInfinity;
};

// Nesterov's dual averaging of the log step size, with the constants of Hoffman and Gelman.
class StepSize {
 public:
  explicit StepSize(double target) : target_(target) {}
  void restart(double start) {
    size_ = start;
    center_ = std::log(10 * start);
    count_ = error_ = log_average_ = 0;
  }
  void learn(double acceptance) {
    constexpr double kShrinkage = 0.05, kDelay = 10, kForgetting = 0.75;
    ++count_;
    const double share = 1 / (count_ + kDelay);
    error_ = (1 - share) * error_ + share * (target_ - acceptance);
    const double log_size = center_ - error_ * std::sqrt(count_) / kShrinkage, weight = std::pow(count_, -kForgetting);
    log_average_ = weight * log_size + (1 - weight) * log_average_;
    size_ = std::exp(log_size);
  }
  double size() const { return size_; }
  double averaged() const { return count_ > 0 ? std::exp(log_average_) : size_; }

 private:
  double target_, size_ = 1, center_ = 0, count_ = 0, error_ = 0, log_average_ = 0;
};

// Variance of each coordinate over a window (Welford).
class WindowVariance {
 public:
  explicit WindowVariance(std::size_t dimension) : mean_(dimension, 0), squares_(dimension, 0) {}
  void add(const std::vector<double>& at) {
    ++count_;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double change = at[i] - mean_[i];
      mean_[i] += change / count_;
      squares_[i] += change * (at[i] - mean_[i]);
    }
  }
  // Shrunk towards 0.001, as in Stan, because a window may be short.
  std::vector<double> shrunk() const {
    std::vector<double> variance(squares_);
    for (double& v : variance) v = count_ / (count_ + 5) * v / (count_ - 1) + 1e-3 * 5 / (count_ + 5);
    return variance;
  }

 private:
  double count_ = 0;
  std::vector<double> mean_, squares_;
};

// Tuning steps in which the variance is estimated, [first, end), divided into windows of doubling length.
struct Windows {
  std::int64_t first = 0, end = 0;
  std::vector<std::int64_t> ends = {};  // end of each window; the last is `end`
  bool holds(std::int64_t step) const { return step >= first && step < end; }
  bool closes_after(std::int64_t step) const { return std::find(ends.begin(), ends.end(), step + 1) != ends.end(); }
};

// The division that Stan uses: 75 steps before and 50 after, in shorter tunings 15 and 10 % of it; none if it is tiny.
Windows windows_of(std::int64_t tuning) {
  if (tuning < 20) return {};
  const bool whole = tuning >= 150;
  Windows windows{whole ? 75 : tuning * 15 / 100, tuning - (whole ? 50 : tuning / 10)};
  std::int64_t length = whole ? 25 : windows.end - windows.first;
  std::int64_t end = windows.first + length;
  while (end < windows.end) {
    windows.ends.push_back(end);
    length *= 2;
    end += length;
    if (end + 2 * length >= windows.end) end = windows.end;  // the last window includes a short remainder
  }
  windows.ends.push_back(windows.end);
  return windows;
}

class Chain {
 public:
  Chain(const LogDensity& density, const NutsSettings& settings, const std::vector<double>& center, std::uint64_t index)
      : density_(density),
        settings_(settings),
        stream_(stream_key(settings.seed, Purpose::posterior), index),
        variance_(center.size(), 1),
        step_size_(settings.target_acceptance),
        window_(center.size()) {
    begin(center);
    restart_step_size();
  }

  // Processes tuning step number `step`.
  void tune(std::int64_t step, const Windows& windows) {
    advance();
    step_size_.learn(acceptance_);
    step_ = step_size_.size();
    if (windows.holds(step)) window_.add(here_.position);
    if (windows.closes_after(step)) {
      variance_ = window_.shrunk();
      window_ = WindowVariance(variance_.size());
      restart_step_size();
    }
  }
  void end_tuning() { step_ = step_size_.averaged(); }
  void draw() { advance(); }

  const std::vector<double>& position() const { return here_.position; }
  double acceptance() const { return acceptance_; }  // mean over the points of the latest trajectory
  bool diverged() const { return diverged_; }        // whether the latest trajectory diverged
  std::int64_t gradients() const { return gradients_; }
  double step_size() const { return step_; }

 private:
  void evaluate(PhasePoint& point) {
    ++gradients_;
    point.log_density = density_(point.position, point.gradient);
  }

  void begin(const std::vector<double>& center) {
    here_.gradient.resize(center.size());
    for (int attempt = 0; attempt < kMostStarts; ++attempt) {
      here_.position = center;
      for (double& at : here_.position) at += 2 * stream_.uniform64() - 1;
      evaluate(here_);
      const auto finite = [](double value) { return std::isfinite(value); };
      if (finite(here_.log_density) && std::all_of(here_.gradient.begin(), here_.gradient.end(), finite)) return;
    }
    fail("Chains cannot begin: the density is zero or not a number at {} points within 1 of the center", kMostStarts);
  }

  double energy(const PhasePoint& point) const {
    double kinetic = 0;
    for (std::size_t i = 0; i < variance_.size(); ++i) kinetic += variance_[i] * point.momentum[i] * point.momentum[i];
    const double energy = 0.5 * kinetic - point.log_density;
    return std::isnan(energy) ? kInfinity : energy;
  }

  void refresh_momentum(PhasePoint& point) {
    point.momentum.resize(variance_.size());
    for (std::size_t i = 0; i < variance_.size(); ++i) point.momentum[i] = stream_.normal64() / std::sqrt(variance_[i]);
  }

  void leapfrog(PhasePoint& point, double step) {
    const auto kick = [&] {
      for (std::size_t i = 0; i < variance_.size(); ++i) point.momentum[i] += 0.5 * step * point.gradient[i];
    };
    kick();
    for (std::size_t i = 0; i < variance_.size(); ++i) point.position[i] += step * variance_[i] * point.momentum[i];
    evaluate(point);
    kick();
  }

  // Doubles or halves the step until one step is accepted with probability .8, and restarts tuning from there.
  void restart_step_size() {
    constexpr int kMost = 100;
    double step = step_size_.size();
    int direction = 0;
    for (int attempt = 0; attempt < kMost; ++attempt) {
      PhasePoint point = here_;
      refresh_momentum(point);
      const double before = energy(point);
      leapfrog(point, step);
      const int wanted = before - energy(point) > std::log(0.8) ? 1 : -1;
      if (direction != 0 && wanted != direction) break;
      direction = wanted;
      step = direction > 0 ? 2 * step : step / 2;
    }
    step_size_.restart(step);
    step_ = step;
  }

  bool goes_on(const PhasePoint& a, const PhasePoint& b, const std::vector<double>& momenta) const {
    double of_a = 0, of_b = 0;
    for (std::size_t i = 0; i < momenta.size(); ++i) {
      of_a += variance_[i] * a.momentum[i] * momenta[i];
      of_b += variance_[i] * b.momentum[i] * momenta[i];
    }
    return of_a > 0 && of_b > 0;
  }
  // Whether two consecutive pieces have not turned: neither together, nor one with the other's nearest end.
  bool goes_on(const Piece& a, const Piece& b) const {
    return goes_on(a.first, b.last, sum_of(a.momenta, b.momenta)) &&
           goes_on(a.first, b.first, sum_of(a.momenta, b.first.momentum)) &&
           goes_on(a.last, b.last, sum_of(b.momenta, a.last.momentum));
  }

  bool accepts(double log_ratio) { return log_ratio > 0 || stream_.uniform64() < std::exp(log_ratio); }

  // Adds 2^doublings points starting at `at`, which moves to the last one. Returns false if they turned or diverged.
  bool build(std::int64_t doublings, double step, double start_energy, PhasePoint& at, Piece& piece) {
    if (doublings == 0) return single(step, start_energy, at, piece);
    Piece second;
    if (!build(doublings - 1, step, start_energy, at, piece) || !build(doublings - 1, step, start_energy, at, second))
      return false;
    const bool valid = goes_on(piece, second);
    const double both = log_add(piece.log_weight, second.log_weight);
    if (accepts(second.log_weight - both)) piece.drawn = std::move(second.drawn);
    piece.momenta = sum_of(piece.momenta, second.momenta);
    piece.last = std::move(second.last);
    piece.log_weight = both;
    return valid;
  }

  bool single(double step, double start_energy, PhasePoint& at, Piece& piece) {
    leapfrog(at, step);
    const double lost = energy(at) - start_energy;
    ++points_;
    accepted_ += std::min(1.0, std::exp(-lost));
    diverged_ = diverged_ || lost > kLostEnergy;
    piece = {at, at, at, at.momentum, -lost};
    return lost <= kLostEnergy;
  }

  // Advances by one trajectory, and samples a point from it.
  void advance() {
    refresh_momentum(here_);
    const double start_energy = energy(here_);
    Piece all{here_, here_, here_, here_.momentum, 0};  // from its backward end to its forward one
    points_ = accepted_ = 0;
    diverged_ = false;
    for (std::int64_t doublings = 0; doublings < settings_.most_doublings; ++doublings)
      if (!doubled(doublings, start_energy, all)) break;
    here_ = std::move(all.drawn);
    acceptance_ = accepted_ / points_;
  }

  // Doubles the trajectory in a random direction; returns false if it ends.
  bool doubled(std::int64_t doublings, double start_energy, Piece& all) {
    const bool forward = stream_.uniform64() > 0.5;
    if (!forward) std::swap(all.first, all.last);
    PhasePoint at = all.last;
    Piece more;
    if (!build(doublings, forward ? step_ : -step_, start_energy, at, more)) return false;
    if (accepts(more.log_weight - all.log_weight)) all.drawn = more.drawn;
    const bool valid = goes_on(all, more);
    all.momenta = sum_of(all.momenta, more.momenta);
    all.log_weight = log_add(all.log_weight, more.log_weight);
    all.last = std::move(more.last);
    if (!forward) std::swap(all.first, all.last);
    return valid;
  }

  const LogDensity& density_;
  const NutsSettings& settings_;
  Stream stream_;
  std::vector<double> variance_;  // of the positions: the inverse of the diagonal mass matrix
  StepSize step_size_;
  WindowVariance window_;
  PhasePoint here_;
  double step_ = 0, points_ = 0, accepted_ = 0, acceptance_ = 0;
  bool diverged_ = false;
  std::int64_t gradients_ = 0;
};

void check_nuts(const NutsSettings& settings, const std::vector<double>& center) {
  PAIRS_CHECK(settings.chains >= 1 && settings.tuning >= 0 && settings.draws >= 1 && !center.empty() &&
                  settings.most_doublings >= 1,
              "MCMC needs a chain, a draw, a doubling and a coordinate at least; it was given {} chains of {} draws",
              settings.chains, settings.draws);
  PAIRS_CHECK(settings.target_acceptance > 0 && settings.target_acceptance < 1,
              "The acceptance that MCMC aims at must lie between 0 and 1; it is {}", settings.target_acceptance);
}

}  // namespace

NutsChains sample_nuts(const LogDensity& density, const std::vector<double>& center, const NutsSettings& settings,
                       const std::function<bool()>& keep_going) {
  check_nuts(settings, center);
  const auto dimension = static_cast<std::int64_t>(center.size());
  const Windows windows = windows_of(settings.tuning);
  NutsChains out;
  out.draws = at::empty({settings.chains, settings.draws, dimension}, torch::kFloat64);
  double* to = out.draws.mutable_data_ptr<double>();
  for (std::int64_t c = 0; c < settings.chains; ++c) {
    Chain chain(density, settings, center, static_cast<std::uint64_t>(c));
    double acceptance = 0;
    for (std::int64_t step = -settings.tuning; step < settings.draws; ++step) {
      if (keep_going && step % 100 == 0 && !keep_going()) throw Stopped();
      if (step == 0) chain.end_tuning();
      if (step < 0) {
        chain.tune(step + settings.tuning, windows);
        continue;
      }
      chain.draw();
      acceptance += chain.acceptance();
      out.divergences += chain.diverged() ? 1 : 0;
      to = std::copy(chain.position().begin(), chain.position().end(), to);
    }
    out.gradients += chain.gradients();
    out.acceptance.push_back(acceptance / static_cast<double>(settings.draws));
    out.step_size.push_back(chain.step_size());
  }
  return out;
}

}  // namespace pairs

#include "tasks/digits.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>

#include "core/base/error.h"
#include "render/digit_warp.h"
#include "tasks/digit_images.h"
#include "tasks/rows.h"

namespace pairs {
namespace {

// An observation's class, image and noise level come from this item of its set's stream, its pixels from the plain one.
constexpr std::uint64_t choice_item = 1ull << 46;

// Where a set's own part of each class begins comes from this item.
constexpr std::uint64_t part_item = latent_item + 1;
constexpr std::int64_t parts = 6;

constexpr double concentration(int digit) {
  return digit == 6 || digit == 9 ? 2.5 : 0.25;
}

class Digits final : public Task {
 public:
  explicit Digits(const std::string& data) {
    if (!data.empty()) source_ = read_mnist(data);
    info_.name = "digits";
    info_.title = "Digit expectation";
    info_.summary = "The expected value of digits that are all turned by the same unknown angle.";
    info_.theta_text = "θ is the expected digit Σ k·pₖ, where the probabilities p favour sixes and nines.";
    info_.psi_text = "ψ is the angle by which every image of a set is turned, beside the ten probabilities themselves.";
    info_.x_text = "Each x is a noisy 28 × 28 image of a digit drawn from p; a nine is a six upside down.";
    // Mean and sd of Σ k p_k under the Dirichlet: E k = 5.5, and (E k² − 5.5²) / (7 + 1) with Σ α = 7.
    double total = 0.0, first = 0.0, second = 0.0;
    for (int k = 0; k < 10; ++k) {
      total += concentration(k);
      first += k * concentration(k);
      second += k * k * concentration(k);
    }
    const double mean = first / total, variance = (second / total - mean * mean) / (total + 1.0);
    info_.targets = {{"theta", "θ", "", 0.0, 9.0, mean, std::sqrt(variance), 9.0, 0.0, 9.0}};
    info_.nuisances = {{"angle", "angle", "rad", 0.0, 2.0 * std::numbers::pi}};
    constexpr const char* kLabels[10] = {"p₀", "p₁", "p₂", "p₃", "p₄", "p₅", "p₆", "p₇", "p₈", "p₉"};
    for (int k = 0; k < 10; ++k) info_.nuisances.push_back({fmt::format("p{}", k), kLabels[k], "", 0.0, 1.0});
    info_.max_n = 1000;
    info_.kind = ObservationKind::image;
    info_.observation_shape = {1, 28, 28};
    info_.data_source = source_ != nullptr ? source_->name : "generated digits";
    if (source_ == nullptr)
      info_.data_hint =
          "These digits are drawn by the program: for handwritten ones, name the folder of MNIST's four IDX files (as "
          "they are distributed, gzipped or not) in PAIRS_DATA before the start.";
  }

  const TaskInfo& info() const override { return info_; }

  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    return draw_latents(info_, seed, purpose, indices, [](Stream& stream, double* theta, double* psi) {
      psi[0] = 2.0 * std::numbers::pi * stream.uniform64();
      double total = 0.0;
      for (int k = 0; k < 10; ++k) total += psi[k + 1] = stream.gamma64(concentration(k));
      theta[0] = 0.0;
      for (int k = 0; k < 10; ++k) theta[0] += k * (psi[k + 1] /= total);
    });
  }

  torch::Tensor observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                        const torch::Device& device) const override {
    const std::uint64_t key = stream_key(seed, purpose);
    const Rows rows(ranges, latents, info_);
    const bool test = purpose == Purpose::test, in_parts = purpose == Purpose::finetune;
    const DigitSource& source = digits();
    const DigitImages& pool = test ? source.test : source.train;
    const double* psi = latents.psi.const_data_ptr<double>();
    const std::int64_t total = rows.total();
    const auto longs = [total] { return at::empty({total}, torch::kInt64); };
    const auto floats = [total] { return at::empty({total}, torch::kFloat32); };
    torch::Tensor pick = longs(), set = longs(), item = longs(), angle = floats(), sigma = floats();
    auto* picks = pick.mutable_data_ptr<std::int64_t>();
    auto* sets = set.mutable_data_ptr<std::int64_t>();
    auto* items = item.mutable_data_ptr<std::int64_t>();
    auto* angles = angle.mutable_data_ptr<float>();
    auto* sigmas = sigma.mutable_data_ptr<float>();
    at::parallel_for(0, total, 1024, [&](std::int64_t begin, std::int64_t end) {
      rows.pieces(begin, end, [&](std::size_t k, std::int64_t first, std::int64_t count, std::int64_t at) {
        const double* row = psi + 11 * k;
        std::array<double, 10> start{};
        if (in_parts) {
          Stream stream(key, static_cast<std::uint64_t>(ranges[k].index), part_item);
          for (double& at_class : start) at_class = stream.uniform64();
        }
        for (std::int64_t j = 0; j < count; ++j) {
          const auto number = static_cast<std::uint64_t>(first + j);
          Stream stream(key, static_cast<std::uint64_t>(ranges[k].index), choice_item + number);
          const double u = stream.uniform64();
          int digit = 0;
          for (double below = row[1]; u >= below && digit < 9; below += row[digit + 1]) ++digit;
          const auto drawn = static_cast<std::size_t>(digit == 9 ? 6 : digit);
          const std::int64_t low = pool.first[drawn], high = pool.first[drawn + 1];
          const std::int64_t all = high - low, choice = in_parts ? std::max<std::int64_t>(1, all / parts) : all;
          const auto image = static_cast<std::int64_t>(start[drawn] * static_cast<double>(all)) +
                             static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(choice)));
          picks[at + j] = low + image % all;
          sigmas[at + j] = 0.1f + 0.2f * stream.uniform();
          angles[at + j] = static_cast<float>(digit == 9 ? row[0] + std::numbers::pi : row[0]);
          sets[at + j] = ranges[k].index;
          items[at + j] = first + j;
        }
      });
    });
    return render::warp_digits(images_on(device, test, pool), pick.to(device), angle.to(device), sigma.to(device),
                               set.to(device), item.to(device), key);
  }

  // Another angle changes nothing else. Another pₖ scales the other probabilities, and θ follows. Another θ tilts the
  // probabilities, pₖ ∝ pₖ exp(λ k), until their mean is θ.
  void settle(Latents& latents, Component changed) const override {
    auto* theta = latents.theta.mutable_data_ptr<double>();
    auto* psi = latents.psi.mutable_data_ptr<double>();
    double* p = psi + 1;
    if (changed.nuisance && changed.index == 0) return;
    if (changed.nuisance) {
      const std::int64_t kept = changed.index - 1;
      p[kept] = std::clamp(p[kept], 0.0, 1.0);
      double others = 0;
      for (int k = 0; k < 10; ++k)
        if (k != kept) others += p[k];
      for (int k = 0; k < 10; ++k)
        if (k != kept) p[k] = others > 0 ? p[k] * (1 - p[kept]) / others : (1 - p[kept]) / 9;
    } else {
      tilt(p, std::clamp(theta[0], 0.02, 8.98));
    }
    theta[0] = 0;
    for (int k = 0; k < 10; ++k) theta[0] += k * p[k];
  }

 private:
  // Gives the ten probabilities the mean `wanted`. A trace of every digit is added, so that any mean can be reached.
  static void tilt(double* p, double wanted) {
    const std::array<double, 10> from = [&] {
      std::array<double, 10> out;
      for (std::size_t k = 0; k < 10; ++k) out[k] = p[k] + 1e-4;
      return out;
    }();
    double low = -30, high = 30;
    for (int step = 0; step < 60; ++step) {
      const double slope = (low + high) / 2;
      double total = 0, mean = 0;
      for (int k = 0; k < 10; ++k) {
        p[k] = from[static_cast<std::size_t>(k)] * std::exp(slope * (slope > 0 ? k - 9 : k));
        total += p[k];
        mean += k * p[k];
      }
      for (int k = 0; k < 10; ++k) p[k] /= total;
      (mean < wanted * total ? low : high) = slope;
    }
  }

  const DigitSource& digits() const { return source_ != nullptr ? *source_ : *generated_digits(); }

  // The pool on a device, copied there once.
  torch::Tensor images_on(const torch::Device& device, bool test, const DigitImages& pool) const {
    if (device.is_cpu()) return pool.images;
    const std::lock_guard lock(mutex_);
    torch::Tensor& copy = copies_[{device.str(), test}];
    if (!copy.defined()) copy = pool.images.to(device);
    return copy;
  }

  std::shared_ptr<const DigitSource> source_;  // null: generated, on first use
  TaskInfo info_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::string, bool>, torch::Tensor> copies_;
};

}  // namespace

std::shared_ptr<const Task> make_digits(const std::string& data) {
  return std::make_shared<Digits>(data);
}

}  // namespace pairs

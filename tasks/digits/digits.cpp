#include "tasks/digits/digits.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "render/digit_warp.h"
#include "tasks/digits/glyphs.h"
#include "tasks/digits/images.h"
#include "tasks/parts/rows.h"

namespace pairs {
namespace {

// An observation's class, image and noise level come from this item of its set's stream, its pixels from its own item.
constexpr std::uint64_t choice_item = index_map::kChoiceItem;

// The start of a set's part of each class comes from this item.
constexpr std::uint64_t part_item = index_map::kSetItem;

// The images of a class that a purpose uses, as shares of a data set's split, and the part of them that each set uses:
// 1 / parts of them, adjacent in the file.
struct Share {
  bool test = false;
  double begin = 0, end = 1;
  int parts = 1;
};

// Stage 1, stages 2 and 3, and validation (with sets for display) divide the training images; tests use the test split.
Share share_of(Purpose purpose) {
  switch (purpose) {
    case Purpose::pretrain:
      return {.begin = 0, .end = 0.4};
    case Purpose::finetune:
      return {.begin = 0.4, .end = 0.9, .parts = 5};
    case Purpose::test:
      return {.test = true};
    default:
      return {.begin = 0.9, .end = 1};
  }
}

constexpr double concentration(int digit) {
  return digit == 6 || digit == 9 ? 2.5 : 0.25;
}

// The digit whose images represent a digit.
constexpr int image_of(int digit) {
  return digit == 9 ? 6 : digit;
}

class Digits final : public Task {
 public:
  explicit Digits(const std::string& data) {
    if (!data.empty()) source_ = read_mnist(data);
    info_.name = "digits";
    info_.title = "Digit expectation";
    info_.summary = "The expected value of digits that are all turned by the same unknown angle.";
    info_.theta_text = "θ is the expected digit Σ k·pₖ, where the probabilities p favor sixes and nines.";
    info_.psi_text =
        "ψ is the angle by which every image of a set is turned, besides the ten probabilities themselves.";
    info_.x_text = "Each x is a noisy 28 × 28 image of a digit drawn from p; a nine is a six upside down.";
    // Mean and sd of Σ k p_k under the Dirichlet: E k = 5.5, and (E k² − 5.5²) / (7 + 1) with Σ α = 7.
    double total = 0.0, first = 0.0, second = 0.0;
    for (int k = 0; k < 10; ++k) {
      total += concentration(k);
      first += k * concentration(k);
      second += k * k * concentration(k);
    }
    const double mean = first / total, variance = (second / total - mean * mean) / (total + 1.0);
    info_.targets = {{"theta", "θ", "", 0.0, 9.0, mean, std::sqrt(variance), 9.0, 0.0, 9.0, "expected digit"}};
    info_.nuisances = {{"angle", "angle", "rad", 0.0, 2.0 * std::numbers::pi, -1, "of every image"}};
    constexpr const char* kLabels[10] = {"p₀", "p₁", "p₂", "p₃", "p₄", "p₅", "p₆", "p₇", "p₈", "p₉"};
    for (int k = 0; k < 10; ++k)
      info_.nuisances.push_back({fmt::format("p{}", k), kLabels[k], "", 0.0, 1.0, -1, fmt::format("share of {}s", k)});
    info_.question = {
        "Which expected digit θ lies behind this image? Its angle and the digits' shares are unknown, too.",
        "Which expected digit θ do these {} images share? Their angle and the digits' shares are "
        "unknown, too."};
    info_.max_n = 1000;
    info_.kind = ObservationKind::image;
    info_.observation_shape = {1, 28, 28};
    info_.data_source = source_ != nullptr ? source_->name : "generated digits";
    if (source_ == nullptr)
      info_.data_hint =
          "These digits are drawn by the program: for handwritten ones, name the folder of MNIST's four IDX files (as "
          "they are distributed, gzipped or not) under Real data on the window's Settings page, or in PAIRS_DATA "
          "before the start.";
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

  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    const Rows rows(ranges, latents, info_);
    const Draws draws = draw(latents, seed, purpose, ranges, rows);
    const torch::Tensor images =
        source_ ? images_on(device, share_of(purpose).test) : send(glyphs(draws, seed, purpose), device);
    return render::warp_digits(images, send(draws.pick, device), send(draws.angle, device), send(draws.sigma, device),
                               send(draws.set, device), send(draws.item, device), stream_key(seed, purpose));
  }

  PoolDraws pool_draws(const Latents& latents, std::uint64_t seed, Purpose purpose,
                       std::span<const SetRange> ranges) const override {
    if (!source_) return {};
    const Draws draws = draw(latents, seed, purpose, ranges, Rows(ranges, latents, info_));
    const Share share = share_of(purpose), training = share_of(Purpose::finetune);
    const double trained = (training.end - training.begin) * static_cast<double>(pool(false).images.size(0));
    return {draws.pick, draws.digit, pool(share.test).images.size(0), share.test ? std::llround(trained) : 0};
  }

  // Changing the angle changes nothing else. Changing pₖ scales the other probabilities, and θ follows. Changing θ
  // tilts the probabilities, pₖ ∝ pₖ exp(λ k), until their mean is θ.
  void constrain(Latents& latents, Component changed) const override {
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
  // Gives the ten probabilities the mean `wanted`. A trace of every digit is added, so that any mean is possible.
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

  // The components of each observation, one row each.
  struct Draws {
    torch::Tensor pick;          // [M] int64: row of the images; for generated ones, the observation's own row
    torch::Tensor digit;         // [M] int64: a nine is an image of a six
    torch::Tensor set, item;     // [M] int64
    torch::Tensor angle, sigma;  // [M] float32
  };

  Draws draw(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
             const Rows& rows) const {
    const std::uint64_t key = stream_key(seed, purpose);
    const Share share = share_of(purpose);
    const double* psi = latents.psi.const_data_ptr<double>();
    const std::int64_t total = rows.total();
    const auto longs = [total] { return at::empty({total}, torch::kInt64); };
    const auto floats = [total] { return at::empty({total}, torch::kFloat32); };
    Draws out{longs(), longs(), longs(), longs(), floats(), floats()};
    auto* picks = out.pick.mutable_data_ptr<std::int64_t>();
    auto* digits = out.digit.mutable_data_ptr<std::int64_t>();
    auto* sets = out.set.mutable_data_ptr<std::int64_t>();
    auto* items = out.item.mutable_data_ptr<std::int64_t>();
    auto* angles = out.angle.mutable_data_ptr<float>();
    auto* sigmas = out.sigma.mutable_data_ptr<float>();
    at::parallel_for(0, total, 1024, [&](std::int64_t begin, std::int64_t end) {
      rows.pieces(begin, end, [&](std::size_t k, std::int64_t first, std::int64_t count, std::int64_t at) {
        const double* row = psi + 11 * k;
        std::array<double, 10> start{};
        if (share.parts > 1) {
          Stream stream(key, static_cast<std::uint64_t>(ranges[k].index), part_item);
          for (double& at_class : start) at_class = stream.uniform64();
        }
        for (std::int64_t j = 0; j < count; ++j) {
          const auto number = static_cast<std::uint64_t>(first + j);
          Stream stream(key, static_cast<std::uint64_t>(ranges[k].index), choice_item + number);
          const double u = stream.uniform64();
          int digit = 0;
          for (double below = row[1]; u >= below && digit < 9; below += row[digit + 1]) ++digit;
          const int drawn = image_of(digit);
          picks[at + j] =
              source_ ? choose(pool(share.test), share, static_cast<std::size_t>(drawn), start, stream) : at + j;
          digits[at + j] = digit;
          sigmas[at + j] = 0.1f + 0.2f * stream.uniform();
          angles[at + j] = static_cast<float>(digit == 9 ? row[0] + std::numbers::pi : row[0]);
          sets[at + j] = ranges[k].index;
          items[at + j] = first + j;
        }
      });
    });
    return out;
  }

  // A row of the images of class `drawn` within the share, in the set's own part if sets have parts.
  static std::int64_t choose(const DigitImages& pool, const Share& share, std::size_t drawn,
                             const std::array<double, 10>& start, Stream& stream) {
    const auto images = static_cast<double>(pool.first[drawn + 1] - pool.first[drawn]);
    const auto low = static_cast<std::int64_t>(share.begin * images),
               high = static_cast<std::int64_t>(share.end * images);
    const std::int64_t all = std::max<std::int64_t>(1, high - low), part = std::max<std::int64_t>(1, all / share.parts);
    const auto image = static_cast<std::int64_t>(start[drawn] * static_cast<double>(all)) +
                       static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(part)));
    return pool.first[drawn] + std::min(low, static_cast<std::int64_t>(images) - 1) + image % all;
  }

  // A new digit for each observation: a pure function of (seed, purpose, set, item). [M, 28, 28] uint8.
  static torch::Tensor glyphs(const Draws& draws, std::uint64_t seed, Purpose purpose) {
    const std::int64_t total = draws.pick.size(0), pixels = glyph_side * glyph_side;
    const std::uint64_t key = stream_key(stream_key(seed, purpose), Purpose::glyph);
    const auto* digits = draws.digit.const_data_ptr<std::int64_t>();
    const auto* sets = draws.set.const_data_ptr<std::int64_t>();
    const auto* items = draws.item.const_data_ptr<std::int64_t>();
    torch::Tensor images = at::empty({total, glyph_side, glyph_side}, torch::kUInt8);
    auto* out = images.mutable_data_ptr<std::uint8_t>();
    at::parallel_for(0, total, 64, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        draw_glyph(stream_key(key + static_cast<std::uint64_t>(sets[i]), Purpose::glyph),
                   static_cast<std::uint64_t>(items[i]), image_of(static_cast<int>(digits[i])),
                   {out + i * pixels, static_cast<std::size_t>(pixels)});
    });
    return images;
  }

  const DigitImages& pool(bool test) const { return test ? source_->test : source_->train; }

  // A split's images on a device, copied there once.
  torch::Tensor images_on(const torch::Device& device, bool test) const {
    if (device.is_cpu()) return pool(test).images;
    const std::lock_guard lock(mutex_);
    torch::Tensor& copy = copies_[{device.str(), test}];
    if (!copy.defined()) copy = pool(test).images.to(device);
    return copy;
  }

  std::shared_ptr<const DigitSource> source_;  // null: every observation is drawn as a new glyph
  TaskInfo info_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::string, bool>, torch::Tensor> copies_;
};

}  // namespace

std::shared_ptr<const Task> make_digits(const std::string& data) {
  return std::make_shared<Digits>(data);
}

}  // namespace pairs

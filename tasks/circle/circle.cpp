#include "tasks/circle/circle.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/prior_density.h"
#include "core/target_choice.h"
#include "render/circle_raster.h"
#include "tasks/parts/outlines.h"
#include "tasks/parts/rows.h"

namespace pairs {

std::vector<Field> CircleSettings::fields() {
  return {
      {"center_low", &center_low, "Least coordinate of a circle's center in pixels of the 64 × 64 image", -64, 128},
      {"center_high", &center_high, "Largest coordinate of a circle's center", -64, 128},
      {"line", &line, "Width of the lines in pixels", 0.25, 16},
      {"distractors", &distractors, "Circles besides the target in each image", 0, render::max_circles - 1},
  };
}

namespace {

constexpr std::int64_t side = 64;
constexpr double radius_low = 15, radius_high = 50;

class Circle final : public Task, public Outlines, public HasPriorDensity, public ChoosesTargets {
 public:
  explicit Circle(const CircleSettings& settings) : settings_(settings) {
    if (!(settings.center_low < settings.center_high))
      fail_usage("{} = {} must lie below {} = {}", "task.center_low"_key, settings.center_low, "task.center_high"_key,
                 settings.center_high);
    info_.name = "circle";
    info_.title = "Circle radius";
    info_.summary = "The radius of the one circle that all images of a set share, among others that vary.";
    info_.theta_text = fmt::format("θ is the radius of the circle at the same place in every image, {} to {} pixels.",
                                   radius_low, radius_high);
    info_.psi_text = "ψ is the place of that circle's center.";
    info_.x_text =
        fmt::format("Each x is an image of {0} × {0} pixels, white on black, with that circle and {1} drawn anew.",
                    side, settings.distractors == 1 ? "another one" : fmt::format("{} others", settings.distractors));
    const double middle = (radius_low + radius_high) / 2, range = radius_high - radius_low;
    info_.targets = {{"radius", "θ", "px", radius_low, radius_high, middle, range / std::sqrt(12.0), range, radius_low,
                      radius_high, "radius"}};
    for (const char* axis : {"x", "y"})
      info_.nuisances.push_back({axis, axis, "px", settings.center_low, settings.center_high, -1, "of its center"});
    info_.question = {"What is the radius θ of the target circle in this image? Its place is unknown, too.",
                      "What is the radius θ of the circle that these {} images share? Its place is unknown, too."};
    info_.max_n = 1000;
    info_.kind = ObservationKind::image;
    info_.observation_shape = {1, side, side};
    info_.data_source = "simulated";
    info_.rotation_invariant = settings.center_low + settings.center_high == side;
    if (const CircleSettings usual; settings.center_low != usual.center_low ||
                                    settings.center_high != usual.center_high || settings.line != usual.line ||
                                    settings.distractors != usual.distractors)
      info_.variant = fmt::format("centers {} to {}, lines {}, distractors {}", settings.center_low,
                                  settings.center_high, settings.line, settings.distractors);
  }

  const TaskInfo& info() const override { return info_; }

  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    return draw_latents(info_, seed, purpose, indices,
                        [this](Stream& stream, double* theta, double* psi) { draw(stream, psi[0], psi[1], theta[0]); });
  }

  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    const Rows rows(ranges, latents, info_);
    const std::uint64_t key = stream_key(seed, purpose);
    const std::int64_t total = rows.total(), count = 1 + settings_.distractors;
    torch::Tensor circles = at::empty({total, count, 3}, torch::kFloat32);
    const double *theta = latents.theta.const_data_ptr<double>(), *psi = latents.psi.const_data_ptr<double>();
    auto* out = circles.mutable_data_ptr<float>();
    at::parallel_for(0, total, 1024, [&](std::int64_t begin, std::int64_t end) {
      rows.pieces(begin, end, [&](std::size_t k, std::int64_t first, std::int64_t items, std::int64_t at) {
        for (std::int64_t j = 0; j < items; ++j) {
          float* circle = out + (at + j) * count * 3;
          const auto put = [&circle](double x, double y, double radius) {
            *circle++ = static_cast<float>(x);
            *circle++ = static_cast<float>(y);
            *circle++ = static_cast<float>(radius);
          };
          put(psi[2 * k], psi[2 * k + 1], theta[k]);
          Stream stream(key, static_cast<std::uint64_t>(ranges[k].index), static_cast<std::uint64_t>(first + j));
          for (std::int64_t d = 0; d < settings_.distractors; ++d) {
            double x = 0, y = 0, radius = 0;
            draw(stream, x, y, radius);
            put(x, y, radius);
          }
        }
      });
    });
    return render::draw_circles(send(circles, device), {side, side, settings_.line});
  }

  void constrain(Latents& latents, Component) const override {
    auto* theta = latents.theta.mutable_data_ptr<double>();
    auto* psi = latents.psi.mutable_data_ptr<double>();
    theta[0] = std::clamp(theta[0], radius_low, radius_high);
    for (int d = 0; d < 2; ++d) psi[d] = std::clamp(psi[d], settings_.center_low, settings_.center_high);
  }

  std::vector<Outline> outlines(std::span<const double> theta, std::span<const double> psi) const override {
    constexpr int points = 180;
    Outline circle;
    for (int i = 0; i <= points; ++i) {
      const double angle = 2 * std::numbers::pi * i / points;
      circle.x.push_back(psi[0] + theta[0] * std::cos(angle));
      circle.y.push_back(psi[1] + theta[0] * std::sin(angle));
    }
    return {circle};
  }

  torch::Tensor log_prior(const torch::Tensor& theta) const override { return uniform_log_prior(info_, theta); }

  std::vector<std::optional<NuisanceTarget>> nuisance_targets() const override {
    const double low = settings_.center_low, high = settings_.center_high;
    const NuisanceTarget center{low, high, (low + high) / 2, (high - low) / std::sqrt(12.0), high - low};
    return {center, center};
  }

 private:
  // Draws a circle from the prior.
  void draw(Stream& stream, double& x, double& y, double& radius) const {
    const double range = settings_.center_high - settings_.center_low;
    x = settings_.center_low + range * stream.uniform64();
    y = settings_.center_low + range * stream.uniform64();
    radius = radius_low + (radius_high - radius_low) * stream.uniform64();
  }

  CircleSettings settings_;
  TaskInfo info_;
};

}  // namespace

std::shared_ptr<const Task> make_circle(const CircleSettings& settings) {
  return std::make_shared<Circle>(settings);
}

}  // namespace pairs

#include "tasks/novel_view/novel_view.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/atan2.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "core/base/gpu/transfer.h"
#include "core/base/numbers/fast_normal.h"
#include "core/base/text/error.h"
#include "render/ray_map.h"
#include "render/scene_edit.h"
#include "render/sphere_caster.h"
#include "tasks/parts/rows.h"

namespace pairs {
namespace {

using std::numbers::pi;

// A set's target camera is drawn from this item, and that of observation j from item j.
constexpr std::uint64_t target_item = index_map::kSetItem;

render::CastOptions cast_options(const NovelViewSettings& options) {
  return {.height = options.size, .width = options.size, .half_width = options.half_width};
}

// Axes of cameras [V, 2] -> [V, 3 (right, up, forward), 3] float64.
torch::Tensor axes(const torch::Tensor& cameras) {
  const torch::Tensor a = cameras.select(1, 0), e = cameras.select(1, 1);
  const torch::Tensor ca = a.cos(), sa = a.sin(), ce = e.cos(), se = e.sin(), zero = at::zeros_like(a);
  return at::stack(
      {at::stack({-sa, ca, zero}, 1), at::stack({-se * ca, -se * sa, ce}, 1), at::stack({-ce * ca, -ce * sa, -se}, 1)},
      1);
}

// Ray maps of cameras [V, 2] for sets with target cameras [V, 2]: [V, C, size, size] on `device`.
torch::Tensor maps(const NovelViewSettings& options, const torch::Tensor& cameras, const torch::Tensor& targets,
                   const torch::Device& device) {
  const torch::Tensor world =
      render::ray_map(cameras, render::ray_map_named(options.map), options.size, options.size, device);
  if (options.frame == "world") return world;
  // Vectors and moments transform like the axes.
  const std::int64_t views = world.size(0), vectors = world.size(1) / 3;
  const torch::Tensor turn = axes(send(targets.to(torch::kFloat64), device)).to(torch::kFloat32);
  return at::matmul(turn.unsqueeze(1), world.reshape({views, vectors, 3, options.size * options.size}))
      .reshape(world.sizes());
}

// given [B, 4] -> cameras [B, 2] float64 on its device.
torch::Tensor cameras_of_given(const torch::Tensor& given) {
  const torch::Tensor g = given.to(torch::kFloat64);
  return at::stack({at::atan2(g.select(1, 1), g.select(1, 0)), at::atan2(g.select(1, 2), g.select(1, 3))}, 1);
}

void write_given(const render::Camera& camera, double* out) {
  out[0] = std::cos(camera.azimuth);
  out[1] = std::sin(camera.azimuth);
  out[2] = std::sin(camera.elevation);
  out[3] = std::cos(camera.elevation);
}

class NovelView final : public Task, public SceneViews {
 public:
  explicit NovelView(const NovelViewSettings& options) : options_(options) {
    render::ray_map_named(options.map);
    info_.name = "novel-view";
    info_.title = "Novel views";
    info_.summary = "What a new camera would see of a scene of colored spheres, inferred from views of other cameras.";
    info_.theta_text = "θ is the image that the target camera sees.";
    info_.psi_text =
        "ψ is the scene: where the spheres are, how large and of which color, where the light comes from, and the "
        "background.";
    info_.x_text =
        fmt::format("Each x is a view of {0} × {0} pixels from a known camera above the scene.", options.size);
    info_.question = {"What would the target camera see (θ) of the scene (ψ) in this view?",
                      "What would the target camera see (θ) of the scene (ψ) that these {} views share?"};
    for (std::int64_t s = 1; s <= options.spheres; ++s) {
      const auto add = [&](const char* name, const std::string& label, double low, double high) {
        info_.nuisances.push_back({fmt::format("{}{}", name, s), fmt::format("{} {}", label, s), "", low, high});
      };
      const double reach = render::prior_limits.center;
      add("x", "x of sphere", -reach, reach);
      add("y", "y of sphere", -reach, reach);
      add("z", "z of sphere", -reach, reach);
      add("radius", "radius of sphere", render::prior_limits.radius_low, render::prior_limits.radius_high);
      add("red", "red of sphere", 0, 1);
      add("green", "green of sphere", 0, 1);
      add("blue", "blue of sphere", 0, 1);
    }
    info_.nuisances.push_back({"light_azimuth", "light's azimuth", "rad", 0, 2 * pi});
    info_.nuisances.push_back({"light_elevation", "light's elevation", "rad", render::scene_prior.light_elevation.low,
                               render::scene_prior.light_elevation.high});
    for (const char* color : {"red", "green", "blue"})
      info_.nuisances.push_back({fmt::format("background_{}", color), fmt::format("{} of background", color), "",
                                 render::scene_prior.background.low, render::scene_prior.background.high});
    info_.max_n = 100;
    info_.kind = ObservationKind::image;
    const std::int64_t channels = render::ray_map_channels(render::ray_map_named(options.map));
    info_.observation_shape = {3 + channels, options.size, options.size};
    info_.data_source = fmt::format("{0} sphere{1}, {2} × {2} pixels, half-width {3}", options.spheres,
                                    options.spheres == 1 ? "" : "s", options.size, options.half_width);
    info_.target_kind = TargetKind::image;
    info_.image = {.channels = 3, .height = options.size, .width = options.size, .map_channels = channels};
    info_.given = {{"cos_azimuth", "cos of the target's azimuth"},
                   {"sin_azimuth", "sin of the target's azimuth"},
                   {"sin_elevation", "sin of the target's elevation"},
                   {"cos_elevation", "cos of the target's elevation"}};
    if (options.scale == "signed")
      info_.image.location = info_.image.scale = 0.5;
    else
      std::tie(info_.image.location, info_.image.scale) = pixel_moments();
  }

  const TaskInfo& info() const override { return info_; }

  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    const auto sets = static_cast<std::int64_t>(indices.size());
    Latents out;
    out.psi = at::empty({sets, render::scene_columns(options_.spheres)}, torch::kFloat64);
    out.given = at::empty({sets, 4}, torch::kFloat64);
    auto* psi = out.psi.mutable_data_ptr<double>();
    auto* given = out.given.mutable_data_ptr<double>();
    for (std::int64_t i = 0; i < sets; ++i) {
      const auto index = static_cast<std::uint64_t>(indices[static_cast<std::size_t>(i)]);
      render::pack_scene(render::draw_scene(seed, purpose, index, options_.spheres), psi + i * out.psi.size(1));
      write_given(render::draw_camera(seed, purpose, index, target_item), given + 4 * i);
    }
    out.theta = target_views(out.psi, out.given);
    return out;
  }

  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    const Rows rows(ranges, latents, info_);
    PAIRS_CHECK(latents.given.defined() && latents.given.size(0) == latents.psi.size(0) && latents.given.size(1) == 4,
                "novel-view: {} sets need their target cameras as given [{}, 4]", ranges.size(), ranges.size());
    const std::int64_t total = rows.total(), pixels = 3 * options_.size * options_.size;
    torch::Tensor cameras = at::empty({total, 2}, torch::kFloat64), owner = at::empty({total}, torch::kInt64);
    auto* camera = cameras.mutable_data_ptr<double>();
    auto* owners = owner.mutable_data_ptr<std::int64_t>();
    rows.pieces(0, total, [&](std::size_t k, std::int64_t first, std::int64_t count, std::int64_t at) {
      for (std::int64_t j = 0; j < count; ++j) {
        const render::Camera drawn = render::draw_camera(seed, purpose, static_cast<std::uint64_t>(ranges[k].index),
                                                         static_cast<std::uint64_t>(first + j));
        camera[2 * (at + j)] = drawn.azimuth;
        camera[2 * (at + j) + 1] = drawn.elevation;
        owners[at + j] = static_cast<std::int64_t>(k);
      }
    });
    torch::Tensor images = render::cast_spheres(latents.psi, cameras, owner, cast_options(options_), device);
    const bool training = purpose == Purpose::pretrain || purpose == Purpose::finetune ||
                          purpose == Purpose::pretrain_validation || purpose == Purpose::finetune_validation;
    if (training && options_.noise > 0) {
      const std::uint64_t key = stream_key(seed, purpose);
      torch::Tensor noise = at::empty(images.sizes(), torch::kFloat32);
      auto* out = noise.mutable_data_ptr<float>();
      at::parallel_for(0, total, 4, [&](std::int64_t begin, std::int64_t end) {
        rows.pieces(begin, end, [&](std::size_t k, std::int64_t first, std::int64_t count, std::int64_t at) {
          fill_normals(key, static_cast<std::uint64_t>(ranges[k].index), static_cast<std::uint64_t>(first), count,
                       pixels, out + at * pixels);
        });
      });
      images.add_(send(noise, device), options_.noise);
    }
    const torch::Tensor targets = cameras_of_given(latents.given).index_select(0, owner);
    return at::cat({images, maps(options_, cameras, targets, device)}, 1);
  }

  // Keeps an edited scene valid: see render::settle_scene. θ follows.
  void constrain(Latents& latents, Component changed) const override {
    render::SphereScene scene = render::unpack_scene(latents.psi[0]);
    const std::int64_t sphere = changed.nuisance ? changed.index / 7 : options_.spheres;
    render::settle_scene(scene, sphere < options_.spheres ? static_cast<std::size_t>(sphere) : scene.spheres.size());
    render::pack_scene(scene, latents.psi.mutable_data_ptr<double>());
    latents.theta = target_views(latents.psi, latents.given);
  }

  torch::Tensor target_map(const torch::Tensor& given) const override {
    const torch::Tensor cameras = cameras_of_given(given);
    return maps(options_, cameras, cameras, given.device());
  }

  std::int64_t spheres() const override { return options_.spheres; }
  render::CastOptions cast() const override { return cast_options(options_); }
  bool follow_target() const override { return options_.frame == "target"; }

  torch::Tensor observations(const torch::Tensor& images, const torch::Tensor& cameras,
                             const render::Camera& target) const override {
    const std::int64_t size = options_.size;
    PAIRS_CHECK(images.dim() == 4 && images.size(1) == 3 && images.size(2) == size && images.size(3) == size,
                "The views are {} but this estimator needs color images of {} × {} pixels; resize them",
                images.dim() == 4
                    ? fmt::format("{} × {} pixels of {} channels", images.size(3), images.size(2), images.size(1))
                    : fmt::format("of {} dimensions", images.dim()),
                size, size);
    const std::int64_t views = images.size(0);
    PAIRS_CHECK(cameras.dim() == 2 && cameras.size(0) == views && cameras.size(1) == 2,
                "{} views need {} cameras (azimuth, elevation)", views, views);
    const torch::Tensor where = cameras.to(torch::kCPU, torch::kFloat64).contiguous();
    const auto* angles = where.const_data_ptr<double>();
    for (std::int64_t v = 0; v < views; ++v) render::check_camera({angles[2 * v], angles[2 * v + 1]});
    render::check_camera(target);
    const torch::Tensor targets =
        at::tensor({target.azimuth, target.elevation}, torch::kFloat64).expand({views, 2}).contiguous();
    return at::cat({images, maps(options_, where, targets, images.device())}, 1);
  }

  torch::Tensor given(const render::Camera& target) const override {
    torch::Tensor given = at::empty({1, 4}, torch::kFloat64);
    write_given(target, given.mutable_data_ptr<double>());
    return given;
  }

  render::Camera target(const torch::Tensor& given) const override {
    const torch::Tensor row = given.to(torch::kCPU, torch::kFloat64).reshape({4}), squares = row.square();
    const auto at = [](const torch::Tensor& t, std::int64_t k) { return t[k].item<double>(); };
    constexpr double rounding = 1e-3;
    PAIRS_CHECK(std::abs(at(squares, 0) + at(squares, 1) - 1) < rounding &&
                    std::abs(at(squares, 2) + at(squares, 3) - 1) < rounding && at(row, 3) > -rounding,
                "({}, {}, {}, {}) is no camera; give the cosine and sine of its azimuth and the sine and cosine of its "
                "elevation",
                at(row, 0), at(row, 1), at(row, 2), at(row, 3));
    const torch::Tensor camera = cameras_of_given(row.unsqueeze(0));
    return {camera[0][0].item<double>(), camera[0][1].item<double>()};
  }

  torch::Tensor target_views(const torch::Tensor& scenes, const torch::Tensor& given) const override {
    const std::int64_t sets = scenes.size(0);
    return render::cast_spheres(scenes, cameras_of_given(given), at::arange(sets, torch::kInt64),
                                cast_options(options_), torch::kCPU)
        .reshape({sets, -1})
        .to(torch::kFloat64);
  }

 private:
  // Mean and standard deviation of the prior's pixels, to three decimals, which are the same on every machine.
  std::pair<double, double> pixel_moments() const {
    constexpr std::int64_t scenes = 512;
    std::vector<render::SphereScene> drawn;
    torch::Tensor cameras = at::empty({scenes, 2}, torch::kFloat64);
    for (std::uint64_t i = 0; i < scenes; ++i) {
      drawn.push_back(render::draw_scene(1, Purpose::check, i, options_.spheres));
      const render::Camera camera = render::draw_camera(1, Purpose::check, i, 0);
      cameras[static_cast<std::int64_t>(i)][0] = camera.azimuth;
      cameras[static_cast<std::int64_t>(i)][1] = camera.elevation;
    }
    const torch::Tensor images =
        render::cast_spheres(render::pack_scenes(drawn), cameras, at::arange(scenes, torch::kInt64),
                             {.height = 16, .width = 16, .half_width = options_.half_width}, torch::kCPU)
            .to(torch::kFloat64);
    const auto rounded = [](double x) { return std::round(1000 * x) / 1000; };
    return {rounded(images.mean().item<double>()), rounded(images.std().item<double>())};
  }

  NovelViewSettings options_;
  TaskInfo info_;
};

}  // namespace

std::vector<Field> NovelViewSettings::fields() {
  return {
      {"size", &size, "Pixels along an image's side", 8, 512},
      {"spheres", &spheres, "Spheres in a scene", 1, render::max_drawn_spheres},
      {"half_width", &half_width, "Half of the image plane's width in world units", 0.1, 10},
      {"noise", &noise, "Sd of the noise on observed views in training", 0, 1},
      Field::choice("map", &map, "What the map next to a view encodes of each pixel's ray",
                    {"origin", "direction", "pluecker"}),
      Field::choice("frame", &frame, "Axes of the ray maps: the world's (paper), or the target camera's",
                    {"world", "target"}),
      Field::choice("scale", &scale, "Targets are standardized by the prior's pixels, or brought to [-1, 1] (signed)",
                    {"data", "signed"})};
}

std::shared_ptr<const Task> make_novel_view(const NovelViewSettings& settings) {
  return std::make_shared<NovelView>(settings);
}

}  // namespace pairs

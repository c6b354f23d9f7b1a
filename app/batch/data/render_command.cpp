#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <numbers>
#include <optional>

#include "app/batch/parts/arguments.h"
#include "app/batch/parts/command.h"
#include "app/batch/parts/numbers.h"
#include "app/kinds/range_text.h"
#include "app/runs/task_words.h"
#include "core/base/fields/face.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/png.h"
#include "core/train/run/run.h"
#include "render/scene_picture.h"
#include "render/sphere_scene_file.h"
#include "tasks/scene_views.h"
#include "tasks/view_folder.h"

namespace pairs::batch {
namespace {

constexpr int longest_side = 4096;
constexpr const char* picture_size = "512x512";
constexpr const char* view_size = "64x64";
constexpr std::int64_t picture_rays = 3, view_rays = 1;
constexpr double degree = std::numbers::pi / 180;

struct RenderArguments {
  Catalog tasks;
  std::string scene, camera = "30,35", size, buffer = "color", out, save, like;
  std::int64_t spheres = 3, supersample = 0, threads = 0, views = 0;  // 0: not given
  bool counted = false, sized = false;                                // --spheres, --size were given
  double half_width = render::default_half_width;
};

// The seed in a scene's name, unless it is a file's name.
std::optional<std::uint64_t> seed_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

render::CastOptions parse_options(const RenderArguments& arguments) {
  const std::string text = arguments.sized ? arguments.size : arguments.views > 0 ? view_size : picture_size;
  const auto [width, height] = parse_size(text, "--size", {1, 1}, {longest_side, longest_side});
  const std::int64_t rays = arguments.views > 0 ? view_rays : picture_rays;
  return {height, width, arguments.half_width, arguments.supersample > 0 ? arguments.supersample : rays};
}

render::SphereScene open_scene(const RenderArguments& arguments) {
  const std::string& name = arguments.scene;
  if (const auto seed = seed_of(name)) return render::draw_scene(*seed, Purpose::explore, 0, arguments.spheres);
  if (!name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }))
    fail_usage("--scene {} is too large a seed; the largest is 18446744073709551615", printable(name));
  if (std::filesystem::path(name).extension() != ".toml")
    fail_usage("--scene {} is neither a seed (a whole number) nor a scene file, whose name ends in .toml",
               printable(name, 300));
  if (arguments.counted) fail_usage("--spheres belongs to a seed; {} sets how many it has", printable(name, 300));
  return render::read_scene(name);
}

nlohmann::json render_document(const render::SphereScene& scene, const render::CastOptions& options) {
  return {{"width", options.width},
          {"height", options.height},
          {"spheres", scene.spheres.size()},
          {"half_width", options.half_width}};
}

nlohmann::json camera_document(const render::Camera& camera) {
  return {{"azimuth", camera.azimuth / degree}, {"elevation", camera.elevation / degree}};
}

Result render_picture(const RenderArguments& arguments) {
  const render::CastOptions options = parse_options(arguments);
  const render::Camera camera = parse_camera(arguments.camera, "--camera");
  const auto& names = scene_buffer_names();
  const auto buffer = static_cast<SceneBuffer>(std::find(names.begin(), names.end(), arguments.buffer) - names.begin());
  const render::SphereScene scene = open_scene(arguments);
  check_output(arguments.out, ".png");
  if (!arguments.save.empty()) check_output(arguments.save, ".toml", {arguments.scene, arguments.out}, "--save");
  set_threads(arguments.threads);
  const std::vector<std::uint8_t> bytes = rgb_bytes(scene_picture(scene, camera, options, buffer));
  write_file(arguments.out, chart::encode_png(options.width, options.height, bytes));
  if (!arguments.save.empty()) render::write_scene(arguments.save, scene);
  nlohmann::json document = render_document(scene, options);
  document["file"] = arguments.out;
  document["buffer"] = arguments.buffer;
  document["camera"] = camera_document(camera);
  return {document, fmt::format("{}\n", arguments.out), 0};
}

// Uses the size, half-width and number of spheres of the run in --like.
RenderArguments as_trained(RenderArguments arguments) {
  if (arguments.like.empty()) return arguments;
  const RunConfig config = read_run_toml(
      arguments.tasks, find_run(arguments.tasks, arguments.like, data_folder("")).folder / run_file::config);
  const std::shared_ptr<const Task> task = config.make_task();
  const SceneViews* const views = face<SceneViews>(*task);
  if (!views)
    fail_usage("--like {} is of the task {}, whose observations are no views of a scene",
               printable(arguments.like, 300), config.task);
  arguments.size = fmt::format("{}x{}", views->cast().width, views->cast().height);
  arguments.sized = true;
  arguments.half_width = views->cast().half_width;
  arguments.spheres = views->spheres();
  return arguments;
}

// The first views of the set of a seed, as in Task::observe; for a scene file, from the cameras of seed 1.
Result render_views(const RenderArguments& wanted) {
  const RenderArguments arguments = as_trained(wanted);
  const render::CastOptions options = parse_options(arguments);
  if (options.width != options.height)
    fail_usage("--size {} is no square, but views are; write for example --size 64x64", printable(arguments.size));
  const render::SphereScene scene = open_scene(arguments);
  check_output_folder(arguments.out, true);
  if (!arguments.save.empty()) check_output(arguments.save, ".toml", {arguments.scene, arguments.out}, "--save");
  set_threads(arguments.threads);
  const std::uint64_t seed = seed_of(arguments.scene).value_or(1);
  torch::Tensor cameras = at::empty({arguments.views, 2}, torch::kFloat64);
  auto* angle = cameras.mutable_data_ptr<double>();
  nlohmann::json document = render_document(scene, options);
  for (std::int64_t v = 0; v < arguments.views; ++v) {
    const render::Camera camera = render::draw_camera(seed, Purpose::explore, 0, static_cast<std::uint64_t>(v));
    *angle++ = camera.azimuth;
    *angle++ = camera.elevation;
    document["cameras"].push_back(camera_document(camera));
  }
  const torch::Tensor owner = at::zeros({arguments.views}, torch::kInt64);
  write_view_folder(arguments.out,
                    render::cast_spheres(render::pack_scenes({scene}), cameras, owner, options, torch::kCPU), cameras,
                    options.half_width);
  if (!arguments.save.empty()) render::write_scene(arguments.save, scene);
  document["folder"] = arguments.out;
  document["views"] = arguments.views;
  return {document,
          fmt::format("{}: {} view{} and {}\n", arguments.out, arguments.views, arguments.views == 1 ? "" : "s",
                      kCamerasFile),
          0};
}

}  // namespace

Action add_render(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<RenderArguments>();
  arguments->tasks = tasks;
  app.add_option("--scene", arguments->scene, "A seed, which draws a scene from the prior, or a scene file")
      ->type_name("SEED|FILE.toml")
      ->required();
  CLI::Option* camera =
      app.add_option("--camera", arguments->camera, "Where it stands, in degrees: azimuth from the x axis, elevation")
          ->type_name("AZ,EL")
          ->capture_default_str();
  CLI::Option* size = app.add_option("--size", arguments->size,
                                     fmt::format("Pixels (default: {}, of views {})", picture_size, view_size))
                          ->type_name("WxH");
  CLI::Option* spheres = app.add_option("--spheres", arguments->spheres, "Of a scene drawn from a seed")
                             ->type_name("S")
                             ->transform(whole_number(1, render::max_drawn_spheres))
                             ->capture_default_str();
  app.add_option("--supersample", arguments->supersample,
                 fmt::format("Colors are means over K by K rays a pixel (default: {}, of views {}, as estimators see "
                             "them)",
                             picture_rays, view_rays))
      ->type_name("K")
      ->transform(whole_number(1, render::max_supersample));
  CLI::Option* half_width =
      app.add_option("--half-width", arguments->half_width, "Half of the picture's width, in the units of the scene")
          ->type_name("W")
          ->check(number(0.05, 20))
          ->capture_default_str();
  CLI::Option* like = app.add_option("--like", arguments->like,
                                     "With --views: of the size, half-width and number of spheres that this run knows")
                          ->type_name("RUN")
                          ->excludes(size)
                          ->excludes(half_width)
                          ->excludes(spheres);
  CLI::Option* buffer = app.add_option("--buffer", arguments->buffer, "What is drawn: color, depth, normal or id")
                            ->type_name("NAME")
                            ->check(CLI::IsMember(scene_buffer_names()))
                            ->capture_default_str();
  CLI::Option* views =
      app.add_option("--views", arguments->views,
                     "Draw this many cameras from the prior, and write a folder of views as infer reads them")
          ->type_name("V")
          ->transform(whole_number(1, kMostWrittenViews))
          ->excludes(camera)
          ->excludes(buffer);
  like->needs(views);
  app.add_option("--out", arguments->out, "Where the picture goes; with --views a new folder")
      ->type_name("FILE.png|DIR")
      ->required();
  app.add_option("--save", arguments->save, "Also write the scene, to edit and to render again")
      ->type_name("FILE.toml");
  app.add_option("--threads", arguments->threads, "CPU threads, 0 = all cores")
      ->type_name("N")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  app.footer(with_task_names(
      "Examples:\n"
      "  pairs --batch render --scene 7 --camera 30,45 --size 512x512 --out scene.png\n"
      "  pairs --batch render --scene 7 --save room.toml --out before.png\n"
      "  pairs --batch render --scene room.toml --buffer normal --out after.png\n"
      "  pairs --batch render --scene 7 --views 20 --like {views} --out views\n"
      "  pairs --batch infer {views} --data views --camera 60,40 --out samples\n"
      "  pairs --batch render --scene 7 --views 5 --size 64x64 --half-width 1.25 --out large-views\n"
      "A camera of the prior has an elevation of " +
      degrees_text(render::scene_prior.camera_elevation, "") +
      " degrees. A folder of views holds an image each\n"
      "(view_001.png, ...) and cameras.csv with the columns file,azimuth,elevation (degrees) and half_width;\n"
      "--scene and --spheres draw the same scene with --views and with --camera."));
  return [arguments, spheres, size] {
    arguments->counted = spheres->count() > 0;
    arguments->sized = size->count() > 0;
    return arguments->views > 0 ? render_views(*arguments) : render_picture(*arguments);
  };
}

}  // namespace pairs::batch

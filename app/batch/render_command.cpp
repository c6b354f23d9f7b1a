#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <numbers>
#include <optional>

#include "app/batch/arguments.h"
#include "app/batch/command.h"
#include "app/common/scene_picture.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/report/png.h"
#include "render/sphere_scene_file.h"

namespace pairs::batch {
namespace {

constexpr std::int64_t longest_side = 4096;
constexpr double degree = std::numbers::pi / 180;

struct RenderArguments {
  std::string scene, camera = "30,35", size = "512x512", buffer = "color", out, save;
  std::int64_t spheres = 3, supersample = 3, threads = 0;
  bool counted = false;  // --spheres was given
  double half_width = render::default_half_width;
};

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "30,45" in degrees.
render::Camera parse_camera(const std::string& text) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const auto azimuth = whole_number<double>(std::string_view(text).substr(0, comma));
  const auto elevation = whole_number<double>(std::string_view(text).substr(std::min(comma + 1, text.size())));
  if (!azimuth || !elevation || !(std::abs(*azimuth) <= 360) || !(std::abs(*elevation) <= 90))
    fail_usage(
        "--camera {} is not an azimuth from -360 to 360 and an elevation from -90 to 90 degrees; write for example "
        "--camera 30,45",
        printable(text));
  return {*azimuth * degree, *elevation * degree};
}

render::CastOptions parse_options(const RenderArguments& arguments) {
  const std::string_view text = arguments.size;
  const std::size_t cross = std::min(text.find('x'), text.size());
  const auto width = whole_number<std::int64_t>(text.substr(0, cross));
  const auto height = whole_number<std::int64_t>(text.substr(std::min(cross + 1, text.size())));
  if (!width || !height || *width < 1 || *height < 1 || *width > longest_side || *height > longest_side)
    fail_usage("--size {} is not a width and a height from 1x1 to {}x{}; write for example --size 512x512",
               printable(text), longest_side, longest_side);
  if (!(arguments.half_width >= 0.05 && arguments.half_width <= 20))
    fail_usage("--half-width {} must lie between 0.05 and 20", arguments.half_width);
  return {*height, *width, arguments.half_width, arguments.supersample};
}

render::SphereScene open_scene(const RenderArguments& arguments) {
  const std::string& name = arguments.scene;
  if (const auto seed = whole_number<std::uint64_t>(name))
    return render::draw_scene(*seed, Purpose::explore, 0, arguments.spheres);
  if (!name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }))
    fail_usage("--scene {} is too large a seed; the largest is 18446744073709551615", printable(name));
  if (std::filesystem::path(name).extension() != ".toml")
    fail_usage("--scene {} is neither a seed (a whole number) nor a scene file, whose name ends in .toml",
               printable(name, 300));
  if (arguments.counted) fail_usage("--spheres belongs to a seed; {} says how many it has", printable(name, 300));
  return render::read_scene(name);
}

Result render_picture(const RenderArguments& arguments) {
  const render::CastOptions options = parse_options(arguments);
  const render::Camera camera = parse_camera(arguments.camera);
  const auto& names = scene_buffer_names();
  const auto buffer = static_cast<SceneBuffer>(std::find(names.begin(), names.end(), arguments.buffer) - names.begin());
  const render::SphereScene scene = open_scene(arguments);
  check_output(arguments.out, ".png");
  if (!arguments.save.empty()) check_output(arguments.save, ".toml", {arguments.scene});
  set_threads(arguments.threads);
  const std::vector<std::uint8_t> bytes = rgb_bytes(scene_picture(scene, camera, options, buffer));
  write_file(arguments.out, chart::encode_png(options.width, options.height, bytes));
  if (!arguments.save.empty()) render::write_scene(arguments.save, scene);
  return {{{"file", arguments.out},
           {"width", options.width},
           {"height", options.height},
           {"buffer", arguments.buffer},
           {"spheres", scene.spheres.size()},
           {"half_width", options.half_width},
           {"camera", {{"azimuth", camera.azimuth / degree}, {"elevation", camera.elevation / degree}}}},
          fmt::format("{}\n", arguments.out),
          0};
}

}  // namespace

Action add_render(CLI::App& app) {
  const auto arguments = std::make_shared<RenderArguments>();
  app.add_option("--scene", arguments->scene, "A seed, which draws a scene from the prior, or a scene file")
      ->type_name("SEED|FILE.toml")
      ->required();
  app.add_option("--camera", arguments->camera, "Where it stands, in degrees: azimuth from the x axis, elevation")
      ->type_name("AZ,EL")
      ->capture_default_str();
  app.add_option("--size", arguments->size, "Pixels")->type_name("WxH")->capture_default_str();
  CLI::Option* spheres = app.add_option("--spheres", arguments->spheres, "Of a scene drawn from a seed")
                             ->type_name("S")
                             ->check(CLI::Range(std::int64_t{1}, render::max_drawn_spheres))
                             ->capture_default_str();
  app.add_option("--supersample", arguments->supersample, "Colours are means over K by K rays a pixel")
      ->type_name("K")
      ->check(CLI::Range(std::int64_t{1}, render::max_supersample))
      ->capture_default_str();
  app.add_option("--half-width", arguments->half_width, "Half of the picture's width, in the units of the scene")
      ->type_name("W")
      ->capture_default_str();
  app.add_option("--buffer", arguments->buffer, "What is drawn: color, depth, normal or id")
      ->type_name("NAME")
      ->check(CLI::IsMember(scene_buffer_names()))
      ->capture_default_str();
  app.add_option("--out", arguments->out, "Where the picture goes")->type_name("FILE.png")->required();
  app.add_option("--save", arguments->save, "Also write the scene, to edit and to render again")
      ->type_name("FILE.toml");
  app.add_option("--threads", arguments->threads, "CPU threads, 0 = all cores")
      ->type_name("N")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  app.footer(
      "Examples:\n"
      "  pairs --batch render --scene 7 --camera 30,45 --size 512x512 --out scene.png\n"
      "  pairs --batch render --scene 7 --save room.toml --out before.png\n"
      "  pairs --batch render --scene room.toml --buffer normal --out after.png\n"
      "A camera of the prior has an elevation between 22.5 and 67.5 degrees.");
  return [arguments, spheres] {
    arguments->counted = spheres->count() > 0;
    return render_picture(*arguments);
  };
}

}  // namespace pairs::batch

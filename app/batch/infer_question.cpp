#include "app/batch/infer_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "app/kinds/range_text.h"
#include "app/kinds/target_room.h"
#include "app/posterior/observed_set.h"
#include "app/posterior/posterior_samples.h"
#include "app/posterior/posterior_warnings.h"
#include "app/posterior/random_subset.h"
#include "app/posterior/tried_file.h"
#include "core/base/error.h"
#include "core/base/streams.h"
#include "core/base/text.h"
#include "core/base/transfer.h"
#include "core/report/number_text.h"
#include "core/train/shipped.h"
#include "tasks/scene_views.h"
#include "tasks/view_folder.h"

namespace pairs::batch {
namespace {

// A warning where cameras [V, 2] or the target stand where render::draw_camera puts none; "" where all stand well.
std::string elevation_warning(const torch::Tensor& cameras, const render::Camera& target) {
  const auto& [low, high] = render::scene_prior.camera_elevation;
  constexpr double rounding = 1e-9;
  const torch::Tensor elevation = cameras.select(1, 1);
  const auto views = ((elevation < low - rounding) | (elevation > high + rounding)).sum().item<std::int64_t>();
  const bool aim = target.elevation < low - rounding || target.elevation > high + rounding;
  if (views == 0 && !aim) return "";
  return fmt::format("{}{}{} outside the elevations {} degrees of training; do not trust the posterior",
                     views > 0 ? fmt::format("{} of {} views", views, cameras.size(0)) : "",
                     views > 0 && aim ? " and " : "",
                     aim         ? views > 0 ? "the target camera lie" : "the target camera lies"
                     : views > 1 ? " lie"
                                 : " lies",
                     degrees_text(render::scene_prior.camera_elevation, ""));
}

void add_warning(Observed& observed, const std::string& text) {
  if (!text.empty()) observed.warnings.push_back(text);
}

// The observed set, no more of it than is asked for and the task knows, and what is given of it.
struct GivenSet {
  Observed observed;
  torch::Tensor given;
  std::string name, thing = {};
  ThingMarks marks = {};
  std::vector<std::string> other = {};
  std::string read_as = {};
  Latents latents = {};
};

// The set of a thing that somebody has, with what it tells of itself.
GivenSet read_thing_set(const Things& known, const LoadedRun& run, const InferArguments& arguments) {
  const TaskInfo& info = run.task->info();
  if (arguments.n > info.max_n)
    fail_usage("--n {} goes beyond N = {}, the most that task {} knows", count_text(arguments.n),
               count_text(info.max_n), info.name);
  ThingSet set =
      known.read_thing(arguments.data, arguments.n, static_cast<std::uint64_t>(arguments.seed), arguments.up);
  GivenSet out;
  out.observed.held = set.x.count();
  out.observed.x = std::move(set.x);
  out.observed.warnings = std::move(set.warnings);
  out.given = !arguments.given.empty() || !set.latents.given.defined()
                  ? read_given(arguments.given, arguments.data, info)
                  : set.latents.given;
  out.name = std::move(set.title);
  out.thing = known.thing();
  out.other = std::move(set.other);
  out.marks = marks_of(set);
  out.read_as = std::move(set.read_as);
  out.latents = set.latents;
  return out;
}

GivenSet read_set(const LoadedRun& run, const InferArguments& arguments) {
  const TaskInfo& info = run.task->info();
  std::error_code error;
  const SceneViews* const views = scene_views(*run.task);
  if (!arguments.camera.empty() && !views)
    fail_usage("--camera belongs to views of a scene; the task {} has none", info.name);
  if (const Things* const known = things_named(*run.task, arguments.data)) {
    if (!arguments.columns.empty()) fail_usage("--columns names columns of a table; {} is none", known->thing());
    if (arguments.random)
      fail_usage("--random chooses among observations; of a {} as many are made as are used", known->thing());
    return read_thing_set(*known, run, arguments);
  }
  if (!arguments.up.empty())
    fail_usage("--up turns a thing such as a mesh; {} is a set of observations", printable(arguments.data, 300));
  if (!views || !std::filesystem::is_directory(arguments.data, error)) {
    if (!arguments.camera.empty() && std::filesystem::exists(arguments.data, error))
      fail_usage(
          "--camera needs the views as a folder of images with {}, and {} is none; the array x of an .npz already "
          "holds "
          "ray maps for the camera that is given with it",
          kCamerasFile, printable(arguments.data, 300));
    const std::int64_t most = arguments.random  ? std::numeric_limits<std::int64_t>::max()
                              : arguments.n > 0 ? std::min(arguments.n, info.max_n)
                                                : info.max_n;
    Observed observed = read_observed_columns(arguments.data, info, most, arguments.columns);
    const torch::Tensor given = read_given(arguments.given, arguments.data, info);
    if (views) add_warning(observed, elevation_warning(at::empty({0, 2}, torch::kFloat64), views->target(given)));
    return {std::move(observed), given, arguments.data};
  }
  if (!arguments.given.empty()) fail_usage("Name the target camera of a folder of views with --camera, not --given");
  if (arguments.camera.empty())
    fail_usage("{} is a folder of views; name the camera whose view is wanted with --camera AZ,EL in degrees",
               printable(arguments.data, 300));
  const render::Camera target = parse_camera(arguments.camera, "--camera");
  const ViewFolder folder = read_view_folder(arguments.data, views->cast().height, views->cast().half_width);
  Observed observed =
      as_observations(views->observations(folder.images, folder.cameras, target), info, printable(arguments.data, 300));
  add_warning(observed, elevation_warning(folder.cameras, target));
  add_warning(observed, folder.left_out);
  return {std::move(observed), views->given(target), arguments.data};
}

// What is written for images, in the folder that --out names.
std::filesystem::path folder_output(const LoadedRun& run, const InferArguments& arguments) {
  const std::filesystem::path out = !arguments.out.empty()   ? std::filesystem::path(arguments.out)
                                    : is_shipped(run.folder) ? std::filesystem::path("posterior")
                                                             : run.folder / "posterior";
  if (out.extension() == ".npz")
    fail_usage("--out {} names a file, but samples of images go into a folder, as samples.npz and pictures",
               printable(out.string(), 300));
  check_output_folder(out, false);
  std::error_code error;
  if (std::filesystem::equivalent(out, arguments.data, error) ||
      std::filesystem::equivalent(out / "samples.npz", arguments.data, error))
    fail_usage("--out {} would mix the results with the observed set; choose another folder",
               printable(out.string(), 300));
  return out;
}

std::filesystem::path file_output(const LoadedRun& run, const InferArguments& arguments) {
  const std::filesystem::path out = !arguments.out.empty()   ? std::filesystem::path(arguments.out)
                                    : is_shipped(run.folder) ? std::filesystem::path("samples.npz")
                                                             : run.folder / "samples.npz";
  const bool table = out.extension() == ".csv";
  if (table && !arguments.theta.empty())
    fail_usage("--out {} is a table of samples alone; the densities of --theta go into an .npz file",
               printable(out.string(), 300));
  if (!table && out.extension() != ".npz")
    fail_usage("--out {} must end in .npz or .csv", printable(out.string(), 300));
  check_output(out, table ? ".csv" : ".npz", {arguments.data, arguments.theta});
  return out;
}

std::int64_t draws_of(const TaskInfo& info, std::int64_t asked) {
  const std::int64_t draws = asked >= 0 ? asked : target_room_of(info).draws();
  if (draws > most_samples(info))
    fail_usage("--samples {} of {} numbers each do not fit into memory; give at most {}", count_text(draws),
               count_text(info.target_size()), count_text(most_samples(info)));
  return draws;
}

// Mean and quantiles of few samples would tell more of chance than of the posterior: of parameters no fewer are
// summarised than without --samples.
std::int64_t summarised(const TaskInfo& info, std::int64_t written) {
  const TargetRoom& room = target_room_of(info);
  return room.in_folder() ? written : std::max(written, room.draws());
}

void check_size(const LoadedRun& run, const InferArguments& arguments, const std::string& name, std::int64_t size) {
  const TaskInfo& info = run.task->info();
  if (size > info.max_n)
    fail(
        "{} observations of {} are asked for, but task {} is defined up to N = {}{}; give at most {}, or use the first "
        "with --n or as many at random with --random",
        count_text(size), name, info.name, count_text(info.max_n),
        arguments.force ? ", which --force does not change" : "", info.max_n);
  if (!arguments.force && size > run.estimator->max_n())
    fail(
        "{} observations of {} are asked for, but {} saw sets of at most {}; use fewer with --n, train with larger "
        "sets, or pass --force to extrapolate",
        count_text(size), name, run.name, count_text(run.estimator->max_n()));
}

// The largest set that is asked about.
std::int64_t largest_size(const LoadedRun& run, const InferArguments& arguments) {
  return arguments.force ? run.task->info().max_n : std::min(run.estimator->max_n(), run.task->info().max_n);
}

// How many of the observations are used. Of a thing, of which more can always be made, no more than training saw.
std::int64_t used_size(const LoadedRun& run, const InferArguments& arguments, const InferQuestion& question) {
  if (arguments.n > 0) return arguments.n;
  if (arguments.random) return std::min(question.held, largest_size(run, arguments));
  return question.thing.empty() || arguments.force ? question.held : std::min(question.held, run.estimator->max_n());
}

}  // namespace

InferQuestion infer_question(const LoadedRun& run, const InferArguments& arguments) {
  const TaskInfo& info = run.task->info();
  auto [observed, given, name, thing, marks, other, read_as, latents] = read_set(run, arguments);
  InferQuestion question;
  const auto warn = [&](const std::string& text) {
    tell(fmt::format("warning: {}\n", text));
    question.warnings.push_back(text);
  };
  for (const std::string& warning : observed.warnings) warn(warning);
  question.other = std::move(other);
  if (!thing.empty()) question.tried = tried_of(run);
  question.kind = kind_of(question.tried, marks);
  question.unlike = question.tried.unlike_training(marks);
  question.read_as = std::move(read_as);
  question.latents = std::move(latents);
  question.given = given;
  question.held = observed.held;
  question.name = std::move(name);
  question.thing = std::move(thing);
  if (!info.targets.empty()) question.own = marks.own;
  if (arguments.n > question.held)
    fail_usage("--n asks for the first {} observations, but {} holds {}; give at most {}", count_text(arguments.n),
               question.name, count_text(question.held), question.held);
  question.out = target_room_of(info).in_folder() ? folder_output(run, arguments) : file_output(run, arguments);
  question.written = draws_of(info, arguments.samples);
  question.draws = summarised(info, question.written);
  if (!arguments.theta.empty()) question.theta = read_theta(arguments.theta, info);
  question.size = used_size(run, arguments, question);
  check_size(run, arguments, question.name, question.size);
  question.x = arguments.random && question.size < observed.x.count()
                   ? random_subset(observed.x, question.size, static_cast<std::uint64_t>(arguments.seed))
                   : observed.x.slice(0, question.size);
  question.extrapolates = question.size > run.estimator->max_n();
  const bool one_stage = !strategy(run.config.strategy).stages_2_and_3;
  question.extrapolates = question.extrapolates || (one_stage && extrapolates(run, question.size));
  if (question.extrapolates) warn(extrapolation_text(run));
  if (!run.finetuned) warn(only_pretrained_text(run.name));
  if (const std::string text = learnt_nothing_text(run); !text.empty()) warn(text);
  if (!question.thing.empty())
    for (const std::string& text : thing_warnings(run, question.tried, question.name, marks)) warn(text);
  return question;
}

FollowPlan follow_plan(const LoadedRun& run, const InferArguments& arguments) {
  const TaskInfo& info = run.task->info();
  FollowPlan plan;
  plan.most = largest_size(run, arguments);
  plan.written = draws_of(info, arguments.samples);
  plan.draws = summarised(info, plan.written);
  plan.given = read_given(arguments.given, "", info);
  plan.out = file_output(run, arguments);
  if (!run.finetuned) tell(fmt::format("warning: {}\n", only_pretrained_text(run.name)));
  return plan;
}

}  // namespace pairs::batch

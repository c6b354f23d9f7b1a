#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <numbers>

#include "app/batch/arguments.h"
#include "app/batch/command.h"
#include "app/batch/numbers.h"
#include "app/batch/sampler_options.h"
#include "app/kinds/observed.h"
#include "app/kinds/target/parameters_room.h"
#include "app/kinds/view_folder.h"
#include "app/posterior/typicality.h"
#include "app/text/number_text.h"
#include "app/text/table.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/npz.h"
#include "core/base/streams.h"
#include "core/base/text.h"
#include "core/base/transfer.h"
#include "core/eval/evaluate.h"
#include "core/train/shipped.h"
#include "tasks/scene_views.h"

namespace pairs::batch {
namespace {

struct InferArguments {
  std::string run, data, given, camera, theta, out;
  OpenArguments open;
  SamplerOptions sampler;
  std::int64_t samples = -1;  // -1: by the kind of target
  std::int64_t seed = 1;
  std::int64_t n = 0;  // 0: all
  bool force = false;
};

constexpr std::int64_t kMostNumbers = std::int64_t{1} << 27;  // in all samples; some 25 bytes of memory each

// The exact posterior of the observed set, with draws of its own for the quantiles.
struct ExactAnswer {
  Summary summary;
  torch::Tensor log_density;
};
ExactAnswer exact_answer(const Task& task, const Observations& x, const InferArguments& arguments, std::int64_t draws,
                         const torch::Tensor& theta) {
  const auto reference = task.reference("exact");
  constexpr std::int64_t kChunk = 100000;
  for (std::int64_t first = 0; first < x.count(); first += kChunk)
    reference->add(x.slice(first, std::min(first + kChunk, x.count())));
  Stream stream(stream_key(static_cast<std::uint64_t>(arguments.seed), Purpose::posterior), 1);
  ExactAnswer answer;
  answer.summary = summarise(reference->sample(draws, stream), kReportQuantiles);
  answer.summary.mean = reference->mean();
  answer.summary.sd = reference->covariance().diagonal().sqrt();
  if (theta.defined()) answer.log_density = reference->log_density(theta);
  return answer;
}

// A warning where cameras [V, 2] or the target stand where render::draw_camera puts none.
void warn_of_elevations(const torch::Tensor& cameras, const render::Camera& target) {
  constexpr double low = std::numbers::pi / 8, high = 3 * std::numbers::pi / 8, rounding = 1e-9;
  const torch::Tensor elevation = cameras.select(1, 1);
  const auto views = ((elevation < low - rounding) | (elevation > high + rounding)).sum().item<std::int64_t>();
  const bool aim = target.elevation < low - rounding || target.elevation > high + rounding;
  if (views == 0 && !aim) return;
  tell(fmt::format(
      "warning: {}{}{} outside the elevations 22.5 to 67.5 degrees of training; do not trust the posterior\n",
      views > 0 ? fmt::format("{} of {} views", views, cameras.size(0)) : "", views > 0 && aim ? " and " : "",
      aim         ? views > 0 ? "the target camera lie" : "the target camera lies"
      : views > 1 ? " lie"
                  : " lies"));
}

// The observed set, no more of it than is asked for and the task knows, and what is given of it.
struct ObservedSet {
  Observed observed;
  torch::Tensor given;
};
ObservedSet read_set(const LoadedRun& run, const InferArguments& arguments) {
  const TaskInfo& info = run.task->info();
  std::error_code error;
  const SceneViews* const views = scene_views(*run.task);
  if (!views || !std::filesystem::is_directory(arguments.data, error)) {
    if (!arguments.camera.empty() && !views)
      fail_usage("--camera belongs to views of a scene; the task {} has none", info.name);
    if (!arguments.camera.empty() && std::filesystem::exists(arguments.data, error))
      fail_usage(
          "--camera needs the views as a folder of images with {}, and {} is none; the array x of an .npz already "
          "holds "
          "ray maps for the camera that is given with it",
          kCamerasFile, printable(arguments.data, 300));
    const std::int64_t most = arguments.n > 0 ? std::min(arguments.n, info.max_n) : info.max_n;
    Observed observed = read_observed(arguments.data, info, most);
    const torch::Tensor given = read_given(arguments.given, arguments.data, info);
    if (views) warn_of_elevations(at::empty({0, 2}, torch::kFloat64), views->target(given));
    return {std::move(observed), given};
  }
  if (!arguments.given.empty()) fail_usage("Name the target camera of a folder of views with --camera, not --given");
  if (arguments.camera.empty())
    fail_usage("{} is a folder of views; name the camera whose view is wanted with --camera AZ,EL in degrees",
               printable(arguments.data, 300));
  const render::Camera target = parse_camera(arguments.camera, "--camera");
  const ViewFolder folder = read_view_folder(arguments.data, views->cast().height, views->cast().half_width);
  warn_of_elevations(folder.cameras, target);
  Observed observed =
      as_observations(views->observations(folder.images, folder.cameras, target), info, printable(arguments.data, 300));
  if (!folder.left_out.empty()) observed.warnings.push_back(folder.left_out);
  return {std::move(observed), views->given(target)};
}

// What is written for images, in the folder that --out names.
// Refuses observations so large that the embedder's numbers overflow.
void check_aggregate(const torch::Tensor& aggregate, const Observations& x, const std::string& data,
                     const std::string& name) {
  if (aggregate.isfinite().all().item<bool>()) return;
  std::int64_t at = 0;
  double largest = -1;
  for (std::int64_t i = 0; i < x.count(); ++i) {
    const Observations one = x.slice(i, i + 1);
    const torch::Tensor values = one.is_ragged() ? one.rows() : one.block();
    const double size = values.numel() > 0 ? values.abs().max().item<double>() : 0;
    if (size <= largest) continue;
    largest = size;
    at = i;
  }
  fail(
      "The network of {} overflows on {}: observation {} holds a value of size {:.3g}; check its unit, or leave it out",
      name, printable(data, 300), count_text(at + 1), largest);
}

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
  check_output(out, ".npz", {arguments.data, arguments.theta});
  return out;
}

Result infer(const InferArguments& arguments) {
  LoadedRun run = open_run(arguments.run, arguments.open, false);
  Estimator& estimator = *run.estimator;
  const TaskInfo& info = run.task->info();
  const TargetRoom& target = target_room_of(info);
  set_sampler(run, arguments.sampler);
  const auto [observed, given] = read_set(run, arguments);
  for (const std::string& warning : observed.warnings) tell(fmt::format("warning: {}\n", warning));
  const std::int64_t held = observed.held;
  if (arguments.n > held)
    fail_usage("--n asks for the first {} observations, but {} holds {}; give at most {}", count_text(arguments.n),
               arguments.data, count_text(held), held);
  const std::filesystem::path out = target.in_folder() ? folder_output(run, arguments) : file_output(run, arguments);
  const std::int64_t draws = arguments.samples >= 0 ? arguments.samples : target.draws();
  if (draws > kMostNumbers / info.target_size())
    fail_usage("--samples {} of {} numbers each do not fit into memory; give at most {}", count_text(draws),
               count_text(info.target_size()), count_text(kMostNumbers / info.target_size()));
  const torch::Tensor theta = arguments.theta.empty() ? torch::Tensor() : read_theta(arguments.theta, info);
  const std::int64_t size = arguments.n > 0 ? arguments.n : held;
  if (size > info.max_n)
    fail(
        "{} observations of {} are asked for, but task {} is defined up to N = {}{}; give at most {}, or use the first "
        "with --n",
        count_text(size), arguments.data, info.name, count_text(info.max_n),
        arguments.force ? ", which --force does not change" : "", info.max_n);
  if (!arguments.force && size > estimator.max_n())
    fail(
        "{} observations of {} are asked for, but {} saw sets of at most {}; use fewer with --n, train with larger "
        "sets, or pass --force to extrapolate",
        count_text(size), arguments.data, run.name, count_text(estimator.max_n()));
  const bool extrapolates = size > estimator.max_n();
  if (extrapolates)
    tell(fmt::format("warning: {} saw sets of at most {} observations; for {} its posterior is an extrapolation\n",
                     run.name, count_text(estimator.max_n()), count_text(size)));
  if (!run.finetuned)
    tell(fmt::format("warning: {} is only pretrained; its posterior holds for the small sets it saw\n", run.name));

  const Observations x = observed.x.slice(0, size);
  const torch::Tensor aggregate = aggregate_observed(estimator, x);
  check_aggregate(aggregate, x, arguments.data, run.name);
  const torch::Tensor n = torch::full({1}, size, torch::kInt64);
  const std::uint64_t key = stream_key(static_cast<std::uint64_t>(arguments.seed), Purpose::posterior);
  const torch::Tensor samples = estimator.sample(aggregate, n, draws, key, given)[0].to(torch::kCPU);
  PAIRS_CHECK(
      samples.isfinite().all().item<bool>(),
      "The posterior of {} is not finite: its weights diverged in training or are damaged; train it again with a "
      "lower pretrain.rate or finetune.rate",
      run.name);

  Result result;
  Table table(target.report_columns());
  SampleReport report = target.report(info, samples, table);
  std::map<std::string, torch::Tensor>& arrays = report.arrays;
  result.document = std::move(report.document);
  nlohmann::json& document = result.document;
  document["n"] = size;
  document["task"] = info.name;
  document["run"] = run.name;
  document["trained_on"] = estimator.data_source();
  document["extrapolates"] = extrapolates;
  document["targets"] = nlohmann::json::array();
  for (const Target& target : info.targets) document["targets"].push_back(target.name);

  const Place place = place_of(estimator, aggregate, n);
  if (place.known) {
    document["distance"] = place.distance;
    document["percentile"] = place.percentile;
    document["outside_training"] = place.outside;
    if (place.outside)
      tell(fmt::format(
          "warning: the observed set lies outside what training saw: its aggregate is at Mahalanobis distance {:.3g}, "
          "farther than {:.3g} % of training sets; do not trust the posterior\n",
          place.distance, place.percentile));
  }

  torch::Tensor scores;
  if (theta.defined()) {
    scores = estimator.log_prob_grid(theta.unsqueeze(0), aggregate, n, given)[0].to(torch::kCPU);
    arrays["theta"] = theta;
    arrays["log_density"] = scores;
    document["log_density"] = doubles(scores);
  }
  const auto references = run.task->references();
  torch::Tensor exact_scores;
  if (!references.empty() && references.front() == "exact") {
    try {
      const ExactAnswer exact = exact_answer(*run.task, x, arguments, draws, theta);
      document["exact"] = summary_document(exact.summary);
      add_summary(table, info, "exact", exact.summary);
      if (exact.log_density.defined()) {
        exact_scores = exact.log_density;
        document["exact"]["log_density"] = doubles(exact_scores);
      }
    } catch (const Error& error) {
      tell(fmt::format("warning: the exact posterior is left out: {}\n", error.what()));
    }
  }
  const std::filesystem::path file = target.in_folder() ? out / "samples.npz" : out;
  if (target.in_folder()) {
    std::error_code ignored;
    std::filesystem::create_directory(out, ignored);
  }
  write_npz(file, arrays);
  document["samples"] = file.string();
  std::string pictures;
  for (const auto& [name, bytes] : report.pictures) {
    write_file(out / name, bytes);
    document["pictures"].push_back((out / name).string());
    pictures += (pictures.empty() ? "" : ", ") + (out / name).string();
  }

  result.text = fmt::format("{}: posterior of {} from the {}N = {} observation{} of {}{}\n\n{}", info.title, run.name,
                            size < held ? "first " : "", count_text(size), size == 1 ? "" : "s", arguments.data,
                            extrapolates ? " (more than training saw)" : "", table.text(2));
  if (scores.defined()) {
    Table scored({{"row"}, {"log density / nat"}, {"exact / nat"}});
    for (std::int64_t i = 0; i < scores.size(0) && i < 20; ++i)
      scored.add({count_text(i + 1), number_text(scores[i].item<double>(), 4),
                  exact_scores.defined() ? number_text(exact_scores[i].item<double>(), 4) : "–"});
    result.text += "\n" + scored.text(2);
    if (scores.size(0) > 20)
      result.text += fmt::format("  … and {} more in the file\n", count_text(scores.size(0) - 20));
  }
  if (place.known)
    result.text += fmt::format("\nTypicality: distance {:.3g}, farther than {:.3g} % of training sets{}\n",
                               place.distance, place.percentile, place.outside ? " — OUTSIDE what training saw" : "");
  result.text += fmt::format(fmt::runtime(report.notes), pictures);
  result.text += fmt::format("Samples: {}\n", file.string());
  if (shipped_weights(info.name).size() > 1 && is_shipped(run.folder))
    result.text += fmt::format(
        "The weights {} were trained on {}; those for other data are opened by their name (pairs --batch tasks)\n",
        run.folder.filename().string(), estimator.data_source());
  return result;
}

}  // namespace

Action add_infer(CLI::App& app) {
  const auto arguments = std::make_shared<InferArguments>();
  app.add_option("RUN", arguments->run, "A run folder, or a task's name for its shipped weights")->required();
  app.add_option("--data", arguments->data,
                 "The observed set: .npz (array x, or the only one), .csv for points (of several named columns the "
                 "task's), a folder of images (PNG, JPEG, BMP, TGA), of views with cameras.csv")
      ->type_name("FILE|DIR")
      ->required();
  app.add_option("--n", arguments->n, "Use the first N observations (default: all)")
      ->type_name("N")
      ->transform(whole_number(1, std::int64_t{1} << 40));
  app.add_option("--samples", arguments->samples, "Posterior samples (default: 1000, of images 16)")
      ->type_name("S")
      ->transform(whole_number(2, 10000000));
  app.add_option("--given", arguments->given,
                 "What is given of the set beside its observations, where the task asks for it (\"tasks\" names it); "
                 "default: the array given of an .npz")
      ->type_name("V,V,...");
  app.add_option(
         "--camera", arguments->camera,
         "Views of a scene: the camera whose image is inferred from a folder of views; azimuth and elevation in "
         "degrees")
      ->type_name("AZ,EL");
  add_sampler_options(app, arguments->sampler);
  app.add_option("--theta", arguments->theta, "Also score these values of θ (.npz or .csv, one row each)")
      ->type_name("FILE");
  app.add_option("--out", arguments->out,
                 "Where the samples go (default: RUN/samples.npz, or ./samples.npz); of images a folder (default: "
                 "RUN/posterior, or ./posterior)")
      ->type_name("FILE|DIR");
  app.add_option("--seed", arguments->seed, "Seed of the samples")
      ->type_name("N")
      ->transform(whole_number(0, 9007199254740992))
      ->capture_default_str();
  app.add_option("--threads", arguments->open.threads, "CPU threads, 0 = all cores")
      ->type_name("N")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  app.add_option("--device", arguments->open.device, "auto, cpu or cuda")
      ->type_name("NAME")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  app.add_flag("--force", arguments->force,
               "Accept more observations than training saw, up to the task's largest N (extrapolates)");
  app.footer(
      "Examples:\n"
      "  pairs --batch infer bump-hunt --data events.csv\n"
      "  pairs --batch infer bump-hunt --data events.csv --n 20\n"
      "  pairs --batch infer runs/digits --data photos/ --samples 5000 --out posterior.npz\n"
      "  pairs --batch infer runs/spheres --data views/ --camera 120,45 --n 10 --out seen/\n"
      "Answers mean, sd and quantiles; the samples go into an .npz file. Refuses NaN, wrong shapes and sets larger "
      "than\n"
      "training saw. Typicality is the Mahalanobis distance of the set's aggregate from those of training, and the\n"
      "share of training sets that lie nearer: a warning says when the set lies outside what training saw.\n"
      "Images: a folder with samples.npz (samples, mean and sd by pixel), mean.png, sd.png and samples.png.\n"
      "Views of a scene: a folder of colour images of the estimator's size, or square and a whole multiple of it, "
      "with\n"
      "cameras.csv: the columns file,azimuth,elevation (degrees) and maybe half_width, a row for each image.\n"
      "They count in the order of their names. pairs --batch render --views writes such a folder.");
  return [arguments] { return infer(*arguments); };
}

}  // namespace pairs::batch

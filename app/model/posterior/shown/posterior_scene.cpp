#include "app/model/posterior/shown/posterior_scene.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "app/kinds/observation_room.h"
#include "app/kinds/observed.h"
#include "app/posterior/answer/own_values.h"
#include "app/posterior/caveats/disagreement_text.h"
#include "app/posterior/checks/within_sets.h"
#include "app/posterior/figures/posterior_figure.h"
#include "app/posterior/question/set_arguments.h"
#include "app/posterior/source/refined_source.h"
#include "app/posterior/validation/external_validation_file.h"
#include "app/runs/learned_product.h"
#include "app/runs/run_shades.h"
#include "app/runs/strategy_look.h"
#include "core/base/fields/face.h"
#include "core/base/text/text.h"
#include "core/eval/metrics/interval.h"
#include "core/eval/references/marginal_likelihood.h"
#include "core/given.h"
#include "core/report/number_text.h"
#include "core/report/shades.h"

namespace pairs::model {
namespace {

constexpr double kDecades = 30;  // minimum ratio of the bounds of a quantity that spans decades

std::vector<SetGiven> given_of(const ObservedSet& set) {
  const HasGivenRanges* const known = face<HasGivenRanges>(set.task());
  const torch::Tensor& values = set.latents().given;
  std::vector<SetGiven> given;
  if (known == nullptr || !values.defined()) return given;
  for (std::size_t k = 0; k < known->given_ranges().size(); ++k) {
    const GivenRange& range = known->given_ranges()[k];
    const Given& one = set.task().info().given[k];
    given.push_back({one.name, one.label, range.seen_low, range.seen_high,
                     values[0][static_cast<std::int64_t>(k)].item<double>(),
                     range.seen_low > 0 && range.seen_high > kDecades * range.seen_low});
  }
  return given;
}

std::vector<SetParameter> parameters_of(const ObservedSet& set) {
  std::vector<SetParameter> parameters;
  const std::vector<double> theta = set.theta(), psi = set.psi();
  const TaskInfo& info = set.task().info();
  for (std::size_t t = 0; t < theta.size(); ++t) {
    const Target& target = info.targets[t];
    parameters.push_back({target.name, target.label, target.unit, target.view_low, target.view_high, theta[t], false,
                          target.meaning, target.title()});
  }
  for (std::size_t k = 0; k < psi.size(); ++k) {
    const Nuisance& nuisance = info.nuisances[k];
    parameters.push_back({nuisance.name, nuisance.label, nuisance.unit, nuisance.view_low, nuisance.view_high, psi[k],
                          true, nuisance.meaning, nuisance.title(), nuisance.name == info.subject});
  }
  return parameters;
}

// The shades that a command must name because a figure of these runs would choose others.
std::vector<int> other_shades(const std::vector<AskedRun>& runs) {
  std::vector<LoadedRun> loaded;
  for (const AskedRun& run : runs) loaded.push_back(run.loaded);
  const std::vector<SeriesRole> own = run_roles(loaded);
  std::vector<int> shades;
  bool differ = false;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    shades.push_back(shade_of(runs[r].role));
    differ |= own[r] != runs[r].role;
  }
  return differ ? shades : std::vector<int>();
}

// Changes when the file is rewritten.
std::string set_stamp_of(const std::filesystem::path& file) {
  std::error_code error;
  if (file.empty() || !std::filesystem::exists(file, error)) return "";
  const auto time = std::filesystem::last_write_time(file, error).time_since_epoch().count();
  return std::filesystem::is_regular_file(file, error)
             ? fmt::format("{} {}", std::filesystem::file_size(file, error), time)
             : fmt::format("{}", time);
}

}  // namespace

std::string prior_example(const TaskInfo& info) {
  if (info.targets.empty()) return "";
  const Target& first = info.targets.front();
  const double middle = (first.view_low + first.view_high) / 2, sd = (first.view_high - first.view_low) / 10;
  const std::string text = fmt::format("normal({:.2g}, {:.2g})", middle, sd);
  return info.targets.size() > 1 ? first.name + " = " + text : text;
}

PosteriorScene scene_of(const SetPosterior& posterior, std::uint64_t set_id, const std::vector<std::string>& asked) {
  const ObservedSet& set = posterior.set();
  const TaskInfo& info = posterior.task().info();
  PosteriorScene scene;
  scene.task = info.name;
  scene.title = info.title;
  scene.data_task = posterior.runs().front().loaded.task;
  for (const Target& target : info.targets) scene.targets.push_back(target.short_title());
  scene.names = target_names(info);
  scene.prior_example = prior_example(info);
  scene.tested = may_compare_within(info) && face<Items>(posterior.task()) == nullptr;
  for (std::size_t r = 0; r < asked.size(); ++r) {
    const AskedRun& run = posterior.runs()[r];
    scene.runs.push_back({asked[r], run.loaded.name, run_title(run.loaded.config), run.role});
  }
  scene.question = info.question;
  scene.most = set.size();
  scene.sizes = posterior.sizes();
  scene.set = set_id;
  scene.set_size = set.held();
  scene.trained = posterior.runs().front().loaded.estimator->max_n();
  scene.no_product = no_learned_product(posterior.runs().front().loaded);
  scene.likely = LearnedLikelihood::refused(posterior.task()).empty();
  scene.no_refined = not_refined(posterior.runs().front().loaded);
  scene.compared = compared_sources(posterior.runs().front().loaded);
  scene.no_confidence = no_frequentist_answers(posterior.task());
  scene.simulated = set.simulated();
  scene.by_hand = !set.choice().theta.empty();
  scene.endings = observation_endings(info);
  scene.followable = !info.targets.empty() && info.given.empty() && room_of(info).lines(info, "") != nullptr;
  scene.drawable = !set.simulated() && !set.of_item() && set.held() > 1;
  scene.set_name = set.name();
  scene.set_short = set.short_name();
  scene.set_source = set.source();
  scene.set_stamp = set_stamp_of(set.simulated() ? "" : set.source());
  scene.columns = set.columns();
  scene.taken = set.taken();
  scene.needed = info.observation_columns;
  scene.choice = set.choice();
  scene.dropped = set.dropped();
  if (set.simulated()) scene.parameters = parameters_of(set);
  scene.given = given_of(set);
  scene.given_assumed = !set.given_assumed().empty();
  if (const Items* const known = face<Items>(posterior.task())) {
    scene.item = known->item();
    scene.item_help = known->item_help();
    if (set.of_item()) {
      scene.set_read_as = set.read_as();
      const LoadedRun& shown = posterior.runs().front().loaded;
      const ExternalValidation validated = external_validation_of(shown);
      scene.set_learned = learned_text(shown, only_kind(validated, kind_of(validated, set.marks())));
      scene.set_own = own_values_text(set.task(), set.marks());
      scene.ups = known->ups();
    }
  }
  scene.shades = other_shades(posterior.runs());
  return scene;
}

PosteriorSnapshot snapshot_of(const TaskInfo& info, const PosteriorAnswer& at, const ShownSet& set, StableAxes& axes,
                              std::uint64_t version, const PinnedPosteriors& pinned) {
  PosteriorSnapshot snapshot;
  snapshot.version = version;
  snapshot.set = set.id;
  snapshot.n = at.n;
  snapshot.series = at.numbers;
  snapshot.warnings = at.warnings;
  snapshot.warnings.erase(std::unique(snapshot.warnings.begin(), snapshot.warnings.end()), snapshot.warnings.end());
  snapshot.milliseconds = at.milliseconds;
  snapshot.question = info.question.text(at.n, count_text(at.n));
  snapshot.sentence = posterior_sentence(at.numbers, info.targets, set.interval);
  snapshot.typicality = at.typicality;
  snapshot.disagreement = disagreement_text(at.disagreement, info);
  snapshot.null = at.null;
  snapshot.why_first = at.why_first;
  if (at.numbers.empty()) return snapshot;
  const std::vector<PosteriorNumbers> ghosts = pinned_of(pinned, info.name, target_names(info));
  snapshot.series.insert(snapshot.series.end(), ghosts.begin(), ghosts.end());
  PosteriorAxes kept = axes.update(snapshot.series, set.truth);
  if (kept != chosen_axes(at.numbers, info.targets, set.truth)) snapshot.kept_axes = kept;
  kept.interval = snapshot.interval = set.interval;
  snapshot.density = std::make_shared<Figure>(posterior_figure_at(info, at, set.truth, set.source, kept, ghosts));
  return snapshot;
}

PosteriorScene followed_scene(const PosteriorScene& before, const std::filesystem::path& file, std::uint64_t set_id,
                              Missing missing) {
  PosteriorScene scene = before;
  scene.runs.erase(scene.runs.begin() + 1, scene.runs.end());
  scene.sizes.clear();
  scene.set = set_id;
  scene.set_name = scene.set_short = file.filename().string();
  scene.set_source = file.string();
  scene.set_own.clear();
  scene.set_read_as.clear();
  scene.set_learned.clear();
  scene.ups.clear();
  scene.set_size = 0;
  scene.simulated = scene.by_hand = scene.drawable = false;
  scene.no_product = scene.no_refined = "a followed set has no references";
  scene.no_confidence = "a set that is followed grows; stop it first";
  scene.choice = {.index = before.choice.index, .file = file};
  scene.choice.missing = missing;
  scene.columns.clear();
  scene.taken.clear();
  scene.dropped = 0;
  scene.parameters.clear();
  scene.given.clear();
  return scene;
}

std::string follow_command(const std::string& run, const SetChoice& followed, const std::string& device) {
  return fmt::format("pairs --batch infer {}{} --follow{}", shell_word(run), set_arguments(followed, SetCommand::infer),
                     device == "auto" ? "" : " --device " + shell_word(device));
}

// The conditions that a command must name: those set by the user, or missing in the file.
std::string settled_given(const SetChoice& set, const PosteriorScene* scene) {
  if (!set.given.empty() || scene == nullptr || !scene->given_assumed) return set.given;
  std::vector<std::string> words;
  for (const SetGiven& one : scene->given) words.push_back(fmt::format("{}={}", one.name, one.value));
  return fmt::format("{}", fmt::join(words, ","));
}

SetChoice settled_choice(SetChoice asked, const PosteriorScene& scene) {
  asked.changed.reset();
  asked.theta.clear();
  asked.psi.clear();
  asked.given = settled_given(asked, &scene);
  if (scene.by_hand)
    for (const SetParameter& parameter : scene.parameters)
      (parameter.nuisance ? asked.psi : asked.theta).push_back(parameter.value);
  return asked;
}

std::string figure_command(const CommandOptions& options, const PosteriorScene* scene, const PosteriorSnapshot* shown) {
  const Question& asked = options.asked;
  std::vector<std::string> words = {"pairs --batch figure posterior"};
  const auto add = [&](const char* option, const auto& values) {
    if (!values.empty()) words.push_back(fmt::format("--{}={}", option, fmt::join(values, ",")));
  };
  words.push_back(shell_word(asked.run));
  for (const std::string& run : asked.others) words.push_back(shell_word(run));
  SetChoice set = asked.set;
  if (!set.theta.empty() || !set.psi.empty()) {
    if (!scene || !scene->by_hand) return "";
    set = settled_choice(set, *scene);
  }
  set.given = settled_given(set, scene);
  words.push_back(set_arguments(set, SetCommand::figure).substr(1));
  words.push_back(fmt::format("--n {}", asked.n));
  if (asked.interval != IntervalKind::central)
    words.push_back(fmt::format("--interval {}", interval_word(asked.interval)));
  if (asked.learned_product) words.push_back("--learned-product");
  // The usual source is the better one, which the window may not have refined.
  const SourceWish first = shown ? shown->shown_source() : SourceWish::run;
  if (asked.source == SourceWish::both)
    words.push_back("--refine");
  else if (scene && scene->compared ? first == SourceWish::run || asked.source != SourceWish::best
                                    : first == SourceWish::refined)
    words.push_back("--source " + source_word(first));
  if (shown && shown->n == asked.n && shown->kept_axes) {
    std::vector<double> ends;
    for (const AxisRange& range : shown->kept_axes->ranges) ends.insert(ends.end(), {range.first, range.second});
    add("range", ends);
    add("height", shown->kept_axes->heights);
  }
  if (scene && scene->runs.size() == asked.others.size() + 1) add("shades", scene->shades);
  if (!options.data.empty()) words.push_back("--data-folder " + shell_word(options.data));
  if (options.device != "auto") words.push_back("--device " + shell_word(options.device));
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace pairs::model

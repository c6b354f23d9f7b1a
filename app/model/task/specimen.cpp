#include "app/model/task/specimen.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <numbers>
#include <optional>

#include "app/kinds/sample_plot.h"
#include "app/kinds/samples_figure.h"
#include "app/kinds/target_room.h"
#include "app/runs/input_text.h"
#include "core/base/fields/face.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/latest.h"
#include "core/estimator.h"
#include "core/given.h"
#include "core/report/number_text.h"
#include "core/train/settings/config.h"

namespace pairs::model {
namespace {

struct Loaded {
  std::shared_ptr<const Task> task;
  TaskCard card;
  SampleView view;
};

// The last simulated set, and its request. Only sampling jobs use it.
struct Simulated {
  std::uint64_t task = 0;
  ParameterValues setting;
  std::int64_t n = 0, seed = 0;
  Latents latents;
  Observations x;
  std::string subject;
};

struct Sample {
  Figure figure;
  std::string subject;
};

// The values that the user can set.
ParameterValues values_of(const Latents& latents, const TaskInfo& info) {
  return {target_room_of(info).settable(latents), doubles(latents.psi),
          latents.given.defined() ? doubles(latents.given) : std::vector<double>()};
}

Latents latents_of(const ParameterValues& setting, const TaskInfo& info) {
  const auto row = [](const std::vector<double>& values) {
    return torch::tensor(values, torch::kFloat64).unsqueeze(0);
  };
  return {target_room_of(info).theta_of(setting.theta), row(setting.psi),
          setting.given.empty() ? torch::Tensor() : row(setting.given)};
}

ParameterValues drawn(const Task& task, std::int64_t draw) {
  const std::int64_t index[] = {draw};
  return values_of(task.latents(kFigureSeed, Purpose::explore, index), task.info());
}

TaskCard card_of(const Task& task) {
  const TaskInfo& info = task.info();
  TaskCard card;
  card.name = info.name;
  card.title = info.title;
  card.summary = info.summary;
  card.theta_text = info.theta_text;
  card.psi_text = info.psi_text;
  card.x_text = info.x_text;
  if (const std::string input = input_text(task, input_scale(task)); !input.empty()) card.x_text += " " + input;
  for (const Target& target : info.targets) {
    const bool bounded = std::isfinite(target.low) && std::isfinite(target.high);
    const double low = bounded ? target.low : target.view_low, high = bounded ? target.high : target.view_high;
    card.theta.push_back({target.name, target.label, target.unit, low, high,
                          fmt::format("{} {} to {}", bounded ? "prior on" : "prior mostly on",
                                      number_text(low, bounded ? 0 : 1), number_text(high, bounded ? 0 : 1)),
                          quantity_title(target.label, target.meaning, {})});
  }
  for (const Nuisance& nuisance : info.nuisances)
    card.psi.push_back({nuisance.name, nuisance.label, nuisance.unit, nuisance.view_low, nuisance.view_high, "",
                        quantity_title(nuisance.label, nuisance.meaning, {}), nuisance.name == info.subject});
  if (face<HasGivenRanges>(task) != nullptr)
    for (const Given& one : info.given) card.given.push_back(one.label);
  card.max_n = info.max_n;
  const SampleAmounts amounts = room_of(info).amounts();
  card.shown_n = std::min(info.max_n, amounts.drawn);
  card.first_n = std::min(card.shown_n, amounts.drawn_first);
  card.shape_text = room_of(info).shape_text(info);
  card.source = info.data_source;
  card.source_hint = info.data_hint;
  card.turns = face<Bodies>(task) != nullptr;
  card.stored = task.stored() != nullptr;
  return card;
}

std::string given_line(const TaskInfo& info) {
  std::vector<std::string> labels;
  for (const Given& one : info.given) labels.push_back(one.label);
  return fmt::format("given: {}", fmt::join(labels, ", "));
}

std::string numbers_text(std::int64_t count) {
  return count == 1 ? "1 number" : fmt::format("{} numbers", count_text(count));
}

// The networks of the preset, with its own settings of the task.
Network network_of(const Tasks& tasks, const TaskInfo& shown, const std::string& preset) {
  const RunConfig run = load_preset(tasks, shown, preset, "pairs", {});
  const EstimatorConfig& config = run.estimator;
  const auto task = run.make_task();
  const TaskInfo& info = task->info();
  Estimator estimator(task, config, 1);
  const NetworkDescription embedder = estimator.embedder().describe(), head = estimator.head(0).describe();
  const std::int64_t size = estimator.embedding_size();
  Network network;
  network.task = info.name;
  network.preset = preset;
  network.parts.push_back({"x", "Set of N", {"each x: " + room_of(info).shape_text(info)}, 0, 0, "", ""});
  network.parts.push_back({"embedder", "Embedder t", embedder.lines, embedder.parameters, embedder.flops, "observation",
                           numbers_text(size)});
  network.parts.push_back(
      {"mean", "Mean over N", {"T = mean of t(x)", "any N, any order"}, 0, 0, "", numbers_text(size)});
  std::vector<std::string> encoding = {"N is left out: a head for each N"};
  if (config.encoding == "log") encoding = {"log N / log N_max next to T"};
  if (config.encoding == "linear") encoding = {"N / N_max next to T"};
  if (info.given_size() > 0) encoding.push_back(given_line(info));
  network.parts.push_back({"encoding", "+ N", encoding, 0, 0, "", ""});
  network.parts.push_back({"head", "Head q", head.lines, head.parameters, head.flops, "set", ""});
  network.parts.push_back(
      {"posterior",
       "Posterior",
       {fmt::format("q({} | x₁ … x_N)", target_room_of(info).labels_text(info)), target_room_of(info).gives()},
       0,
       0,
       "",
       ""});
  for (const NetworkPart& part : network.parts) network.parameters += part.parameters;
  return network;
}

}  // namespace

struct Specimen::State {
  explicit State(Hub& shared) : hub(shared) {}

  void report(const std::string& text) { hub.messages.error("task", text); }

  void load(const std::string& name) {
    ++generation;
    wanted = name;
    loaded = nullptr;
    failure.clear();
    sample_failure.clear();
    sampled = nullptr;
    turned = {};
    new_sample.forget();
    forget_network();
    TaskOptions options = of_run;
    if (!hub.data_folder.empty()) options.data = hub.data_folder.string();
    new_task.forget();
    new_task.ask([tasks = hub.tasks, name, options = std::move(options)](const auto&) {
      auto made = std::make_shared<Loaded>();
      made->task = tasks->make(name, options);
      made->card = card_of(*made->task);
      made->view = prior_view(*made->task);
      return made;
    });
  }

  void sample() {
    if (!loaded) return;
    // A new stored set is another index, a simulated one another seed.
    const std::int64_t index = loaded->card.stored ? prior_draw : 0, seed = loaded->card.stored ? 0 : draw;
    new_sample.ask(
        [this, task = generation, from = loaded, setting = setting, n = n, index, seed, turned = turned](const auto&) {
          Simulated& set = simulated;
          if (set.task != task || set.setting != setting || set.n != n || set.seed != seed) {
            set.task = 0;
            set.latents = latents_of(setting, from->task->info());
            const SetRange range[] = {{index, 0, n}};
            set.x = from->task->observe(set.latents, kFigureSeed + static_cast<std::uint64_t>(seed), Purpose::explore,
                                        range, torch::kCPU);
            const Bodies* of = face<Bodies>(*from->task);
            set.subject = of ? of->subject_text(set.latents) : "";
            set.setting = setting;
            set.n = n;
            set.seed = seed;
            set.task = task;
          }
          Figure made;
          made.source = fmt::format("{}; {}", from->card.title, from->card.source);
          made.plot_width = 480;
          made.plot_height = 320;
          SampleView view = from->view;
          view.turned = turned;
          Plot plot = sample_plot(*from->task, set.latents, set.x, view);
          const std::string values = latents_text(from->task->info(), set.latents);
          plot.title = fmt::format("N = {}{}{}", count_text(n), values.empty() ? "" : ", ", values);
          made.plots.push_back(std::move(plot));
          return std::make_shared<const Sample>(Sample{std::move(made), set.subject});
        });
  }

  void forget_network() {
    network = nullptr;
    network_failure.clear();
    new_network.forget();
  }

  void count() {
    forget_network();
    if (!loaded) return;
    new_network.ask([tasks = hub.tasks, from = loaded, preset = preset](const auto&) {
      return std::make_shared<const Network>(network_of(tasks, from->task->info(), preset));
    });
  }

  void constrain(Component changed) {
    const TaskInfo& info = loaded->task->info();
    Latents latents = latents_of(setting, info);
    loaded->task->constrain(latents, changed);
    setting = values_of(latents, info);
  }

  Hub& hub;
  std::string wanted;
  TaskOptions of_run;
  std::uint64_t generation = 0;  // of the shown task
  std::shared_ptr<const Loaded> loaded;
  std::string failure, sample_failure, network_failure;
  ParameterValues setting;
  std::int64_t n = 1, draw = 0, prior_draw = 0;
  std::string preset = "small";
  BodyView turned;
  std::shared_ptr<const Sample> sampled;
  std::shared_ptr<const Network> network;
  Simulated simulated;

  Latest<Loaded> new_task{[this] { hub.wake(); }};
  // Sampling jobs are short: while a slider is dragged, each shows the values at its start.
  Latest<Sample> new_sample{[this] { hub.wake(); }, Late::keep};
  Latest<Network> new_network{[this] { hub.wake(); }};
};

Specimen::Specimen(Hub& hub) : state_(std::make_unique<State>(hub)) {}
Specimen::~Specimen() = default;

void Specimen::show(const std::string& task, TaskOptions of_run) {
  State& s = *state_;
  if (of_run.settings.empty() && !task.empty()) of_run.settings = s.hub.tasks->default_settings(task);
  if (task == s.wanted && of_run.data == s.of_run.data && of_run.file == s.of_run.file &&
      of_run.settings == s.of_run.settings)
    return;
  s.of_run = std::move(of_run);
  s.load(task);
}

void Specimen::reload() {
  if (!state_->wanted.empty()) state_->load(state_->wanted);
}

const TaskCard* Specimen::card() const {
  return state_->loaded ? &state_->loaded->card : nullptr;
}
const std::string& Specimen::failure() const {
  return state_->failure;
}
const std::string& Specimen::sample_failure() const {
  return state_->sample_failure;
}
const ParameterValues& Specimen::values() const {
  return state_->setting;
}

void Specimen::set_theta(std::size_t index, double value) {
  State& s = *state_;
  if (!s.loaded || s.loaded->card.stored || index >= s.setting.theta.size()) return;
  const Parameter& parameter = s.loaded->card.theta[index];
  const auto before = s.setting;
  s.setting.theta[index] = std::clamp(value, parameter.low, parameter.high);
  s.constrain({false, static_cast<std::int64_t>(index)});
  if (s.setting != before) s.sample();
}

void Specimen::set_psi(std::size_t index, double value) {
  State& s = *state_;
  if (!s.loaded || s.loaded->card.stored || index >= s.setting.psi.size()) return;
  const Parameter& parameter = s.loaded->card.psi[index];
  const auto before = s.setting;
  s.setting.psi[index] = std::clamp(value, parameter.low, parameter.high);
  s.constrain({true, static_cast<std::int64_t>(index)});
  if (s.setting != before) s.sample();
}

std::int64_t Specimen::n() const {
  return state_->n;
}

void Specimen::set_n(std::int64_t n) {
  State& s = *state_;
  if (!s.loaded) return;
  n = std::clamp<std::int64_t>(n, 1, s.loaded->card.shown_n);
  if (n == s.n) return;
  s.n = n;
  s.sample();
}

void Specimen::new_set() {
  if (!state_->loaded) return;
  if (state_->loaded->card.stored) return draw_from_prior();
  ++state_->draw;
  state_->sample();
}

void Specimen::draw_from_prior() {
  State& s = *state_;
  if (!s.loaded) return;
  s.setting = drawn(*s.loaded->task, ++s.prior_draw);
  s.sample();
}

std::int64_t Specimen::draw() const {
  return state_->draw;
}
const BodyView& Specimen::turned() const {
  return state_->turned;
}

void Specimen::turn(double azimuth, double elevation) {
  State& s = *state_;
  if (!s.loaded || !s.loaded->card.turns) return;
  BodyView to{std::remainder(s.turned.azimuth + azimuth, 2 * std::numbers::pi),
              std::clamp(s.turned.elevation + elevation, -std::numbers::pi / 2, std::numbers::pi / 2)};
  if (to == s.turned) return;
  s.turned = to;
  s.sample();
}

void Specimen::turn_back() {
  State& s = *state_;
  turn(BodyView().azimuth - s.turned.azimuth, BodyView().elevation - s.turned.elevation);
}

std::shared_ptr<const Figure> Specimen::figure() const {
  const auto& sampled = state_->sampled;
  return sampled ? std::shared_ptr<const Figure>(sampled, &sampled->figure) : nullptr;
}
const std::string& Specimen::subject() const {
  static const std::string none;
  return state_->sampled ? state_->sampled->subject : none;
}
const std::string& Specimen::preset() const {
  return state_->preset;
}

void Specimen::set_preset(const std::string& preset) {
  if (preset == state_->preset) return;
  state_->preset = preset;
  state_->count();
}

std::shared_ptr<const Network> Specimen::network() const {
  return state_->network;
}
const std::string& Specimen::network_failure() const {
  return state_->network_failure;
}

std::string Specimen::batch_command() const {
  std::string command = fmt::format("pairs --batch figure samples {} --out samples.svg", shell_word(state_->wanted));
  if (!state_->hub.data_folder.empty()) command += " --data-folder " + shell_word(state_->hub.data_folder.string());
  return command;
}

bool Specimen::poll() {
  State& s = *state_;
  bool changed = false;
  if (const auto answer = s.new_task.take()) {
    changed = true;
    s.failure = answer->failure;
    s.loaded = answer->value;
    if (s.loaded) {
      s.prior_draw = s.draw = 0;
      s.setting = drawn(*s.loaded->task, 0);
      s.n = s.loaded->card.first_n;
      s.sample();
      s.count();
    } else {
      s.report(s.failure);
    }
  }
  if (const auto answer = s.new_sample.take()) {
    changed = true;
    s.sample_failure = answer->failure;
    if (answer->value)
      s.sampled = answer->value;
    else
      s.report(answer->failure);
  }
  if (const auto answer = s.new_network.take(); answer && (!answer->value || answer->value->preset == s.preset)) {
    changed = true;
    s.network = answer->value;
    s.network_failure = answer->failure;
  }
  return changed;
}

bool Specimen::busy() const {
  const State& s = *state_;
  return s.new_task.waits() || s.new_sample.waits() || s.new_network.waits();
}

bool Specimen::wait(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  const auto left = [&] { return std::chrono::duration<double>(end - std::chrono::steady_clock::now()).count(); };
  while (busy()) {
    if (left() <= 0) return false;
    state_->new_task.wait(left());
    state_->new_sample.wait(left());
    state_->new_network.wait(left());
    poll();
  }
  return true;
}

}  // namespace pairs::model

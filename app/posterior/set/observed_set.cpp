#include "app/posterior/set/observed_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/kinds/arrays.h"
#include "app/kinds/range_text.h"
#include "app/kinds/samples_figure.h"
#include "app/posterior/question/other_given.h"
#include "app/posterior/question/random_subset.h"
#include "app/posterior/set/chosen_sets.h"
#include "app/posterior/set/listed_items.h"
#include "app/posterior/set/set_kind.h"
#include "core/base/fields/face.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/given.h"
#include "core/report/number_text.h"
#include "render/scene_picture.h"
#include "tasks/file_reader.h"
#include "tasks/parts/outlines.h"
#include "tasks/scene_views.h"
#include "tasks/view_folder.h"

namespace pairs {
namespace {

constexpr std::int64_t kOutlined = 6;  // maximum number of images with curves, so that they are large enough

void put(torch::Tensor& row, const std::vector<double>& values, const char* what) {
  if (values.empty()) return;
  PAIRS_CHECK(static_cast<std::int64_t>(values.size()) == row.size(1), "{} takes {}, not {}", what,
              counted(static_cast<std::size_t>(row.size(1)), "value"), values.size());
  PAIRS_CHECK(std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }),
              "{} must be finite numbers; {} was given", what, fmt::join(values, ","));
  row = torch::tensor(values, torch::kFloat64).unsqueeze(0);
}

void check_same(const torch::Tensor& wanted, const torch::Tensor& possible, const char* what) {
  PAIRS_CHECK(torch::allclose(wanted, possible, 1e-6, 1e-6), "{} = {} cannot be had; the nearest that can is {}", what,
              fmt::join(doubles(wanted), ","), fmt::join(doubles(possible), ","));
}

// Values that were not just changed must be possible as they are.
void check_values(const Task& task, const Latents& wanted) {
  for (std::int64_t k = 0; k < wanted.psi.size(1); ++k) {
    Latents constrained{wanted.theta.clone(), wanted.psi.clone(), wanted.given};
    task.constrain(constrained, {true, k});
    check_same(wanted.psi, constrained.psi, "ψ");
    check_same(wanted.theta, constrained.theta, "θ");
  }
}

void set_by_hand(const Task& task, const SetChoice& choice, Latents& latents) {
  put(latents.theta, choice.theta, "θ");
  put(latents.psi, choice.psi, "ψ");
  if (!choice.given.empty()) {
    latents.given = read_given(choice.given, {}, task.info());
    check_given(task, latents.given, "--conditions");
  }
  const std::vector<Target>& targets = task.info().targets;
  for (std::size_t t = 0; t < choice.theta.size(); ++t)
    PAIRS_CHECK(choice.theta[t] >= targets[t].low && choice.theta[t] <= targets[t].high,
                "{} lies between {} and {}; {} was given", targets[t].label, targets[t].low, targets[t].high,
                choice.theta[t]);
  if (choice.changed) return task.constrain(latents, *choice.changed);
  if (choice.theta.empty() && choice.psi.empty()) return;
  if (choice.psi.empty())
    for (std::int64_t t = 0; t < latents.theta.size(1); ++t) task.constrain(latents, {false, t});
  else if (choice.theta.empty())
    task.constrain(latents, {true, latents.psi.size(1) - 1});
  else
    return check_values(task, latents);
  if (!choice.theta.empty()) check_same(torch::tensor(choice.theta, torch::kFloat64), latents.theta[0], "θ");
  if (!choice.psi.empty()) check_same(torch::tensor(choice.psi, torch::kFloat64), latents.psi[0], "ψ");
}

// A warning if cameras [V, 2] or the target are where render::draw_camera puts none; else "".
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

// Whether a path that exists, or the text of an item, is one set rather than many.
bool names_one_set(const Task& task, const SetChoice& choice) {
  std::error_code error;
  const Items* const known = face<Items>(task);
  const bool there = std::filesystem::exists(choice.file, error) || (known && known->is_item(choice.file.string()));
  return there && !holds_many_sets(task, of_all_members(choice));
}

std::vector<double> values_of(const torch::Tensor& row) {
  return row.defined() ? doubles(row) : std::vector<double>();
}

}  // namespace

ObservedSet::ObservedSet(std::shared_ptr<const Task> task, SetChoice choice)
    : task_(std::move(task)), choice_(std::move(choice)) {
  simulated() ? draw() : read();
}

void ObservedSet::read() {
  const SceneViews* const views = face<SceneViews>(*task_);
  const std::string words = printable(choice_.file.string(), 300);
  const SetKind kind = set_kind(*task_, choice_);
  const bool named = !choice_.member.empty();
  if (kind != SetKind::views && named && choice_.group.empty() && names_one_set(*task_, choice_))
    fail_usage("--member names one of many sets, and {} is one set; leave it out{}", words,
               kind == SetKind::item ? "" : ", or name the column that separates its sets with --group");
  std::error_code error;
  if (kind == SetKind::observations && !named && !choice_.group.empty())
    fail_usage("--group separates many sets, and this is about one of them; choose it with --member");
  if (kind == SetKind::observations && !named && std::filesystem::is_directory(choice_.file, error) &&
      holds_many_sets(*task_, choice_))
    fail_usage("{} holds many sets, and this is about one of them; choose it with --member", words);
  if (kind == SetKind::item && choice_.member.empty() && lists_items(*task_, choice_.file))
    fail_usage(
        "{} names several items, each of which is a set: query one of them with --member, or all with infer or figure "
        "forest",
        words);
  check_fields(*task_, choice_);
  if (kind == SetKind::item) {
    const Items& known = *face<Items>(*task_);
    const std::string text = choice_.file.string();
    return read_item(known, choice_.member.empty() ? text : listed_item(known, choice_.file, choice_.member));
  }
  if (!choice_.member.empty()) return read_member();
  if (kind == SetKind::views) return read_views(*views);
  read_table();
  if (choice_.without_given) return;
  read_given_of_file();
  if (views) warn(elevation_warning(at::empty({0, 2}, torch::kFloat64), views->target(latents_.given)));
}

// How to read the file if it is a table.
TableColumns ObservedSet::table_columns() const {
  TableColumns read{.chosen = choice_.columns, .files = file_columns(*task_), .held = choice_.held};
  read.reader = choice_.reader.empty() ? file_reader(*task_, choice_.file) : choice_.reader;
  read.table = choice_.table;
  read.missing = choice_.missing;
  return read;
}

void ObservedSet::read_given_of_file() {
  const TaskInfo& info = task_->info();
  if (info.given.empty() && choice_.given.empty()) return;
  const TableColumns read = table_columns();
  const torch::Tensor middle = choice_.assume_given && choice_.given.empty() ? middle_given(*task_) : torch::Tensor();
  if (middle.defined() && !holds_given(choice_.file, info, read)) {
    latents_.given = middle;
    given_assumed_ =
        fmt::format("The file does not state the conditions of the set: {} is taken, the middle of training; set it",
                    given_text(*task_, middle));
    warn(given_assumed_);
    return;
  }
  latents_.given = read_given(choice_.given, choice_.file.string(), info, read);
  check_given(*task_, latents_.given, choice_.given.empty() ? printable(choice_.file.string(), 300) : "--conditions");
  if (choice_.given.empty() || !holds_given(choice_.file, info, read)) return;
  warn(other_given_text(*task_, read_given("", choice_.file.string(), info, read), latents_.given));
}

void ObservedSet::read_table() {
  const TaskInfo& info = task_->info();
  ObservedTable observed = read_observed_columns(
      choice_.file, info, choice_.random ? std::numeric_limits<std::int64_t>::max() : info.max_n, table_columns());
  held_ = observed.held;
  dropped_ = observed.dropped;
  used_ = std::min(held_, info.max_n);
  columns_ = std::move(observed.columns);
  taken_ = std::move(observed.taken);
  if (!choice_.random) {
    x_ = observed.x;
    rows_ = std::move(observed.rows);
  } else {
    x_ = observed.rows ? random_subset(*observed.rows, used_, *choice_.random)
                       : random_subset(observed.x, used_, *choice_.random);
  }
  warnings_ = std::move(observed.warnings);
  if (held_ > info.max_n) note_ = cut_set_text(name(), held_, info, choice_.random.has_value());
}

void ObservedSet::read_member() {
  const TaskInfo& info = task_->info();
  const ManySets sets = many_sets(*task_, choice_);
  Observed observed = read_one_set(sets, choice_.member, info);
  held_ = observed.held;
  dropped_ = observed.dropped;
  used_ = std::min(held_, info.max_n);
  x_ = choice_.random ? random_subset(observed.x, used_, *choice_.random)
                      : observed.x.slice(0, std::min(observed.x.count(), used_));
  warnings_ = std::move(observed.warnings);
  if (held_ > info.max_n) note_ = cut_set_text(name(), held_, info, choice_.random.has_value());
  latents_.given = sets.given_known ? read_given(choice_.given, "", info) : observed.given;
  check_given(*task_, latents_.given, sets.given_known ? "--conditions" : name());
  if (sets.given_known) warn(other_given_text(*task_, observed.given, latents_.given));
}

std::string cut_set_text(const std::string& name, std::int64_t held, const TaskInfo& info, bool random) {
  return fmt::format("{} holds {} observations; {} {} are used, the maximum for the task {}", name, count_text(held),
                     random ? "a random" : "the first", count_text(info.max_n), info.title);
}

void ObservedSet::read_views(const SceneViews& views) {
  const std::string words = printable(choice_.file.string(), 300);
  if (!choice_.camera)
    fail_usage("{} is a folder of views; name the camera whose view is wanted with --camera AZ,EL in degrees", words);
  const ViewFolder folder = read_view_folder(choice_.file, views.cast().height, views.cast().half_width);
  Observed observed =
      as_observations(views.observations(folder.images, folder.cameras, *choice_.camera), task_->info(), words);
  held_ = observed.held;
  x_ = std::move(observed.x);
  warnings_ = std::move(observed.warnings);
  latents_.given = views.given(*choice_.camera);
  warn(elevation_warning(folder.cameras, *choice_.camera));
  warn(folder.left_out);
}

void ObservedSet::warn(const std::string& text) {
  if (!text.empty()) warnings_.push_back(text);
}

void ObservedSet::read_item(const Items& known, const std::string& text) {
  if (!choice_.up.empty() && known.ups().empty())
    fail_usage("--up turns items that have an axis; a {} has none that points up, so leave it out", known.item());
  ItemSet set = known.read_item(text, 0, choice_.seed, choice_.up);
  of_item_ = true;
  marks_ = marks_of(set);
  read_as_ = std::move(set.read_as);
  title_ = std::move(set.title);
  latents_ = std::move(set.latents);
  if (!choice_.given.empty() || !latents_.given.defined())
    latents_.given = read_given(choice_.given, text, task_->info());
  x_ = std::move(set.x);
  held_ = x_.count();
  warnings_ = std::move(set.warnings);
}

void ObservedSet::draw() {
  check_fields(*task_, choice_);
  const TaskInfo& info = task_->info();
  const std::int64_t index[] = {choice_.index};
  latents_ = task_->latents(kFigureSeed, Purpose::explore, index);
  set_by_hand(*task_, choice_, latents_);
  held_ = info.max_n;
}

std::vector<double> ObservedSet::theta() const {
  return values_of(latents_.theta);
}
std::vector<double> ObservedSet::truth() const {
  return of_item_ ? marks_.truth() : theta();
}
std::vector<double> ObservedSet::psi() const {
  return of_item_ ? std::vector<double>() : values_of(latents_.psi);
}

Observations ObservedSet::part(std::int64_t from, std::int64_t to) {
  PAIRS_CHECK(to <= size(), "The set holds {} observations; {} were asked for", size(), to);
  return rows_ ? rows_->part(from, to) : first(to).slice(from, to);
}

Observations ObservedSet::first(std::int64_t n) {
  PAIRS_CHECK(n <= size(), "The set holds {} observations; {} were asked for", size(), n);
  if (rows_) return rows_->part(0, n);
  const std::int64_t ready = x_.count();
  if (n > ready) {
    const SetRange range[] = {{choice_.index, ready, n - ready}};
    const Observations more = task_->observe(latents_, kFigureSeed, Purpose::explore, range, torch::kCPU);
    const Observations both[] = {x_, more};
    x_ = ready > 0 ? Observations::concatenate(both) : more;
  }
  return x_.slice(0, n);
}

std::string ObservedSet::name() const {
  if (simulated())
    return fmt::format("Set {} of the prior{}", count_text(choice_.index),
                       choice_.theta.empty() && choice_.psi.empty() ? "" : ", changed");
  if (!choice_.member.empty()) return printable(choice_.member, choice_.member.size());
  if (of_item_) return title_;
  const std::string last = choice_.file.filename().string();
  return last.empty() ? choice_.file.parent_path().filename().string() : last;
}

std::string ObservedSet::short_name() const {
  if (!simulated()) return name();
  return fmt::format("set {}{}", count_text(choice_.index),
                     choice_.theta.empty() && choice_.psi.empty() ? "" : ", changed");
}

std::string ObservedSet::source() const {
  return simulated() ? task_->info().data_source : choice_.file.string();
}

std::string ObservedSet::words() const {
  return source() + (choice_.member.empty() ? "" : ", set " + printable(choice_.member, choice_.member.size())) +
         (choice_.random ? fmt::format(", drawn at random by seed {}", *choice_.random) : "");
}

std::int64_t ObservedSet::drawn(std::int64_t n) const {
  return std::min(n, face<Outlines>(*task_) && simulated() ? kOutlined : room_of(task_->info()).amounts().shown);
}

Figure ObservedSet::picture(std::int64_t n, const SampleView& view) {
  const std::int64_t count = drawn(n);
  Plot plot = sample_plot(*task_, latents_, first(count), view);
  plot.legend = false;
  plot.title = (count == n ? count_text(n) : fmt::format("first {} of {}", count_text(count), count_text(n))) + " · " +
               (simulated() ? source() : name());
  Figure figure;
  figure.plots.push_back(std::move(plot));
  return figure;
}

const Items* items_named(const Task& task, const std::string& text) {
  const Items* const known = face<Items>(task);
  if (!known || known->is_item(text)) return known;
  std::error_code error;
  if (!std::filesystem::exists(text, error))
    fail("{} is no file that is there, and no {}; for the task {} give a file of observations, or {}",
         printable(text, 300), known->item(), task.info().name, known->item_help());
  return nullptr;
}

}  // namespace pairs

#include "app/model/posterior/posterior_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/model/posterior/shown/posterior_scene.h"
#include "app/posterior/question/set_arguments.h"
#include "core/base/text/error.h"

namespace pairs::model {
namespace {

// A round N whose posterior is informative, with room for smaller and larger N.
std::int64_t first_n(std::int64_t most) {
  const double n = std::pow(static_cast<double>(most), 0.75), power = std::pow(10, std::floor(std::log10(n)));
  return std::max<std::int64_t>(1, std::llround(std::round(n / power) * power));
}

}  // namespace

void PosteriorState::ask() {
  shaded = hub.run_shades->version();
  if (request.asked.run.empty()) return background.cancel();
  request.tasks = hub.tasks;
  request.data = hub.data_folder.string();
  request.device = hub.device;
  request.asked.n = player.n();
  request.shades.clear();
  request.shades[request.asked.run] = hub.run_shades->of(request.asked.run);
  for (const std::string& other : request.asked.others) request.shades[other] = hub.run_shades->of(other);
  background.request(request);
}

void PosteriorState::pin(PinnedPosteriors pinned) {
  if (pinned == request.pinned) return;
  follower.set_pinned(pinned);
  request.pinned = std::move(pinned);
  ask();
}

bool PosteriorState::take_restored() {
  const auto restored = restoring.take();
  if (!restored) return false;
  for (const std::string& problem : restored->problems) hub.messages.warning("session", problem);
  std::vector<PinnedPosterior> all = restored->pinned;
  for (PinnedPosterior& one : all) one.id = ++last_pin;
  pin(std::make_shared<const std::vector<PinnedPosterior>>(std::move(all)));
  return true;
}

void PosteriorState::take_restored_derived() {
  if (!restored_derived) return;
  std::vector<std::string> good, texts = *std::exchange(restored_derived, std::nullopt);
  for (std::string& text : texts) {
    good.push_back(std::move(text));
    try {
      derived_quantities(good, result.scene->names);
    } catch (const Error& error) {
      hub.messages.warning("session", fmt::format("A derived quantity is left out: {}", error.what()));
      good.pop_back();
    }
  }
  request.asked.other_derived[result.scene->names] = std::move(good);
  ask();
}

bool PosteriorState::is_shown() const {
  return result.scene && result.scene->set == request.set.id && result.scene->runs.front().run == request.asked.run;
}

SetChoice PosteriorState::chosen() const {
  if (!is_shown()) return request.asked.set;
  SetChoice set = result.scene->choice;
  set.assume_given = false;
  return set;
}

SetChoice PosteriorState::asked_set() const {
  if (const auto state = follower.result().state; state && follow_scene) {
    SetChoice set = follow_scene->choice;
    if (state->used < state->seen) set.random = kFollowSeed;
    return set;
  }
  SetChoice set = is_shown() ? settled_choice(chosen(), *result.scene) : request.asked.set;
  set.changed.reset();
  return set;
}

void PosteriorState::keep_shown() {
  if (result.scene && result.scene->set == request.set.id) before = {chosen(), request.set};
}

void PosteriorState::take(const AskedSet& set) {
  request.asked.set = set.set;
  request.set = set.request;
}

void PosteriorState::go_back() {
  // If there was no previous set, requests a simulated one instead.
  if (failed_set != request.set.id) {
    failed_choice = request.asked.set;
    failed_whole = request.set.whole;
  }
  failed_set = request.set.id;
  if (result.scene && result.scene->set == before.request.id) take(before);
  choose_shown();
}

void PosteriorState::take_many() {
  if (result.many_set == 0 || result.many_set != request.set.id) return;
  SetChoice sets = request.asked.set;
  // The set that is shown stays until one of the many is.
  if (result.scene && result.scene->set == before.request.id)
    take(before);
  else
    another_set({.index = sets.index});
  open_sets(std::move(sets));
}

void PosteriorState::forget_failure() {
  result.set_failure.clear();
  failed_set = 0;
  failed_choice.reset();
}

void PosteriorState::another_set(SetChoice choice, bool whole, bool opened) {
  end_following();
  if (table.is_open() && (choice.member.empty() || choice.file != table.sets().question.set.file)) close_table();
  request.asked.set = std::move(choice);
  request.set = {++last_set, "", whole, opened};
  forget_failure();
  ask();
}

void PosteriorState::follow_player() {
  if (result.scene && !result.scene->simulated) {
    // If the whole usable file is shown, forgets N, so that it follows the file's size.
    if (player.n() == std::min(result.scene->most, result.scene->trained))
      file_n.erase(result.scene->task);
    else
      file_n[result.scene->task] = player.n();
  }
  if (player.n() != request.asked.n) ask();
}

void PosteriorState::take_scene() {
  const PosteriorScene& scene = *result.scene;
  const bool other_task = scene.task != scene_task, other_set = other_task || scene.set != scene_set;
  const bool other_file = other_task || scene.set_source + '\n' + scene.choice.member != scene_source;
  scene_task = scene.task;
  scene_set = scene.set;
  scene_source = scene.set_source + '\n' + scene.choice.member;
  if (is_shown()) {
    // Each task has its own files and values.
    if (scene.simulated)
      request.files.erase(scene.task);
    else
      request.files[scene.task] = chosen();
  }
  // For a new file, N is its size, up to the largest N in training; for an earlier file, the N shown before.
  std::int64_t of_file = std::min(scene.most, scene.trained);
  if (const auto before = file_n.find(scene.task); other_task && before != file_n.end()) of_file = before->second;
  const bool restored = scene.set == request.set.id && restored_n > 0;
  if (restored) of_file = std::exchange(restored_n, 0);
  if (scene.simulated) file_n.erase(scene.task);
  if (scene.set == request.set.id) take_restored_derived();
  const bool other_most = scene.most != player.most();
  player.set_range(scene.most, scene.sizes);
  // A session also sets N for a file that is already shown.
  if (restored || (other_set && other_file && !scene.simulated))
    player.want(of_file);
  else if (other_most && !chosen_n && scene.simulated)
    player.want(first_n(scene.most));
  player.want(player.n());
  follow_player();
}

std::shared_ptr<const PosteriorScene> PosteriorState::scene() const {
  return follow_scene ? follow_scene : result.scene;
}

std::shared_ptr<const PosteriorSnapshot> PosteriorState::shown() const {
  return follow_scene ? follower.result().snapshot : result.snapshot;
}

std::shared_ptr<const FollowState> PosteriorState::following() const {
  return follower.result().state;
}

std::vector<std::string> PosteriorState::derived() const {
  const auto now = scene();
  const auto known = now ? request.asked.other_derived.find(now->names) : request.asked.other_derived.end();
  return known == request.asked.other_derived.end() ? std::vector<std::string>() : known->second;
}

void PosteriorState::simulate() {
  end_following();
  if (const SetChoice set = chosen(); !set.simulated()) another_set({.index = std::max<std::int64_t>(set.index, 0)});
}

std::string PosteriorState::inquiry_key() const {
  return fmt::format("{} n {}{} {}", request.asked.run, player.n(), set_arguments(asked_set(), SetCommand::figure),
                     result.scene ? result.scene->set_stamp : "");
}

}  // namespace pairs::model

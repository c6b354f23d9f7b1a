#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/hub/looked_path.h"
#include "app/model/hub/n_player.h"
#include "app/posterior/question/question.h"
#include "core/task.h"

namespace pairs::model {

class Posterior;
class Viewer;

// Visits the concrete page.
class PosteriorPageVisitor {
 public:
  virtual ~PosteriorPageVisitor() = default;
  virtual void visit(Posterior& page) = 0;
  virtual void visit(Viewer& page) = 0;
};

// Why the window cannot show the user's own views, and which command reads them. `seer`: a run or a task.
std::string views_refusal(const std::filesystem::path& path, const std::string& seer);

// The Posterior tab of a task: densities of parameters (Posterior), or images of a scene (Viewer).
class PosteriorPage {
 public:
  virtual ~PosteriorPage() = default;
  virtual void accept(PosteriorPageVisitor& visitor) = 0;

  // Shows a run: a folder, or a task's name for its shipped weights; "": the task without a run.
  virtual void open(const std::string& run) = 0;
  // Clears the page and stops its work.
  virtual void close() = 0;
  // Rereads the run.
  virtual void reload() = 0;

  // The selected N.
  std::int64_t n() const { return player_.n(); }
  void set_n(std::int64_t n);
  // Steps to the next (1) or previous (-1) round N: whole numbers up to 100, then two digits.
  void step_n(int direction);
  // Starts or stops playing: N grows from 1 to the maximum in eight seconds; started at the maximum, it begins again.
  void toggle_play();
  bool playing() const { return player_.playing(); }
  void set_loop(bool loop) { player_.set_loop(loop); }
  bool loop() const { return player_.loop(); }
  // Advances a playing N, as poll() does with the clock.
  void advance(double seconds);

  // Simulates another set from the prior.
  virtual void new_set() = 0;

  // The task whose data the page shows; null before it is loaded, and for a page of its own scenes.
  virtual std::shared_ptr<const Task> data_task() const { return nullptr; }
  // Shows the data in a file or folder, or named by a text. Returns "" if they are being loaded, else why they cannot
  // be shown; nothing if this page does not handle such a path.
  virtual std::optional<std::string> open_data(const LookedPath& looked) = 0;

  // What the page shows, as a later start shows it again.
  virtual Question question() const = 0;
  // Shows it, before anything else is asked of the run that is open.
  virtual void restore(const Question& question) = 0;

 protected:
  explicit PosteriorPage(std::int64_t first_n = 1) : player_(first_n) {}
  // Whether the user can set N; and the reaction to a new N.
  virtual bool can_choose_n() const { return true; }
  virtual void n_chosen() {}
  // Whether a playing N may advance; and the update after N has changed.
  virtual bool ready() const = 0;
  virtual void follow_player() = 0;
  // For poll(): advances a playing N by the clock. Returns whether N is playing.
  bool play();

  NPlayer player_;
};

}  // namespace pairs::model

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/model/hub/n_player.h"
#include "app/posterior/question.h"

namespace pairs::model {

class Posterior;
class Viewer;

// Of which page it is that a window draws.
class PosteriorPageVisitor {
 public:
  virtual ~PosteriorPageVisitor() = default;
  virtual void visit(Posterior& page) = 0;
  virtual void visit(Viewer& page) = 0;
};

// Why views of a person's own cannot be shown in the window, and what reads them: `seer`, a run or a task.
std::string views_refusal(const std::filesystem::path& path, const std::string& seer);

// The Posterior tab of a task: densities of parameters (Posterior), or what a camera sees of a scene (Viewer).
class PosteriorPage {
 public:
  virtual ~PosteriorPage() = default;
  virtual void accept(PosteriorPageVisitor& visitor) = 0;

  // Shows a run: a folder, or a task's name for its shipped weights; "": what there is to see without one.
  virtual void open(const std::string& run) = 0;
  // Shows nothing and works at nothing.
  virtual void close() = 0;
  // Reads the run again.
  virtual void reload() = 0;

  // The N that is wanted.
  std::int64_t n() const { return player_.n(); }
  void set_n(std::int64_t n);
  // To the next (1) or last (-1) N worth looking at: whole numbers up to 100, two digits beyond.
  void step_n(int direction);
  // Lets N grow from 1 to the largest in eight seconds. At its end it begins again.
  void toggle_play();
  bool playing() const { return player_.playing(); }
  void set_loop(bool loop) { player_.set_loop(loop); }
  bool loop() const { return player_.loop(); }
  // What poll() does with the clock: moves a playing N on.
  void advance(double seconds);

  // Another observed set of the prior.
  virtual void new_set() = 0;

  // Shows what a file or folder holds, or what its words name; `images`: a folder that holds images. "" when it is on
  // its way, else why it cannot be shown, a sentence; nothing where such a path is not this page's.
  virtual std::optional<std::string> open_data(const std::filesystem::path& path, bool images) = 0;

  // What the page shows, as a later start shows it again.
  virtual Question question() const = 0;
  // Shows it, before anything else is asked of the run that is open.
  virtual void restore(const Question& question) = 0;

 protected:
  explicit PosteriorPage(std::int64_t first_n = 1) : player_(first_n) {}
  // Whether N can be chosen by hand; and that it was.
  virtual bool can_choose_n() const { return true; }
  virtual void n_chosen() {}
  // Whether a playing N goes on, rather than wait for what is there; and what follows from another N.
  virtual bool ready() const = 0;
  virtual void follow_player() = 0;
  // For poll(): moves a playing N on by the clock. Whether one plays.
  bool play();

  NPlayer player_;
};

}  // namespace pairs::model

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/model/hub/hub.h"
#include "core/report/figure.h"
#include "core/task.h"
#include "tasks/parts/bodies.h"

namespace pairs::model {

// One slider of θ or ψ.
struct Parameter {
  std::string name, label, unit;
  double low = 0, high = 1;  // the range of the slider
  std::string prior;         // "0 to 1", "around −1, spread 0.8"; empty for ψ, whose prior is a sentence
  std::string title = {};    // "ψ, bump position"
  bool whole = false;        // the index of an item: "molecule 7"
};

// The description of a task for the user.
struct TaskCard {
  std::string name, title, summary, theta_text, psi_text, x_text;
  std::vector<Parameter> theta, psi;
  std::vector<std::string> given;  // labels of the conditions of a set
  std::int64_t max_n = 1;          // largest set in any stage
  std::int64_t shown_n = 1;        // largest set shown
  std::int64_t first_n = 1;        // size of the first set shown
  std::string shape_text;          // shape of one x: "one number", "28 × 28 pixels"
  std::string source;              // source of the data
  std::string source_hint;         // how to get better data; or empty
  bool turns = false;              // sets are shown as bodies that can be turned
  bool stored = false;             // sets are stored, with fixed θ and ψ
};

// θ, ψ and conditions of the sample set.
struct ParameterValues {
  std::vector<double> theta, psi;  // theta: empty for images
  std::vector<double> given;       // conditions of the set
  bool operator==(const ParameterValues&) const = default;
};

// One box of the network's diagram, from x to the posterior.
struct NetworkPart {
  std::string name;                // "embedder"
  std::string title;               // "Embedder t"
  std::vector<std::string> lines;  // its layers
  double parameters = 0, flops = 0;
  std::string per;   // unit of the FLOPs: "observation", "set"; empty: not counted
  std::string flow;  // its output: "128 numbers"
};
struct Network {
  std::string task, preset;
  std::vector<NetworkPart> parts;
  double parameters = 0;  // in total
};

// The Task tab: θ, ψ and x, a sample set simulated live at any θ and ψ, and the networks of a preset. The random
// numbers of a set stay the same while θ, ψ and N change.
class Specimen {
 public:
  explicit Specimen(Hub& hub);
  ~Specimen();
  Specimen(const Specimen&) = delete;
  Specimen& operator=(const Specimen&) = delete;

  // Shows a task with the options of a run: its settings, and its data if the hub has no data folder, so that sets and
  // objects have the same indices as in the run's posterior. {}: as for a new run. Has no effect if it is already
  // shown.
  void show(const std::string& task, TaskOptions of_run = {});
  // Reloads the task, e.g. after a change of the data folder.
  void reload();

  // Null until the task is ready, and if it failed.
  const TaskCard* card() const;
  // Why the task cannot be shown, in one sentence; empty if it can.
  const std::string& failure() const;

  const ParameterValues& values() const;
  // Sets one component; components that depend on it follow with the next sample.
  void set_theta(std::size_t index, double value);
  void set_psi(std::size_t index, double value);
  std::int64_t n() const;
  void set_n(std::int64_t n);
  // Draws new random numbers at the same θ and ψ.
  void new_set();
  // Draws new θ and ψ from the prior.
  void draw_from_prior();
  // How often a new set was drawn; identifies the sample.
  std::int64_t draw() const;
  // The viewpoint on bodies; turns them by angles in radians (TaskCard::turns), at most to straight above or below.
  const BodyView& turned() const;
  void turn(double azimuth, double elevation);
  void turn_back();

  // A plot of the sample set; null before the first.
  std::shared_ptr<const Figure> figure() const;
  // Why the last requested set failed, as a sentence; empty if it did not.
  const std::string& sample_failure() const;
  // The body that the shown set is about, in a few words; or empty.
  const std::string& subject() const;

  const std::string& preset() const;
  void set_preset(const std::string& preset);
  // Null until known for the task and preset.
  std::shared_ptr<const Network> network() const;
  const std::string& network_failure() const;

  // The command that writes the same kind of figure.
  std::string batch_command() const;

  // Takes over finished background work. Returns whether something shown has changed.
  bool poll();
  // Whether a figure or network is being made.
  bool busy() const;
  // Waits up to `seconds` for background work; returns whether it has ended. For tests and screenshots.
  bool wait(double seconds);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::model

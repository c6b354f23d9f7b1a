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
  double low = 0, high = 1;  // what can be set by hand
  std::string prior;         // "0 to 1", "around −1, spread 0.8"; empty for ψ, whose prior is a sentence
  std::string title = {};    // "ψ, bump position"
  bool whole = false;        // a number of what the sets are about: "molecule 7"
};

// What a task is, for people.
struct TaskCard {
  std::string name, title, summary, theta_text, psi_text, x_text;
  std::vector<Parameter> theta, psi;
  std::vector<std::string> given;  // labels of what is given of a set beside its observations
  std::int64_t max_n = 1;          // largest set in any stage
  std::int64_t shown_n = 1;        // largest set that is drawn
  std::int64_t first_n = 1;        // set that is drawn first
  std::string shape_text;          // of one x: "one number", "28 × 28 pixels"
  std::string source;              // of the data
  std::string source_hint;         // how to get better data; empty when there is none
  bool turns = false;              // sets are drawn as bodies that can be turned
  bool stored = false;             // sets are stored: θ and ψ are theirs, and cannot be set
};

// θ and ψ of the sample set.
struct ParameterValues {
  std::vector<double> theta, psi;  // theta: empty for an image
  std::vector<double> given;       // beside the observations
  bool operator==(const ParameterValues&) const = default;
};

// One box of the network's diagram, from x to the posterior.
struct NetworkPart {
  std::string name;                // "embedder"
  std::string title;               // "Embedder t"
  std::vector<std::string> lines;  // what it is made of
  double parameters = 0, flops = 0;
  std::string per;   // what the FLOPs are counted for: "observation", "set"; empty: nothing to count
  std::string flow;  // what leaves it: "128 numbers"
};
struct Network {
  std::string task, preset;
  std::vector<NetworkPart> parts;
  double parameters = 0;  // in all
};

// The Task tab: what θ, ψ and x are, a sample set simulated live at any θ and ψ, and the networks that a preset gives.
// The random numbers of a set stay the same while θ, ψ and N change.
class Specimen {
 public:
  explicit Specimen(Hub& hub);
  ~Specimen();
  Specimen(const Specimen&) = delete;
  Specimen& operator=(const Specimen&) = delete;

  // Turns to a task as a run has it: its settings, and its data where the hub names no folder, so that set and object
  // of a number are those of the run's posterior; {}: as a new run would have it. Nothing happens when it is shown
  // already.
  void show(const std::string& task, TaskOptions of_run = {});
  // Shows the task again, e.g. after the data folder changed.
  void reload();

  // Null until the task is ready, or when it failed.
  const TaskCard* card() const;
  // Why the task cannot be shown, in one sentence; empty when it can.
  const std::string& failure() const;

  const ParameterValues& values() const;
  // Sets one component; those that the task ties to it follow with the next sample.
  void set_theta(std::size_t index, double value);
  void set_psi(std::size_t index, double value);
  std::int64_t n() const;
  void set_n(std::int64_t n);
  // Other random numbers with the same θ and ψ.
  void new_set();
  // Other θ and ψ, drawn from the prior.
  void draw_from_prior();
  // How often a new set was drawn: names the sample.
  std::int64_t draw() const;
  // From where bodies are seen; turns them by angles in radians (TaskCard::turns), up to straight above and below.
  const BodyView& turned() const;
  void turn(double azimuth, double elevation);
  void turn_back();

  // The sample set as people would draw it; null before the first.
  std::shared_ptr<const Figure> figure() const;
  // Why the set that was asked for last could not be made, a sentence; empty when it could.
  const std::string& sample_failure() const;
  // What body the set of the figure is about, in a few words; empty where it is about none.
  const std::string& subject() const;

  const std::string& preset() const;
  void set_preset(const std::string& preset);
  // Null until known for the task and preset.
  std::shared_ptr<const Network> network() const;
  const std::string& network_failure() const;

  // The command that writes the same kind of figure without the window.
  std::string batch_command() const;

  // Takes over what background work has finished. True when something shown has changed.
  bool poll();
  // Whether the next figure or network is being made.
  bool busy() const;
  // Waits until nothing is, or `seconds` have passed; true when nothing is. For tests and screenshots.
  bool wait(double seconds);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::model

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/posterior/set_posterior/set_posterior.h"
#include "app/posterior/source/derived.h"
#include "core/report/figure.h"
#include "core/task.h"

// What the Posterior tab shows.

namespace pairs::model {

// The posteriors at one N, ready to draw. Immutable once published.
struct PosteriorSnapshot {
  std::uint64_t version = 0;  // grows with each snapshot
  std::uint64_t set = 0;      // id of the observed set
  std::int64_t n = 0;
  std::vector<PosteriorNumbers> series;   // the shown run first, then other runs, references (exact first), ghosts
  std::shared_ptr<const Figure> density;  // one target: densities; several: a corner plot
  std::string question;                   // the question about these N observations
  std::string sentence;                   // the shown run's posterior compared with the exact one
  std::vector<PosteriorWarning> warnings;
  Typicality typicality;                          // of the shown run's aggregate relative to training
  std::string disagreement;                       // between an ensemble's runs; else ""
  IntervalKind interval = IntervalKind::central;  // the interval shaded and reported
  std::vector<DerivedNumbers> derived;            // the derived quantities shown with the targets
  std::string null;                               // a line on the task's null value; "" without one
  std::optional<PosteriorAxes> kept_axes;         // if the axes differ from the figure's default
  double milliseconds = 0;                        // time from the aggregate to the shown run's numbers
  std::string why_first;                          // why the refined posterior comes first; "": the run's own does
  double refine_seconds = 0;                      // that a refined one is expected to take, which waits to be asked for

  SourceWish shown_source() const { return why_first.empty() ? SourceWish::run : SourceWish::refined; }
};

// A value of θ or ψ of a simulated set.
struct SetParameter {
  std::string name, label, unit;
  double low = 0, high = 1, value = 0;
  bool nuisance = false;
  std::string meaning = {};  // "bump position"; "" if the label suffices
  std::string title = {};    // "ψ, bump position"
  bool whole = false;        // the index of an item: "molecule 7"
};

// A condition of the set.
struct SetGiven {
  std::string name, label;
  double low = 0, high = 1, value = 0;  // low, high: cover nearly all training sets
  bool decades = false;                 // spans decades, so its slider is logarithmic
};

// A run whose posterior is drawn.
struct PosteriorRun {
  std::string run;       // as requested
  std::string name;      // display name
  std::string strategy;  // the strategy's title
  SeriesRole role = SeriesRole::pairs;
};

// A CSV file of points that is followed while another program appends to it.
struct FollowState {
  std::filesystem::path file;
  std::uint64_t set = 0;            // id
  std::int64_t seen = 0, used = 0;  // observations read, and observations in the posterior
  std::int64_t most = 1;            // maximum number used
  double rate = 0;                  // recent observations per second
  bool opened = false;              // whether the file could be opened
  bool running = true;              // whether it is still being read
  std::string failure;              // why reading ended, a sentence; "" if the user stopped it
  bool operator==(const FollowState&) const = default;
};

// How a click selects a row of the table of sets: alone, toggled, or the range from the shown row to it.
enum class SetClick { alone, toggled, range };

// The task, runs and observed set of the posteriors.
struct PosteriorScene {
  std::string task, title;
  std::vector<std::string> targets;  // labels with units
  std::vector<std::string> names;    // names of the targets in expressions
  std::string prior_example;         // "normal(0.5, 0.1)", an example of another prior
  std::vector<PosteriorRun> runs;    // the shown one first
  QuestionText question;             // what is asked of the set
  std::int64_t most = 1;             // largest N that can be asked for
  std::vector<std::int64_t> sizes;   // the only ones, of a run with a head for each; else empty
  std::uint64_t set = 0;             // id of the observed set
  SetChoice choice;                  // how the set was chosen
  std::string set_name;              // "set 3 of the prior", a file's name, an item's title
  std::string set_short;             // "set 3", "events.csv"
  std::string set_source;            // "simulated", "generated digits", a path, an item's text
  std::string set_stamp;             // size and time of its file
  std::string set_own;               // a line on the item's own θ; "" for other sets
  std::string set_read_as;           // the item's axis that points up; "" for other sets
  std::string set_learned;           // training data and external validation; "" for other sets
  std::vector<std::string> ups;      // axes that may point up; empty if none
  std::int64_t set_size = 0;         // size of the file's set; else `most`
  std::int64_t trained = 1;          // the largest N in the shown run's training
  std::string no_confidence;         // why there are no frequentist results; else ""
  bool likely = false;               // whether the task may have a learned likelihood
  std::string no_refined;            // why its posterior cannot be refined; else ""
  bool compared = false;             // the better of its own and its refined posterior comes first
  std::string no_product;            // why the shown run has no learned product; else ""
  bool simulated = true;
  bool by_hand = false;              // whether θ and ψ were set by hand
  bool followable = false;           // whether files of its observations can be followed
  std::vector<std::string> endings;  // extensions of files of its observations
  bool drawable = false;             // whether a random subset of the file can be used
  // For a table: its columns, those in use, and the corresponding columns of the task.
  std::vector<std::string> columns, taken, needed;
  std::int64_t dropped = 0;              // observations omitted for a missing value
  std::vector<SetParameter> parameters;  // of a simulated set: targets, then nuisances
  std::vector<SetGiven> given;           // its conditions, which the user may change, also for files
  bool given_assumed = false;            // the conditions are unknown; the center of training is assumed
  std::vector<int> shades;               // shades of the runs if they differ from a figure's default; else empty
  // For a task about items (tasks/parts/items.h): "mesh", and the accepted inputs; else empty.
  std::string item, item_help;
  bool tested = false;  // whether its files are tested within the set (app/posterior/checks/within_sets.h)
  std::shared_ptr<const Task> data_task;  // the task of its sets
};

}  // namespace pairs::model

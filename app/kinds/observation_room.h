#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/kinds/missing_rows.h"
#include "app/kinds/observation_lines.h"
#include "core/report/figure.h"
#include "core/task.h"
#include "tasks/file_columns.h"
#include "tasks/parts/bodies.h"

namespace pairs {

// Observations as a person brings them.
struct Observed {
  Observations x;                     // float32
  std::int64_t held = 0;              // observations that are there, of which x may be the first
  std::vector<std::string> warnings;  // sentences
  torch::Tensor given = {};           // of the set beside them, [1, g] float64, where a table of many sets tells it
  std::int64_t dropped = 0;           // observations that are left out for a missing value, beside those that are held
};

// Observations of a file that are read when they are asked for. Used by one thread at a time.
class ObservedRows {
 public:
  virtual ~ObservedRows() = default;
  virtual std::int64_t count() const = 0;
  // Observations from .. to - 1, as a whole file of them would be read. Throws Error as read_observed.
  virtual Observations part(std::int64_t from, std::int64_t to) = 0;
  // Those with these numbers, in their order: the file is read once.
  Observations pick(const std::vector<std::int64_t>& which);
};

// The part of each of x's columns that a plot of samples shows, whatever the sample: columns.size() pairs; empty for
// images. From where bodies are seen.
struct SampleView {
  std::vector<std::pair<double, double>> columns;
  BodyView turned = {};
};

// A small picture of a set, row by row from the top. A mask is white with the drawing in its alpha: give it a colour of
// the theme.
struct Thumbnail {
  int width = 0, height = 0;
  bool mask = false;
  std::vector<std::uint8_t> rgba;
};

// How many observations people see, and wait for, at once.
struct SampleAmounts {
  std::int64_t drawn = 0, drawn_first = 0;        // of a sample set on the Task tab: at most, and at first
  std::int64_t figure = 0;                        // of each set of a figure of samples
  std::int64_t shown = 0;                         // of the set whose posterior is shown
  std::int64_t live = 0;                          // of the set that a training's posterior is of
  std::int64_t embedded_first = 0, embedded = 0;  // between two looks whether to go on: at first, and then
  std::int64_t timed = 0;                         // of the largest set whose evaluation is timed
};

// A plot of observed and simulated observations together, and a word of what was simulated.
struct SimulatedPlot {
  Plot plot;
  std::string simulated;
};

// A few numbers of every observation, in which sets are compared: values [M, F] float64, and what each is called.
struct ObservationSummaries {
  std::vector<std::string> names;
  torch::Tensor values;
};

// What a kind of observation is for people: how it is read, told and drawn. One room a kind; it is chosen in room_of.
class ObservationRoom {
 public:
  virtual ~ObservationRoom() = default;

  // "points": documents.
  virtual std::string name() const = 0;
  // Of one x: "28 × 28 pixels", "2 numbers".
  virtual std::string shape_text(const TaskInfo& info) const = 0;
  // The same in a table: "image 1×28×28", "x1, x2".
  virtual std::string columns_text(const TaskInfo& info) const = 0;
  virtual SampleAmounts amounts() const = 0;

  // As read_observed and as_observations (app/kinds/observed.h).
  virtual Observed read(const std::filesystem::path& path, const TaskInfo& info, std::int64_t most,
                        Missing missing) const = 0;
  virtual Observed checked(torch::Tensor x, const TaskInfo& info, const std::string& where) const = 0;
  // The observations that lack no value, as keep_whole has it. Throws a usage error for kinds of which none is left
  // out.
  virtual Observations whole(const Observations& x, const TaskInfo& info, Missing missing, const std::string& where,
                             std::int64_t& dropped) const {
    return keep_whole(x, missing, where, dropped, info.observation_columns);
  }

  // Observations that come as lines of text from what `where` names; null for kinds that no line can hold. `info`
  // outlives it. `columns`: as file_columns (app/kinds/observed.h).
  virtual std::unique_ptr<ObservationLines> lines(const TaskInfo& info, const std::string& where,
                                                  const std::vector<FileColumn>& columns = {},
                                                  Missing missing = Missing::refuse) const = 0;

  // As prior_view and sample_plot (app/kinds/sample_plot.h), and draw_thumbnail.
  virtual SampleView prior_view(const Task& task) const = 0;
  virtual Plot sample_plot(const Task& task, const Latents& latents, const Observations& x,
                           const SampleView& view) const = 0;
  virtual Thumbnail thumbnail(const Task& task) const = 0;
  // Observed x beside what the task simulates at draws of θ and ψ, in the role's colour; nothing for kinds that people
  // cannot compare so.
  virtual std::optional<SimulatedPlot> simulated_plot(const Task& task, const Latents& draws, const Observations& x,
                                                      const SampleView& view, SeriesRole role) const = 0;

  // The numbers that tell observations apart to people: the columns of points; brightness, contrast and roughness of
  // images; of ragged rows how many there are and the mean of each column. x on the CPU.
  virtual ObservationSummaries summaries(const TaskInfo& info, const Observations& x) const = 0;

  // How far observations made on two devices lie apart, as far as it matters.
  virtual double difference(const Observations& a, const Observations& b) const = 0;
};

// The room of the kind that the task's observations are of.
const ObservationRoom& room_of(const TaskInfo& info);

}  // namespace pairs

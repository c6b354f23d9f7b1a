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

// Observations from the user.
struct Observed {
  Observations x;                     // float32
  std::int64_t held = 0;              // number of observations available, of which x may be the first
  std::vector<std::string> warnings;  // sentences
  torch::Tensor given = {};           // conditions of the set, [1, g] float64, if a table of many sets has them
  std::int64_t dropped = 0;           // observations omitted for a missing value, not counted in `held`
};

// Observations of a file that are read on demand. Used by one thread at a time.
class ObservedRows {
 public:
  virtual ~ObservedRows() = default;
  virtual std::int64_t count() const = 0;
  // Observations from .. to - 1, as in a complete read. Throws Error as read_observed.
  virtual Observations part(std::int64_t from, std::int64_t to) = 0;
  // The observations with these indices, in this order, with one pass over the file.
  Observations pick(const std::vector<std::int64_t>& which);
};

// The range of each column of x in plots of samples: columns.size() pairs; empty for images. And the viewpoint on
// bodies.
struct SampleView {
  std::vector<std::pair<double, double>> columns;
  BodyView turned = {};
};

// A small picture of a set, row by row from the top. A mask is white with the drawing in its alpha channel, to be
// colored by the theme.
struct Thumbnail {
  int width = 0, height = 0;
  bool mask = false;
  std::vector<std::uint8_t> rgba;
};

// How many observations are shown, and waited for, at once.
struct SampleAmounts {
  std::int64_t drawn = 0, drawn_first = 0;        // sample set on the Task tab: maximum and initial
  std::int64_t figure = 0;                        // each set in a figure of samples
  std::int64_t shown = 0;                         // the set whose posterior is shown
  std::int64_t live = 0;                          // the set of the live posterior in training
  std::int64_t embedded_first = 0, embedded = 0;  // between checks for cancellation: initially, and later
  std::int64_t timed = 0;                         // the largest set for timing an evaluation
};

// A plot of observed and simulated observations, and a name of the simulated ones.
struct SimulatedPlot {
  Plot plot;
  std::string simulated;
};

// A few summary numbers of every observation for comparing sets: values [M, F] float64, and their names.
struct ObservationSummaries {
  std::vector<std::string> names;
  torch::Tensor values;
};

// How a kind of observation is read, described and drawn for the user. One room per kind; room_of chooses it.
class ObservationRoom {
 public:
  virtual ~ObservationRoom() = default;

  // "points", in documents.
  virtual std::string name() const = 0;
  // The shape of one x: "28 × 28 pixels", "2 numbers".
  virtual std::string shape_text(const TaskInfo& info) const = 0;
  // The columns of x in a table: "image 1×28×28", "x1, x2".
  virtual std::string columns_text(const TaskInfo& info) const = 0;
  virtual SampleAmounts amounts() const = 0;

  // See read_observed and as_observations (app/kinds/observed.h).
  virtual Observed read(const std::filesystem::path& path, const TaskInfo& info, std::int64_t most,
                        Missing missing) const = 0;
  virtual Observed checked(torch::Tensor x, const TaskInfo& info, const std::string& where) const = 0;
  // The observations without missing values, see keep_whole. Throws a usage error for kinds that cannot omit any.
  virtual Observations whole(const Observations& x, const TaskInfo& info, Missing missing, const std::string& where,
                             std::int64_t& dropped) const {
    return keep_whole(x, missing, where, dropped, info.observation_columns);
  }

  // Observations in lines of text from the source `where`; null for kinds without such lines. `info` outlives it.
  // `columns`: as file_columns (app/kinds/observed.h).
  virtual std::unique_ptr<ObservationLines> lines(const TaskInfo& info, const std::string& where,
                                                  const std::vector<FileColumn>& columns = {},
                                                  Missing missing = Missing::refuse) const = 0;

  // See prior_view and sample_plot (app/kinds/sample_plot.h), and draw_thumbnail.
  virtual SampleView prior_view(const Task& task) const = 0;
  virtual Plot sample_plot(const Task& task, const Latents& latents, const Observations& x,
                           const SampleView& view) const = 0;
  virtual Thumbnail thumbnail(const Task& task) const = 0;
  // Observed x compared with simulations at posterior samples of θ and ψ, in the role's color; none for kinds without
  // such a comparison.
  virtual std::optional<SimulatedPlot> simulated_plot(const Task& task, const Latents& draws, const Observations& x,
                                                      const SampleView& view, SeriesRole role) const = 0;

  // Interpretable numbers of observations: the columns of points; brightness, contrast and roughness of images; for
  // ragged rows their number and the mean of each column. x on the CPU.
  virtual ObservationSummaries summaries(const TaskInfo& info, const Observations& x) const = 0;

  // The relevant difference between observations made on two devices.
  virtual double difference(const Observations& a, const Observations& b) const = 0;
};

// The room of the task's kind of observation.
const ObservationRoom& room_of(const TaskInfo& info);

}  // namespace pairs

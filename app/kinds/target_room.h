#pragma once

#include <torch/types.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/text/table.h"
#include "core/eval/metrics/cells.h"
#include "core/task.h"

namespace pairs {

// Posterior samples of one set, prepared for the user and for files.
struct SampleReport {
  nlohmann::json document;
  std::map<std::string, torch::Tensor> arrays;  // contents of samples.npz
  std::map<std::string, std::string> pictures;  // further files, by name
  std::string notes;                            // lines below the table, with "{}" for the place of the pictures
};

// How a kind of target is described and reported to the user. One room per kind; target_room_of chooses it.
class TargetRoom {
 public:
  virtual ~TargetRoom() = default;

  // "parameters", in documents.
  virtual std::string name() const = 0;
  // θ in a table and in the network's diagram: "θ₁, θ₂", "image 3×16×16"; "θ".
  virtual std::string columns_text(const TaskInfo& info) const = 0;
  virtual std::string labels_text(const TaskInfo& info) const = 0;
  // What its posterior provides: "densities and samples".
  virtual const char* gives() const = 0;
  // Further entries of documents next to the names of the targets.
  virtual nlohmann::json document(const TaskInfo& info) const = 0;

  // The values of θ that can be set by hand, and the tensor of θ from them.
  virtual std::vector<double> settable(const Latents& latents) const = 0;
  virtual torch::Tensor theta_of(const std::vector<double>& settable) const = 0;

  // Throws an error with a sentence if θ has no density to draw or score: "… of which no density is scored; leave out
  // --theta".
  virtual void check_density(const TaskInfo& info, const std::string& why) const = 0;
  // The most informative figure of scores after the first one.
  virtual std::string next_figure() const = 0;
  // Whether runs of a demonstration train in minutes.
  virtual bool trains_soon() const = 0;
  // For a comparison: the default number of samples per set (`own`: the first run's); throws a usage error for too few.
  virtual std::int64_t compared_samples(std::int64_t asked, std::int64_t own) const = 0;

  // For one set's samples: the default number, whether they go to a folder (or a file), and their columns.
  virtual std::int64_t draws() const = 0;
  virtual bool in_folder() const = 0;
  virtual std::vector<Table::Column> report_columns(IntervalKind interval) const = 0;
  // Reports samples [S, d] and the posterior's numbers by target, if it has a density; adds rows to a table of
  // report_columns().
  virtual SampleReport report(const TaskInfo& info, const torch::Tensor& samples,
                              const std::vector<TargetNumbers>& numbers, IntervalKind interval, Table& table) const = 0;
};

const TargetRoom& target_room_of(const TaskInfo& info);

}  // namespace pairs

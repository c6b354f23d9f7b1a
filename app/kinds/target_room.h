#pragma once

#include <torch/types.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/text/table.h"
#include "core/eval/cells.h"
#include "core/task.h"

namespace pairs {

// Posterior samples of one set, told to people and files.
struct SampleReport {
  nlohmann::json document;
  std::map<std::string, torch::Tensor> arrays;  // of samples.npz
  std::map<std::string, std::string> pictures;  // files beside it, by name
  std::string notes;                            // lines below the table, with "{}" for where the pictures lie
};

// What a kind of target is for people. One room a kind; it is chosen in target_room_of.
class TargetRoom {
 public:
  virtual ~TargetRoom() = default;

  // "parameters": documents.
  virtual std::string name() const = 0;
  // θ in a table and in the network's diagram: "θ₁, θ₂", "image 3×16×16"; "θ".
  virtual std::string columns_text(const TaskInfo& info) const = 0;
  virtual std::string labels_text(const TaskInfo& info) const = 0;
  // What a posterior of it gives: "densities and samples".
  virtual const char* gives() const = 0;
  // What documents tell beside the names of the targets.
  virtual nlohmann::json document(const TaskInfo& info) const = 0;

  // Values of θ that can be set by hand, and latents in which they are.
  virtual std::vector<double> settable(const Latents& latents) const = 0;
  virtual torch::Tensor theta_of(const std::vector<double>& settable) const = 0;

  // Throws a sentence where θ has no density to be drawn or scored: "… of which no density is scored; leave out
  // --theta".
  virtual void check_density(const TaskInfo& info, const std::string& why) const = 0;
  // The figure of scores that tells most beside the first one.
  virtual std::string next_figure() const = 0;
  // Whether runs of a demonstration train in minutes.
  virtual bool trains_soon() const = 0;
  // Of a comparison: samples a set where none are asked for (`own`: the first run's), and throws a usage error on too
  // few.
  virtual std::int64_t compared_samples(std::int64_t asked, std::int64_t own) const = 0;

  // Of one set's samples: how many by default, whether they go into a folder (or a file), and what they are called.
  virtual std::int64_t draws() const = 0;
  virtual bool in_folder() const = 0;
  virtual std::vector<Table::Column> report_columns(IntervalKind interval) const = 0;
  // Of samples [S, d] and the posterior's numbers by target, where it has a density; adds rows to a table of
  // report_columns().
  virtual SampleReport report(const TaskInfo& info, const torch::Tensor& samples,
                              const std::vector<TargetNumbers>& numbers, IntervalKind interval, Table& table) const = 0;
};

const TargetRoom& target_room_of(const TaskInfo& info);

}  // namespace pairs

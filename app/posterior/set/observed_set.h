#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/kinds/observed.h"
#include "app/kinds/sample_plot.h"
#include "app/posterior/question/set_choice.h"
#include "app/posterior/validation/external_validation.h"
#include "core/report/figure.h"
#include "core/task.h"
#include "render/scene.h"
#include "tasks/scene_views.h"

namespace pairs {

// The observations of a set, simulated on demand. Belongs to one thread at a time.
class ObservedSet {
 public:
  // Throws Error for an unreadable file or item, and for inconsistent values.
  ObservedSet(std::shared_ptr<const Task> task, SetChoice choice);

  const Task& task() const { return *task_; }
  const SetChoice& choice() const { return choice_; }
  bool simulated() const { return choice_.simulated(); }
  // Whether it was made from a real item, whose own θ is known.
  bool of_item() const { return of_item_; }
  // A sentence if its conditions were assumed (SetChoice::assume_given); else "".
  const std::string& given_assumed() const { return given_assumed_; }
  // Values of a simulated set or an item, one row; else undefined tensors.
  const Latents& latents() const { return latents_; }
  // θ of a simulated set or an item, ψ of a simulated set; else empty.
  std::vector<double> theta() const;
  // θ for comparison with a posterior: NaN if an item's own value is of another quantity than the target.
  std::vector<double> truth() const;
  std::vector<double> psi() const;
  // The item's own values; empty for other sets.
  const ItemMarks& marks() const { return marks_; }
  const std::string& read_as() const { return read_as_; }
  // "simulated", or a path and how a random subset of it was drawn.
  std::string words() const;
  // The number of usable observations; held() is that of the whole file.
  std::int64_t size() const { return simulated() ? task_->info().max_n : rows_ ? used_ : x_.count(); }
  std::int64_t held() const { return held_; }
  // The number of observations omitted for a missing value (SetChoice::missing), which held() excludes.
  std::int64_t dropped() const { return dropped_; }
  // The first n, float32 on the CPU, n <= size().
  Observations first(std::int64_t n);
  // Observations from .. to - 1. Reads only these from a large table.
  Observations part(std::int64_t from, std::int64_t to);

  std::string short_name() const;  // "set 3", "set 3, changed", a file's name
  std::string name() const;        // "Set 3 of the prior", a file's name, an item's title
  std::string source() const;      // "simulated", "generated digits", a path, an item's text
  // Messages from reading the file, and whether only a part is used: sentences.
  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::string& note() const { return note_; }
  // For a table: its columns, and those used for the observations; else empty.
  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<std::string>& taken() const { return taken_; }
  // A plot of the first n observations, up to a maximum number.
  Figure picture(std::int64_t n, const SampleView& view);
  std::int64_t drawn(std::int64_t n) const;

 private:
  void read();
  void read_item(const Items& known, const std::string& text);
  void read_table();
  void read_member();
  TableColumns table_columns() const;
  void read_given_of_file();
  void read_views(const SceneViews& views);
  void warn(const std::string& text);
  void draw();

  std::shared_ptr<const Task> task_;
  SetChoice choice_;
  Latents latents_;
  Observations x_;  // as far as requested
  // The rows of a table too large for memory, and how many are used; x_ is then empty.
  std::shared_ptr<ObservedRows> rows_;
  std::int64_t used_ = 0;
  std::int64_t held_ = 0, dropped_ = 0;
  bool of_item_ = false;
  std::string given_assumed_;
  std::string title_, read_as_;  // of an item
  ItemMarks marks_;
  std::vector<std::string> warnings_;
  std::string note_;
  std::vector<std::string> columns_, taken_;
};

// A sentence that only as many observations of the file or set `name` are used as the task allows.
std::string cut_set_text(const std::string& name, std::int64_t held, const TaskInfo& info, bool random);

// The task if `text` names an item from which it makes sets; null if it names a file of observations. Throws a usage
// error if a task of items finds neither.
const Items* items_named(const Task& task, const std::string& text);

}  // namespace pairs

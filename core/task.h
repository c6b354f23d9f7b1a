#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/heads/head_config.h"
#include "core/nn/embedder_config.h"
#include "core/sets/observations.h"
#include "core/task_settings.h"

namespace pairs {

// How people read a quantity: "θ, signal fraction", with its unit "angle, of every image / rad".
std::string quantity_title(const std::string& label, const std::string& meaning, const std::string& unit);

// One component of the target.
struct Target {
  std::string name;            // "theta1": files and command line
  std::string label;           // "θ₁": windows and figures
  std::string unit;            // "" when it has none
  double low, high;            // support of the prior; ±infinity where unbounded
  double location, scale;      // standardisation z = (θ - location) / scale, robust where tails are heavy
  double range;                // R of the relative mean absolute error
  double view_low, view_high;  // range a figure of the prior shows
  std::string meaning = {};    // "signal fraction": a few words beside the label; "" when the label says all

  // "θ, signal fraction": axes, sliders, headings with room.
  std::string title() const { return quantity_title(label, meaning, unit); }
  // "θ", with its unit.
  std::string short_title() const { return quantity_title(label, {}, unit); }
};

// One component of the nuisance parameters, as people see it.
struct Nuisance {
  std::string name;                    // "psi": column of psi, files and command line
  std::string label;                   // "ψ": windows and figures
  std::string unit = {};               // "" when it has none
  double view_low = 0, view_high = 1;  // most of its prior; what can be set by hand
  std::int64_t column = -1;            // of x, in whose space it lies; -1: another space
  std::string meaning = {};            // "bump position": a few words beside the label; "" when the label says all

  // "ψ, bump position": sliders and axes.
  std::string title() const { return quantity_title(label, meaning, unit); }
};

// How each target is given to people and heads: some numbers, or one image.
enum class TargetKind { parameters, image };

// A target that is an image: θ is its pixels, [channels, height, width] in one row, all standardised alike,
// z = (x - location) / scale.
struct ImageTarget {
  std::int64_t channels = 0, height = 0, width = 0;
  double location = 0, scale = 1;
  double low = 0, high = 1;       // range of a pixel: black and white when shown; samples are clamped to it
  std::int64_t map_channels = 0;  // of Task::target_map; 0: none
};

// One quantity that is known of a set beside its observations: a column of Latents::given.
struct Given {
  std::string name;   // "azimuth": files and command line
  std::string label;  // windows and figures
};

// How people see an observation. `image`: with three or more channels the first three are red, green and blue in
// [0, 1]; else the first is grey. `rows`: ragged rows in no order.
enum class ObservationKind { points, image, rows };

// What is asked of a set, as people would ask it.
struct QuestionText {
  std::string one;   // of a set of one observation
  std::string many;  // of more; "{}" stands for N

  // Of n observations, whose number reads `count`. Empty where the task has none.
  std::string text(std::int64_t n, const std::string& count) const;
};

// A component of θ or of ψ.
struct Component {
  bool nuisance = false;
  std::int64_t index = 0;
};

// What a task is, as data. Texts are one sentence each.
struct TaskInfo {
  std::string name;   // in files and commands: lower case and hyphens
  std::string title;  // for people
  std::string summary, theta_text, psi_text, x_text;
  std::vector<Target> targets;      // empty for an image
  std::vector<Nuisance> nuisances;  // the columns of psi
  std::int64_t max_n;               // largest set size in any stage; encodings divide by it
  ObservationKind kind;
  std::vector<std::int64_t> observation_shape;   // of one x: {2} or {1, 28, 28}; of one of its rows where x is rows
  std::vector<std::string> observation_columns;  // names of the columns of points and rows; empty for images
  std::string data_source;     // "simulated", "MNIST", "1 sphere, 16 × 16 pixels, ...": stands in every run and
                               // figure; scores of different ones are not comparable
  std::string data_hint = {};  // how to give better data, in one sentence; "" when there are none
  TargetKind target_kind = TargetKind::parameters;
  ImageTarget image = {};         // where target_kind is image
  std::vector<Given> given = {};  // the columns of Latents::given
  // Which of the task's worlds its settings chose, where data_source does not tell: sets and scores of different ones
  // are not comparable. "" where there is one.
  std::string variant = {};
  // What its sets are about where these are counted (Task::subjects), one of them and many. Empty where they have no
  // end.
  std::string subject = {}, subjects = {};
  // Members of the pools that stage 2 embeds (Task::pool_size), about, as they are told before anything was prepared;
  // 0: there are none.
  double pool = 0;
  // Images: when all of a set are rotated by quarter turns, θ, its prior and that of ψ stay as they are.
  bool rotation_invariant = false;
  QuestionText question = {};  // "Which signal fraction θ do these {} events share, ...?"
  double rows = 0;         // of a typical x that is ragged rows; 0: every x has observation_shape
  std::string file = {};   // that describes it, of a task of a person's own; "" where it is built in
  // Of stage 1's sets the largest, where a task has fewer observations ready for them; 0: max_n.
  std::int64_t pretrain_max_n = 0;

  bool image_target() const { return target_kind == TargetKind::image; }
  // d, the length of θ.
  std::int64_t target_size() const {
    return image.channels * image.height * image.width + static_cast<std::int64_t>(targets.size());
  }
  // Numbers of one observation, of a typical one where it is ragged rows.
  double observation_numbers() const;
  // g, the number of given quantities.
  std::int64_t given_size() const { return static_cast<std::int64_t>(given.size()); }
};

// Parameters of some sets, on the CPU: theta [B, d], psi [B, p] and what is given with them [B, g] (undefined where
// g = 0), all float64.
struct Latents {
  torch::Tensor theta, psi;
  torch::Tensor given = {};
};

// Observations first .. first + count - 1 of the set `index`.
struct SetRange {
  std::int64_t index, first, count;
};

// What observations were made from, where a task draws them from a finite pool such as a data set of images.
struct PoolDraws {
  torch::Tensor member;   // [M] int64: which member of the pool each observation was made from
  torch::Tensor stratum;  // [M] int64: its class; members of one class are exchangeable
  std::int64_t size = 0;  // of the pool; 0: observations never repeat
  // Of the pool, another sample of the same world, that stage 2 draws from; 0: it is this one, or has no end.
  std::int64_t trained = 0;
};

// How a task's making of what it draws from is followed and stopped.
struct Preparation {
  std::function<bool()> stop = {};  // asked between pieces; true: what is done is kept, and Stopped is thrown
  // What is being made ("views of meshes"), how many are done and of how many; 0: not known.
  std::function<void(const std::string& what, std::int64_t done, std::int64_t total)> progress = {};
};

// The exact posterior, or another reference such as the naive product, of one set: observations are added in chunks of
// any size, then queried. Not thread-safe; make one per set.
class ReferencePosterior {
 public:
  virtual ~ReferencePosterior() = default;
  // float32 or float64, on the CPU.
  virtual void add(const Observations& x) = 0;
  // log density at theta [S, d] float64 in original units -> [S] float64.
  virtual torch::Tensor log_density(const torch::Tensor& theta) = 0;
  // Mean [d] and covariance [d, d], float64.
  virtual torch::Tensor mean() = 0;
  virtual torch::Tensor covariance() = 0;
  // S independent draws -> [S, d] float64.
  virtual torch::Tensor sample(std::int64_t count, Stream& stream) = 0;
};

class StoredSets;  // core/stored_sets.h

// A prior and a simulator with the network choices that suit it. Knows nothing of stages, files or windows.
// All members are const and thread-safe. Everything random is a pure function of (seed, purpose, index, item).
class Task {
 public:
  virtual ~Task() = default;
  virtual const TaskInfo& info() const = 0;

  // Parameters of the sets with these indices -> row k belongs to indices[k]. Always drawn on the CPU in float64.
  virtual Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const = 0;

  // Observations of the ranges, packed one after another, float32 on `device`. Row k of `latents` are the parameters of
  // ranges[k].index. Observation j of set i depends on (seed, purpose, i, j) and the latents alone, whatever the
  // ranges: sets are prefixes of larger sets. Where the target is an image theta may be undefined: everything that x
  // depends on is in psi and given.
  virtual Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose,
                               std::span<const SetRange> ranges, const torch::Device& device) const = 0;

  // Makes, once, what sets of training and evaluation are drawn from, and keeps it on disk for every run with the same
  // settings (rendered views, conformers); the next call goes on where one was stopped or killed. Sets that are drawn
  // before make it themselves, without a word of progress; those shown to people (Purpose::explore) never wait for it.
  virtual void prepare(const Preparation&) const {}

  // How many things sets of a purpose can be about, of which those of the indices 0 .. count - 1 are all
  // about different ones; 0: no end. Sets about the same thing are not independent.
  virtual std::int64_t subjects(Purpose) const { return 0; }

  // Members of the pool behind the observations of the ranges, one by one as `observe` packs them.
  virtual PoolDraws pool_draws(const Latents& latents, std::uint64_t seed, Purpose purpose,
                               std::span<const SetRange> ranges) const;

  // Where every observation of a purpose is a member of its pool as it stands (a conformer, one of five crops of a
  // view), how many members that pool has; 0: observations are made anew. Then pool_draws tells which they are, and
  // stage 2 embeds each member once, however many sets it stands in.
  virtual std::int64_t pool_size(Purpose) const { return 0; }
  // Members first .. first + count - 1 of that pool, float32 on `device`.
  virtual Observations pool_members(Purpose purpose, std::int64_t first, std::int64_t count,
                                    const torch::Device& device) const;

  // Where its sets are stored in files instead of being simulated, what is held of them; else null. None can be made
  // for other parameters then: `observe` throws Error for latents that are not the set's own.
  virtual const StoredSets* stored() const { return nullptr; }

  // Parameters of one set of which a person has just set `changed`: those that the task ties to it follow, and
  // impossible values become the nearest possible ones (a covariance stays positive definite, probabilities sum to 1).
  virtual void constrain(Latents& latents, Component changed) const;

  // p(x | θ, ψ) of single observations given the parameters of one set -> [M] float64; undefined where there is no
  // closed form.
  virtual torch::Tensor density(const Latents& latents, const Observations& x) const;

  // Image targets: what a head may know of every pixel of the target from what is given [B, g] (any floating type and
  // device) -> [B, map_channels, height, width] float32 on that device; undefined where map_channels is 0.
  virtual torch::Tensor target_map(const torch::Tensor& given) const;

  // Names of the references this task can compute, the exact posterior first as "exact"; empty when there is none.
  virtual std::vector<std::string> references() const { return {}; }
  // A fresh accumulator for one set. Throws Error for a name that references() does not list.
  virtual std::unique_ptr<ReferencePosterior> reference(const std::string& name) const;
  // Expected NLL of the exact posterior at set size n in original units (nat), NaN when it has no closed form.
  virtual double exact_nll(std::int64_t n) const;
};

// What a task is made with.
struct TaskOptions {
  std::string data = {};       // folder, or a file, of real data; "" = none
  TaskSettings settings = {};  // its own; empty: their defaults
  std::string file = {};       // that describes it, of a task of a person's own; "": the one that goes by the name
};

}  // namespace pairs

#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/numbers/random.h"
#include "core/heads/head_config.h"
#include "core/nn/embedder_config.h"
#include "core/sets/observations.h"
#include "core/task_settings.h"

namespace pairs {

class PriorFamily;  // core/prior_family.h

// The readable name of a quantity: "θ, signal fraction", with its unit "angle, of every image / rad".
std::string quantity_title(const std::string& label, const std::string& meaning, const std::string& unit);

// One component of the target.
struct Target {
  std::string name;            // "theta1": files and command line
  std::string label;           // "θ₁": windows and figures
  std::string unit;            // "" when it has none
  double low, high;            // support of the prior; ±infinity where unbounded
  double location, scale;      // standardization z = (θ - location) / scale, robust for heavy tails
  double range;                // R of the relative mean absolute error
  double view_low, view_high;  // range shown in figures of the prior
  std::string meaning = {};    // "signal fraction": a few words after the label; "" if the label suffices
  // Its prior where the task states it; it is then independent of all other parameters and of conditions.
  std::shared_ptr<const PriorFamily> prior = {};
  bool periodic = false;  // low and high, both finite, are the same value, as of an angle (core/periodic.h)

  double period() const { return periodic ? high - low : 0; }  // 0: it is not periodic
  // "θ, signal fraction": for axes, sliders, headings with room.
  std::string title() const { return quantity_title(label, meaning, unit); }
  // "θ" with its unit.
  std::string short_title() const { return quantity_title(label, {}, unit); }
};

// One component of the nuisance parameters.
struct Nuisance {
  std::string name;                    // "psi": column of psi, files and command line
  std::string label;                   // "ψ": windows and figures
  std::string unit = {};               // "" when it has none
  double view_low = 0, view_high = 1;  // most of its prior; the range that can be set by hand
  std::int64_t column = -1;            // the column of x whose axis it shares; -1: none
  std::string meaning = {};            // "bump position": a few words after the label; "" if the label suffices
  std::shared_ptr<const PriorFamily> prior = {};  // as of a Target
  double period = 0;  // view_high is view_low plus this, and the same value; 0: it is not periodic

  // "ψ, bump position": sliders and axes.
  std::string title() const { return quantity_title(label, meaning, unit); }
};

// The kind of target: a few parameters, or one image.
enum class TargetKind { parameters, image };

// A target that is an image: θ is its pixels, [channels, height, width] in one row, all standardized alike, z = (x -
// location) / scale.
struct ImageTarget {
  std::int64_t channels = 0, height = 0, width = 0;
  double location = 0, scale = 1;
  double low = 0, high = 1;       // range of a pixel: black and white when shown; samples are clamped to it
  std::int64_t map_channels = 0;  // channels of Task::target_map; 0: it has none
};

// A condition of a set: a quantity that is known in addition to its observations, a column of Latents::given.
struct Given {
  std::string name;   // "azimuth": files and command line
  std::string label;  // windows and figures
};

// The kind of observation. `image`: with three or more channels the first three are red, green and blue in [0, 1];
// otherwise the first is gray. `rows`: unordered ragged rows.
enum class ObservationKind { points, image, rows };

// The question that a task's posterior answers, in words.
struct QuestionText {
  std::string one;   // for a set of one observation
  std::string many;  // for more; "{}" stands for N

  // The question for n observations, whose number is printed as `count`. Empty if the task has none.
  std::string text(std::int64_t n, const std::string& count) const;
};

// A component of θ or of ψ.
struct Component {
  bool nuisance = false;
  std::int64_t index = 0;
};

// A task's description. Texts are one sentence each.
struct TaskInfo {
  std::string name;   // in files and commands: lower case and hyphens
  std::string title;  // for display
  std::string summary, theta_text, psi_text, x_text;
  std::vector<Target> targets;      // empty for an image
  std::vector<Nuisance> nuisances;  // the columns of psi
  std::int64_t max_n;               // largest set size in any stage; encodings divide by it
  ObservationKind kind;
  std::vector<std::int64_t> observation_shape;   // shape of one x: {2} or {1, 28, 28}; of one of its rows if x is rows
  std::vector<std::string> observation_columns;  // names of the columns of points and rows; empty for images
  // Columns of points that are covariates: their joint distribution in a set does not depend on θ and ψ, so that a
  // likelihood may be conditioned on them. Ascending indices.
  std::vector<std::int64_t> covariates = {};
  // The period of each column of points and rows, 0 where it has none; empty: no column is periodic.
  std::vector<double> periods = {};
  std::string data_source;     // "simulated", "MNIST", "1 sphere, 16 × 16 pixels, ...": shown with every run and
                               // figure; scores on different data sources are not comparable
  std::string data_hint = {};  // how to provide better data, in one sentence; "" if there are none
  TargetKind target_kind = TargetKind::parameters;
  ImageTarget image = {};         // used if target_kind is image
  std::vector<Given> given = {};  // the columns of Latents::given
  // The variant of the task that its settings select, if data_source does not name it: sets and scores of different
  // variants are not comparable. "" if there is only one.
  std::string variant = {};
  // The items that sets are about, singular and plural ("crystal", "crystals"), if their number is finite
  // (Task::subjects); empty otherwise.
  std::string subject = {}, subjects = {};
  // Approximate size of the pools that stage 2 embeds (Task::pool_size), shown before anything is prepared; 0: there
  // are none.
  double pool = 0;
  // Images: whether θ, its prior and the prior of ψ are invariant when all images of a set are rotated by quarter
  // turns.
  bool rotation_invariant = false;
  QuestionText question = {};  // "Which signal fraction θ do these {} events share, ...?"
  double rows = 0;             // rows of a typical ragged x; 0: every x has observation_shape
  std::string file = {};       // the file that describes a custom task; "" for built-in ones
  // The largest set size in stage 1, if the task has fewer observations available there; 0: max_n.
  std::int64_t pretrain_max_n = 0;

  bool image_target() const { return target_kind == TargetKind::image; }
  // The period of column k of x; 0: it has none.
  double column_period(std::size_t k) const { return k < periods.size() ? periods[k] : 0; }
  // d, the length of θ.
  std::int64_t target_size() const {
    return image.channels * image.height * image.width + static_cast<std::int64_t>(targets.size());
  }
  // Numbers in one observation, or in a typical one if observations are ragged rows.
  double observation_numbers() const;
  // Why the density of one observation given all parameters cannot be learned, a clause: "its observations are images,
  // …"; "" if it can (core/likelihood).
  std::string no_density() const;
  // g, the number of conditions.
  std::int64_t given_size() const { return static_cast<std::int64_t>(given.size()); }
};

// Parameters of sets, on the CPU: theta [B, d], psi [B, p] and the conditions given [B, g] (undefined if g = 0), all
// float64.
struct Latents {
  torch::Tensor theta, psi;
  torch::Tensor given = {};
};

// Observations first .. first + count - 1 of the set `index`.
struct SetRange {
  std::int64_t index, first, count;
};

// The members of a finite pool, such as a data set of images, that observations were made from.
struct PoolDraws {
  torch::Tensor member;   // [M] int64: the member that each observation was made from
  torch::Tensor stratum;  // [M] int64: its class; members of one class are exchangeable
  std::int64_t size = 0;  // size of the pool; 0: observations never repeat
  // The size of the other pool, sampled from the same distribution, that stage 2 uses; 0: it uses this one, or one
  // without end.
  std::int64_t trained = 0;
};

// Monitors and stops the preparation of a task's data.
struct Preparation {
  std::function<bool()> stop = {};  // called between pieces; returning true keeps what is done and throws Stopped
  // Reports what is being made ("views of meshes"), how many are done and how many there are; 0: unknown.
  std::function<void(const std::string& what, std::int64_t done, std::int64_t total)> progress = {};
};

// The exact posterior, or another reference such as the naive product, of one set: observations are added in chunks of
// any size, then queried. Not thread-safe; make one per set.
class ReferencePosterior {
 public:
  virtual ~ReferencePosterior() = default;
  // Adds observations, float32 or float64, on the CPU.
  virtual void add(const Observations& x) = 0;
  // The log density at theta [S, d] float64 in original units -> [S] float64.
  virtual torch::Tensor log_density(const torch::Tensor& theta) = 0;
  // Mean [d] and covariance [d, d], float64.
  virtual torch::Tensor mean() = 0;
  virtual torch::Tensor covariance() = 0;
  // S independent samples -> [S, d] float64.
  virtual torch::Tensor sample(std::int64_t count, Stream& stream) = 0;
};

class StoredSets;  // core/stored_sets.h

// A prior and a simulator, with the choice of networks that suits them. Independent of stages, files and windows.
// All members are const and thread-safe. Everything random is a pure function of (seed, purpose, index, item).
class Task {
 public:
  virtual ~Task() = default;
  virtual const TaskInfo& info() const = 0;

  // Parameters of the sets with these indices; row k belongs to indices[k]. Always sampled on the CPU in float64.
  virtual Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const = 0;

  // Simulates the observations of the ranges, packed one after another, float32 on `device`. Row k of `latents` holds
  // the parameters of ranges[k].index. Observation j of set i depends only on (seed, purpose, i, j) and the latents,
  // not on the ranges: sets are prefixes of larger sets. If the target is an image, theta may be undefined: psi and the
  // conditions determine the distribution of x.
  virtual Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose,
                               std::span<const SetRange> ranges, const torch::Device& device) const = 0;

  // Prepares, once, the data that sets of training and evaluation are drawn from, and keeps it on disk for every run
  // with the same settings (rendered views, conformers); continues where an earlier call was stopped or killed. Sets
  // drawn before that prepare it themselves, without reporting progress; sets shown to people (Purpose::explore) never
  // wait for it.
  virtual void prepare(const Preparation&) const {}

  // How many different items the sets of a purpose can be about; sets 0 .. count - 1 are all about different items. 0:
  // unlimited. Sets about the same item are not independent.
  virtual std::int64_t subjects(Purpose) const { return 0; }

  // The pool members behind the observations of the ranges, in the order in which `observe` packs them.
  virtual PoolDraws pool_draws(const Latents& latents, std::uint64_t seed, Purpose purpose,
                               std::span<const SetRange> ranges) const;

  // The size of a purpose's pool if every observation is an unchanged member of it (a conformer, one of five crops of a
  // view); 0: observations are made anew. With a pool, pool_draws identifies the members, and stage 2 embeds each
  // member once, however many sets contain it.
  virtual std::int64_t pool_size(Purpose) const { return 0; }
  // Members first .. first + count - 1 of that pool, float32 on `device`.
  virtual Observations pool_members(Purpose purpose, std::int64_t first, std::int64_t count,
                                    const torch::Device& device) const;

  // The sets that are stored in files instead of being simulated; null if they are simulated. Stored sets cannot be
  // simulated for other parameters: `observe` throws Error for latents that are not the set's own.
  virtual const StoredSets* stored() const { return nullptr; }

  // Adjusts the parameters of one set after `changed` was set by hand: parameters that the task ties to it follow, and
  // impossible values become the nearest possible ones (a covariance stays positive definite, probabilities sum to 1).
  virtual void constrain(Latents& latents, Component changed) const;

  // p(x | θ, ψ) of single observations given the parameters of one set -> [M] float64; undefined if there is no closed
  // form.
  virtual torch::Tensor density(const Latents& latents, const Observations& x) const;

  // Image targets: what a head may know about every pixel of the target from the conditions [B, g] (any floating type
  // and device) -> [B, map_channels, height, width] float32 on that device; undefined if map_channels is 0.
  virtual torch::Tensor target_map(const torch::Tensor& given) const;

  // Names of the references that this task can compute, the exact posterior first as "exact"; empty if there are none.
  virtual std::vector<std::string> references() const { return {}; }
  // A new accumulator for one set. Throws Error for a name that references() does not list.
  virtual std::unique_ptr<ReferencePosterior> reference(const std::string& name) const;
  // Expected NLL of the exact posterior at set size n in original units (nats), NaN if it has no closed form.
  virtual double exact_nll(std::int64_t n) const;
};

// Arguments for making a task.
struct TaskOptions {
  std::string data = {};       // folder or file of real data; "": none
  TaskSettings settings = {};  // the task's settings; empty: their defaults
  std::string file = {};       // the file that describes a custom task; "": the one known by the name
};

}  // namespace pairs

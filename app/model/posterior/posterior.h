#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/hub/hub.h"
#include "app/model/hub/posterior_page.h"
#include "app/posterior/set_posterior/set_posterior.h"
#include "app/posterior/source/derived.h"
#include "core/report/figure.h"
#include "core/task.h"

namespace pairs::model {

struct SetInquiries;
class ReportSaving;
class SampleSaving;
class SetTable;
struct ReportAsked;
struct SamplesAsked;

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
  std::string set_own;               // a line on the item's own θ; "" for other sets
  std::string set_read_as;           // the item's axis that points up; "" for other sets
  std::string set_learned;            // training data and external validation; "" for other sets
  std::vector<std::string> ups;      // axes that may point up; empty if none
  std::int64_t set_size = 0;         // size of the file's set; else `most`
  std::int64_t trained = 1;          // the largest N in the shown run's training
  std::string no_confidence;         // why there are no frequentist results; else ""
  std::string no_product;            // why the shown run has no learned product; else ""
  bool simulated = true;
  bool by_hand = false;              // whether θ and ψ were set by hand
  bool followable = false;           // whether files of its observations can be followed
  std::vector<std::string> endings;  // extensions of files of its observations
  bool drawable = false;             // whether a random subset of the file can be used
  // For a table: its columns, those in use, and the corresponding columns of the task.
  std::vector<std::string> columns, taken, needed;
  std::int64_t dropped = 0;  // observations omitted for a missing value
  // Whether a path holds several sets, one per file or group, rather than one set.
  std::function<bool(const std::filesystem::path&)> holds_sets;
  std::vector<SetParameter> parameters;  // of a simulated set: targets, then nuisances
  std::vector<SetGiven> given;           // its conditions, which the user may change, also for files
  bool given_assumed = false;            // the conditions are unknown; the center of training is assumed
  std::vector<int> shades;               // shades of the runs if they differ from a figure's default; else empty
  // For a task about items (tasks/parts/items.h): "mesh", the accepted inputs, and whether a text names an item; else
  // empty.
  std::string item, item_help;
  bool tested = false;  // whether its files are tested within the set (app/posterior/checks/within_sets.h)
  std::function<bool(const std::string&)> is_item;
};

// The posterior of one observed set at any N, by one run and by others of its task, next to the exact posterior.
// Everything is computed in the background, the latest request first.
class Posterior : public PosteriorPage {
 public:
  explicit Posterior(Hub& hub);
  ~Posterior() override;
  void accept(PosteriorPageVisitor& visitor) override { visitor.visit(*this); }
  Posterior(const Posterior&) = delete;
  Posterior& operator=(const Posterior&) = delete;

  // Shows a run: a folder, or a task's name for its shipped weights; empty: none. Runs of the same task share the
  // observed set.
  void open(const std::string& run) override;
  void close() override { open(""); }
  const std::string& run() const;
  // Rereads the runs, e.g. after training or a change of the data folder.
  void reload() override;
  // Sets other runs of the same task to draw as well.
  void set_others(std::vector<std::string> runs);
  const std::vector<std::string>& others() const;

  // Chooses the observed set: the next one from the prior, set `index` from the prior, one with a value of θ or ψ set
  // by hand (parameter `k` of the scene), that of a file, or that of a named item. For a file, N becomes its size, up
  // to the largest N in training; the file stays its task's set while other tasks are shown.
  void new_set() override;
  void set_index(std::int64_t index);
  std::int64_t index() const;
  void set_parameter(std::size_t k, double value);
  // Sets condition k of the set, simulated or from a file.
  void set_given(std::size_t k, double value);
  // `columns`: the table's columns for those of the task (SetChoice::columns); empty: the columns of the same names.
  void open_file(const std::filesystem::path& path, std::vector<std::string> columns = {});
  // Opens many sets: a table split by its column `group`, or, with "", a folder with one file per set. table() lists
  // them; the first is shown until another is selected.
  void open_sets(const std::filesystem::path& path, const std::string& group, std::vector<std::string> columns = {});
  void open_sets(SetChoice sets);
  SetTable& table();
  const SetTable& table() const;
  // Selects in the table (SetTable::choose): the first selected set is shown, the others are drawn behind it.
  void choose_set(std::size_t place, SetClick click);
  // Closes the table: all rows of its file become one set; for a folder, a simulated set is shown.
  void close_sets();
  // Uses the observations of the shown file that this seed draws; without a seed, the first ones.
  void set_random(std::optional<std::uint64_t> seed);
  // Sets the axis of the shown item that points up, one of the scene's `ups`.
  void set_up(const std::string& up);
  // Sets how observations with a missing value are treated, in the shown or last failed file and in files opened later.
  void set_missing(Missing missing);
  Missing missing() const;
  // Returns from a file, followed or not, to the simulated set.
  void simulate();

  // Follows a CSV file of points: its set grows as lines are appended, until another set is chosen. The shown run
  // computes the posterior; N grows by itself. Beyond the largest N in training, a random subset of that size is used.
  void follow_file(const std::filesystem::path& path);
  // Stops reading: the observations read so far become an ordinary observed set. A file that failed stays as it is; a
  // file without observations is dropped.
  void stop_following();
  // Drops the file and shows the previous set again.
  void end_following();
  // Null if no file is followed.
  std::shared_ptr<const FollowState> following() const;

  std::optional<std::string> open_data(const std::filesystem::path& path, bool images) override;
  Question question() const override;
  void restore(const Question& question) override;
  // Shows what a question asks beside its set, N and runs: intervals, references, derived quantities, another prior and
  // pinned posteriors.
  void restore_extras(const Question& question);

  // The largest N.
  std::int64_t most() const;

  // The credible interval that is shaded and reported.
  IntervalKind interval() const;
  void set_interval(IntervalKind kind);
  // Whether the references include the learned product of the shown run (core/eval/references/learned_product.h).
  bool learned_product() const;
  void set_learned_product(bool on);

  // Quantities derived from the targets (app/posterior/source/derived.h) and shown with them, such as "ratio =
  // theta/psi", for every run with the same targets. add_derived returns why a quantity is refused, as a sentence, or
  // "".
  std::vector<std::string> derived() const;
  std::string add_derived(const std::string& text);
  void remove_derived(std::size_t k);

  // Pins the shown run's posterior: a ghost behind later posteriors of its task, and a row of the table, until it is
  // removed; at most `most_pins` per task. Copied commands omit pins.
  static constexpr std::size_t most_pins = 5;
  struct Pin {
    std::uint64_t id = 0;
    std::string name;  // "N = 10, set 3"
    SeriesRole role = SeriesRole::ghost;
  };
  void pin();
  void unpin(std::uint64_t id);
  void rename_pin(std::uint64_t id, const std::string& name);
  // Pins of the shown task in the order of pinning.
  std::vector<Pin> pins() const;
  // Pins of all tasks.
  std::vector<PinnedQuestion> pinned() const;

  // Null before the run is loaded.
  std::shared_ptr<const PosteriorScene> scene() const;
  // The newest snapshot, perhaps of another N than n(); null before the first.
  std::shared_ptr<const PosteriorSnapshot> shown() const;
  // Posterior standard deviation against N, with a line at the shown N; null until available.
  std::shared_ptr<const Figure> width() const;
  // Simulations at posterior samples of (θ, ψ) over the observed data, and the posterior of ψ. Null if the task does
  // not know p(ψ | θ, X), and until available.
  std::shared_ptr<const PredictiveCheck> check() const;
  std::shared_ptr<const NuisanceView> nuisance() const;
  // The first n observations, for tasks without a check.
  std::shared_ptr<const Figure> observed() const;
  // Share of the observed set that is embedded, 0 to 1.
  double embedded() const;
  // Why the run cannot be shown, and why the last file could not be read: a sentence or "".
  const std::string& failure() const;
  const std::string& set_failure() const;
  void dismiss_set_failure();
  // The last file that failed because its columns are not the task's. Returned once.
  struct OtherColumns {
    std::filesystem::path file;
    std::vector<std::string> columns, needed;  // columns of the file; columns of the task
    std::string sentence;
  };
  std::optional<OtherColumns> take_other_columns();

  // The last table that failed as one set but may hold many sets, by one of the `spare` columns. Read as many sets,
  // only those with a fault are lost. Returned once.
  struct BrokenTable {
    std::filesystem::path file;
    std::vector<std::string> spare, columns;  // columns: those chosen for the observations
    std::string sentence;
  };
  std::optional<BrokenTable> take_broken_table();
  // The last file with more observations than the run can use, with the sentence of `infer`. Returned once.
  struct LargeSet {
    SetChoice choice;
    std::int64_t held = 0, most = 0;
    std::vector<std::string> spare;  // columns that may name each row's set
    std::string sentence;
  };
  std::optional<LargeSet> take_large_set();
  // Opens a part of it, as large as the run can use: the first observations, or those that this seed draws.
  void open_part(SetChoice choice, std::optional<std::uint64_t> seed);

  // The command that draws the same figure; empty while values set by hand are pending.
  std::string batch_command() const;

  // The run, set and N that samples would be drawn for, and the object that writes them; none while loading.
  std::optional<SamplesAsked> samples_asked() const;
  SampleSaving& saving();
  // The request for a report; none for a simulated set or while loading.
  std::optional<ReportAsked> report_asked() const;
  ReportSaving& reports();
  // Further analyses of the posterior of samples_asked().
  SetInquiries& inquiries() const;
  // The key of their answers for the shown posterior: run, set and N.
  std::string inquiry_key() const;

  // Takes over finished background work and advances a playing N. Returns whether something shown has changed.
  bool poll();
  bool busy() const;
  // The current background activity, "" at rest.
  std::string activity() const;
  // Waits up to `seconds` for background work; returns whether it has ended. For tests and screenshots.
  bool wait(double seconds);

 private:
  bool take_answers();
  void test_unasked();
  void test_again();
  void show_again();
  bool can_choose_n() const override;
  void n_chosen() override;
  bool ready() const override;
  void follow_player() override;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::model

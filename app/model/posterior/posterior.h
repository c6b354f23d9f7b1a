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
#include "app/posterior/derived.h"
#include "app/posterior/set_posterior.h"
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
  std::vector<PosteriorNumbers> series;   // runs first, the shown one in front, then references, exact first, ghosts
  std::shared_ptr<const Figure> density;  // one target: densities; more: a corner plot
  std::string question;                   // what is asked of these N observations
  std::string sentence;                   // what the shown run answers, beside the exact posterior
  std::vector<PosteriorWarning> warnings;
  Typicality typicality;                          // of the shown run's aggregate among those of training
  std::string disagreement;                       // of an ensemble's runs; "" of others
  IntervalKind interval = IntervalKind::central;  // that the figure shades and the sentence is about
  std::vector<DerivedNumbers> derived;            // of the quantities that are told beside the targets
  std::string null;                               // on the task's null value, a line; "" without one
  std::optional<PosteriorAxes> kept_axes;         // where the axes are not those that a figure of this N alone chooses
  double milliseconds = 0;                        // from the aggregate to the numbers of the shown run
};

// A value of θ or ψ that a simulated set was made with.
struct SetParameter {
  std::string name, label, unit;
  double low = 0, high = 1, value = 0;
  bool nuisance = false;
  std::string meaning = {};  // "bump position"; "" when the label says all
  std::string title = {};    // "ψ, bump position"
  bool whole = false;        // a number of what the sets are about: "molecule 7"
};

// A number that is given of the set beside its observations.
struct SetGiven {
  std::string name, label;
  double low = 0, high = 1, value = 0;  // low, high: of nearly all sets of training
  bool decades = false;                 // they span decades: a slider of it is logarithmic
};

// A run whose posterior is drawn.
struct PosteriorRun {
  std::string run;       // as it was asked for
  std::string name;      // for people
  std::string strategy;  // its title
  SeriesRole role = SeriesRole::pairs;
};

// A CSV file of points that is followed while another program appends to it.
struct FollowState {
  std::filesystem::path file;
  std::uint64_t set = 0;            // id
  std::int64_t seen = 0, used = 0;  // observations that came, and of which the posterior is
  std::int64_t most = 1;            // that are used at most
  double rate = 0;                  // observations a second, of late
  bool opened = false;              // whether it could be opened
  bool running = true;              // whether it is still read
  std::string failure;              // why it is not, a sentence; "" where a person stopped it
  bool operator==(const FollowState&) const = default;
};

// How a row of the table of sets is chosen: alone, in addition (or no more), or with all from the shown one to it.
enum class SetClick { alone, toggled, range };

// What the posteriors are of.
struct PosteriorScene {
  std::string task, title;
  std::vector<std::string> targets;  // labels with units
  std::vector<std::string> names;    // of the targets, in expressions
  std::string prior_example;         // "normal(0.5, 0.1)", another prior of the first target
  std::vector<PosteriorRun> runs;    // the shown one first
  QuestionText question;             // what is asked of the set
  std::int64_t most = 1;             // largest N that can be asked for
  std::vector<std::int64_t> sizes;   // the only ones, of a run with a head for each; else empty
  std::uint64_t set = 0;             // id of the observed set
  SetChoice choice;                  // that it is
  std::string set_name;              // "set 3 of the prior", a file's name, a thing's title
  std::string set_short;             // "set 3", "events.csv"
  std::string set_source;            // "simulated", "generated digits", a path, a thing's words
  std::string set_own;               // the θ that a thing tells of itself, a line; "" of other sets
  std::string set_read_as;           // which of its axes points up, a sentence; "" of other sets
  std::string set_learnt;            // what the shown run learnt from and how others fared, a line; "" of other sets
  std::vector<std::string> ups;      // that may point up; empty where the thing has none, and of other sets
  std::int64_t set_size = 0;         // all that a file holds; else `most`
  std::int64_t trained = 1;          // largest N that the shown run saw in training
  std::string no_confidence;         // why there are no frequentist answers; "" where there are
  std::string no_product;            // why the shown run has no learned product; "" where it has one
  bool simulated = true;
  bool by_hand = false;              // θ and ψ are not the prior's
  bool followable = false;           // files of its observations can be followed
  std::vector<std::string> endings;  // of files of its observations
  bool drawable = false;             // a file of which a random subset can be drawn
  // Of a file that is a table: what its columns are called, which of them are used, and for what (the task's columns).
  std::vector<std::string> columns, taken, needed;
  std::int64_t dropped = 0;  // observations of a file that are left out for a missing value
  // Whether a path holds a set a file, or a group, rather than one set.
  std::function<bool(const std::filesystem::path&)> holds_sets;
  std::vector<SetParameter> parameters;  // of a simulated set: targets, then nuisances
  std::vector<SetGiven> given;           // what a person may set of it, of a file's set, too
  bool given_assumed = false;            // nobody told it: the middle of training stands in its place
  std::vector<int> shades;               // of the runs, where a figure of them alone would choose others; else empty
  // Of a task that makes observations of things (tasks/parts/things.h): "mesh", what may be given, and whether a text
  // is meant for one; else empty.
  std::string thing, thing_help;
  bool tested = false;  // whether its files are tested within the set (app/posterior/within_sets.h)
  std::function<bool(const std::string&)> is_thing;
};

// The posterior of one observed set at any N, by one run and others of its task, beside the exact one. Everything is
// worked out in the background; what is asked for last is worked out first.
class Posterior : public PosteriorPage {
 public:
  explicit Posterior(Hub& hub);
  ~Posterior() override;
  void accept(PosteriorPageVisitor& visitor) override { visitor.visit(*this); }
  Posterior(const Posterior&) = delete;
  Posterior& operator=(const Posterior&) = delete;

  // Shows a run: a folder, or a task's name for its shipped weights; empty: nothing. The observed set stays where the
  // task does.
  void open(const std::string& run) override;
  void close() override { open(""); }
  const std::string& run() const;
  // Reads the runs again, e.g. after training or when the data folder changed.
  void reload() override;
  // Other runs of the same task, drawn beside it.
  void set_others(std::vector<std::string> runs);
  const std::vector<std::string>& others() const;

  // The observed set: the next one of the prior, the prior's set `index`, one with a value of θ or ψ set by hand
  // (parameter `k` of the scene), or a file's, or of the words that name a thing. N becomes as much of a file as the
  // run saw in training; the file stays its task's set while others are visited.
  void new_set() override;
  void set_index(std::int64_t index);
  std::int64_t index() const;
  void set_parameter(std::size_t k, double value);
  // Number k of what is given of the set, simulated or of a file, set by hand.
  void set_given(std::size_t k, double value);
  // `columns`: of a table, those that the task's are (SetChoice::columns); empty: those of the same names.
  void open_file(const std::filesystem::path& path, std::vector<std::string> columns = {});
  // Many sets: of a table by its column `group`, or, with "", of a folder with a file a set. They are listed in
  // table(), whose first is shown until another is chosen.
  void open_sets(const std::filesystem::path& path, const std::string& group, std::vector<std::string> columns = {});
  void open_sets(SetChoice sets);
  SetTable& table();
  const SetTable& table() const;
  // Chooses in the table (SetTable::choose): the first chosen is shown, the others stand behind it.
  void choose_set(std::size_t place, SetClick click);
  // Takes the table away: all rows of its file are one set; in the place of a folder's stands a simulated one.
  void close_sets();
  // Of a file that is shown, the observations that this seed draws; without a seed, the first ones.
  void set_random(std::optional<std::uint64_t> seed);
  // Of a thing that is shown, the axis that points up, one of the scene's `ups`.
  void set_up(const std::string& up);
  // What becomes of observations of files with a missing value: of the one that is shown, or could not be read last,
  // and of those that are opened from now on.
  void set_missing(Missing missing);
  Missing missing() const;
  // From a file, one that is followed too, back to the simulated set.
  void simulate();

  // The set becomes what a CSV file of points holds and what is appended to it, by the shown run, until another set is
  // asked for; N grows by itself. Beyond what training saw a random subset of that size is used.
  void follow_file(const std::filesystem::path& path);
  // Appends no more: what there is of the file becomes an observed set like any other. A file that could not be read on
  // stays as it is, and one of which nothing came is forgotten.
  void stop_following();
  // Forgets it: the set before it is shown again.
  void end_following();
  // Null where no file is.
  std::shared_ptr<const FollowState> following() const;

  std::optional<std::string> open_data(const std::filesystem::path& path, bool images) override;
  Question question() const override;
  void restore(const Question& question) override;
  // Shows what a question asks beside its set, N and runs: intervals, references, derived quantities, another prior and
  // pinned posteriors.
  void restore_extras(const Question& question);

  // The largest N.
  std::int64_t most() const;

  // Which interval is shaded and told.
  IntervalKind interval() const;
  void set_interval(IntervalKind kind);
  // Whether the learned product of the shown run (core/eval/learned_product.h) stands among the references.
  bool learned_product() const;
  void set_learned_product(bool on);

  // Quantities that follow from the targets (app/posterior/derived.h) and are told beside them, "ratio = theta/psi", of
  // every run with the same targets. Adding one answers why it is refused, a sentence, or "".
  std::vector<std::string> derived() const;
  std::string add_derived(const std::string& text);
  void remove_derived(std::size_t k);

  // Keeps the shown run's posterior as it is now as a ghost behind all that follows of its task, and in the table,
  // until it is taken away: so many of a task at most. Copied commands do not know of them.
  static constexpr std::size_t most_pins = 5;
  struct Pin {
    std::uint64_t id = 0;
    std::string name;  // "N = 10, set 3"
    SeriesRole role = SeriesRole::ghost;
  };
  void pin();
  void unpin(std::uint64_t id);
  void rename_pin(std::uint64_t id, const std::string& name);
  // Of the task that is shown, in the order of pinning.
  std::vector<Pin> pins() const;
  // Pins of all tasks.
  std::vector<PinnedQuestion> pinned() const;

  // Null before the run is loaded.
  std::shared_ptr<const PosteriorScene> scene() const;
  // The newest there is, perhaps of another N than n(); null before the first.
  std::shared_ptr<const PosteriorSnapshot> shown() const;
  // Posterior sd against N with a rule at the shown one. Null until there is some.
  std::shared_ptr<const Figure> width() const;
  // What the model makes at draws of (θ, ψ) over the observed data, and the posterior of ψ. Null where the task does
  // not know p(ψ | θ, X), and until there is one.
  std::shared_ptr<const PredictiveCheck> check() const;
  std::shared_ptr<const NuisanceView> nuisance() const;
  // The first n observations, of tasks without a check.
  std::shared_ptr<const Figure> observed() const;
  // Share of the observed set that is embedded, 1 when all is.
  double embedded() const;
  // Why the run cannot be shown, and why the last file could not be read: a sentence or nothing.
  const std::string& failure() const;
  const std::string& set_failure() const;
  void dismiss_set_failure();
  // The last file that could not be read because it is a table of other columns than the task's, and these: once.
  struct OtherColumns {
    std::filesystem::path file;
    std::vector<std::string> columns, needed;  // of the file, and of the task
    std::string sentence;
  };
  std::optional<OtherColumns> take_other_columns();

  // The last table that could not be read as one set, where it may hold many: by these columns. Once. Read as sets, it
  // loses no more than those with a fault.
  struct BrokenTable {
    std::filesystem::path file;
    std::vector<std::string> spare, columns;  // columns: that were chosen for the observations
    std::string sentence;
  };
  std::optional<BrokenTable> take_broken_table();
  // The last file with more observations than the run can be asked about, with the sentence of `infer`. Once.
  struct LargeSet {
    SetChoice choice;
    std::int64_t held = 0, most = 0;
    std::vector<std::string> spare;  // columns that may hold the name of each row's set
    std::string sentence;
  };
  std::optional<LargeSet> take_large_set();
  // Opens it with as many observations as can be asked about: the first, or those that this seed draws.
  void open_part(SetChoice choice, std::optional<std::uint64_t> seed);

  // The command that draws the same figure without the window; empty while values set by hand are on their way.
  std::string batch_command() const;

  // What samples would be drawn of, the shown run, set and N; nothing while it is on its way. And who draws them.
  std::optional<SamplesAsked> samples_asked() const;
  SampleSaving& saving();
  // The same of a report; nothing of a simulated set, either.
  std::optional<ReportAsked> report_asked() const;
  ReportSaving& reports();
  // Further questions about the posterior of what samples_asked() names.
  SetInquiries& inquiries() const;
  // What names answers of theirs about the posterior that is shown: run, set and N, whatever was shown in between.
  std::string inquiry_key() const;

  // Takes over what background work has finished, moves a playing N on. True when something shown has changed.
  bool poll();
  bool busy() const;
  // What the background does now, "" at rest.
  std::string activity() const;
  // Waits until it rests, or `seconds` have passed; true when it does. For tests and screenshots.
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

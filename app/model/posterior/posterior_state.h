#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/hub/background.h"
#include "app/model/hub/n_player.h"
#include "app/model/posterior/posterior.h"
#include "app/model/posterior/work/file_follower.h"
#include "app/model/posterior/work/pin_restoring.h"
#include "app/model/posterior/work/posterior_engine.h"
#include "app/model/posterior/work/report_saving.h"
#include "app/model/posterior/work/sample_saving.h"
#include "app/model/posterior/work/set_inquiry.h"
#include "app/model/posterior/work/set_table.h"

namespace pairs::model {

// The requests and results of the Posterior tab. Its parts have their own files: the set and N (posterior_state.cpp),
// the followed file (posterior_following.cpp), the table of sets (posterior_sets.cpp).
struct PosteriorState {
  PosteriorState(Hub& shared, NPlayer& n)
      : hub(shared),
        player(n),
        saving(shared),
        reports(shared),
        table(shared),
        inquiries(shared),
        follower(shared),
        restoring(shared),
        background(shared) {}

  Hub& hub;
  PosteriorRequest request;
  struct AskedSet {
    SetChoice set;
    SetRequest request;
  };
  AskedSet before;  // the set shown when a file was requested
  PosteriorResult result;
  std::uint64_t shaded = 0;    // version of the runs' shades
  std::uint64_t last_set = 0;  // id
  struct Asked {
    std::uint64_t set;
    std::size_t parameter;
    double value;
    bool operator==(const Asked&) const = default;
  };
  std::optional<Asked> asked_value;  // the set made by a value set by hand
  std::size_t reported = 0;          // number of problems already logged
  std::string scene_task;            // task of the last scene
  std::uint64_t scene_set = 0;
  std::string scene_source;                    // source of its set
  std::map<std::string, std::int64_t> file_n;  // N shown for a file, by task
  bool chosen_n = false;                       // whether the user has chosen N
  std::int64_t restored_n = 0;                 // N of an earlier start, until the set is ready; 0: none
  NPlayer& player;
  SampleSaving saving;
  ReportSaving reports;
  SetTable table;
  std::string table_task;                  // task of its sets; "" until a run is loaded
  bool none_chosen = false;                // no set of the table is shown because the chosen one failed
  std::uint64_t failed_set = 0;            // id of the set that failed while the previous one stays; 0: none
  std::optional<SetChoice> failed_choice;  // the choice that failed
  bool failed_whole = false;               // whether the whole file was requested
  Missing missing = Missing::refuse;       // for the files that are opened
  SetInquiries inquiries;
  FileFollower follower;
  std::shared_ptr<const PosteriorScene> follow_scene;  // of the followed file
  std::uint64_t stopped_set = 0;  // id of the set that it becomes, until its posterior is ready; 0: none
  std::uint64_t last_pin = 0;     // id
  PinRestoring restoring;
  std::optional<std::vector<std::string>> restored_derived;  // until their run is there
  std::vector<std::string> restored_tests;  // of an earlier start, until the posterior of their set is there
  std::uint64_t restored_tests_set = 0;     // id of that set
  std::string restored_tests_member;        // its name, if it is one of many
  Background<PosteriorEngine, PosteriorRequest> background;

  // What is shown, of a followed file or of the requested set; null until it is there.
  std::shared_ptr<const PosteriorScene> scene() const;
  std::shared_ptr<const PosteriorSnapshot> shown() const;
  std::shared_ptr<const FollowState> following() const;
  std::vector<std::string> derived() const;
  std::string inquiry_key() const;
  void ask();
  void end_following();
  void simulate();
  // Opens many sets (PosteriorSets::open).
  void open_sets(SetChoice sets);
  // Returns the request for the set that the followed file holds, for the task it was followed for; none if the file is
  // empty or malformed.
  std::optional<AskedSet> followed_set();
  // Ends following when another task or run is shown; the file becomes its task's set.
  void leave_followed();
  void pin(PinnedPosteriors pinned);
  // Takes over recomputed pins of a session; returns whether there were any.
  bool take_restored();
  // Takes over a session's derived quantities once its run is loaded.
  void take_restored_derived();
  // The set that is shown, or, until it is there, the requested one. It is another than the requested one after a
  // change of task, since each task has its own.
  SetChoice chosen() const;
  // Whether the requested set is shown by the requested run.
  bool is_shown() const;
  // The shown or requested set with the values that reproduce it.
  SetChoice asked_set() const;
  // The set that is shown now is the one to go back to.
  void keep_shown();
  void close_table();
  // Selects the shown set in the table, if it is there, because the selected one cannot be read.
  void choose_shown();
  // Requests the previous set because the requested one cannot be read.
  void go_back();
  void take(const AskedSet& set);
  // Clears an earlier failure that does not concern the current request.
  void forget_failure();
  // Shows the selection of the table.
  void show_chosen();
  // Updates the table to the shown run and task, and shows its first row.
  void follow_table();
  // `whole`, `opened`: as in SetRequest.
  void another_set(SetChoice choice, bool whole = false, bool opened = false);
  // Lists the many sets that the requested path turned out to hold.
  void take_many();
  // Call when the player's N may have changed.
  void follow_player();
  void take_scene();
  // A playing N waits while the set is still being embedded.
  bool ready() const { return result.embedded >= 1 || !result.snapshot || result.snapshot->n == request.asked.n; }
};

}  // namespace pairs::model

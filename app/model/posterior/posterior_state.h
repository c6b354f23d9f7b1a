#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/hub/background.h"
#include "app/model/hub/n_player.h"
#include "app/model/posterior/file_follower.h"
#include "app/model/posterior/pin_restoring.h"
#include "app/model/posterior/posterior.h"
#include "app/model/posterior/posterior_engine.h"
#include "app/model/posterior/report_saving.h"
#include "app/model/posterior/sample_saving.h"
#include "app/model/posterior/set_inquiry.h"
#include "app/model/posterior/set_table.h"

namespace pairs::model {

// What the Posterior tab is asked for and has been answered. Its parts are in files of their own: the set and N
// (posterior_state.cpp), the file that is followed (posterior_following.cpp), the table of sets (posterior_sets.cpp).
struct Posterior::State {
  State(Hub& shared, NPlayer& n)
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
  SetRequest before;  // the set that was shown when a file was asked for
  PosteriorResult result;
  std::uint64_t shaded = 0;    // version of the runs' shades
  std::uint64_t last_set = 0;  // id
  struct Asked {
    std::uint64_t set;
    std::size_t parameter;
    double value;
    bool operator==(const Asked&) const = default;
  };
  std::optional<Asked> asked_value;  // the set that a value by hand made
  std::size_t told = 0;              // problems that are in the log
  std::string scene_task;            // of the last scene
  std::uint64_t scene_set = 0;
  std::string scene_source, set_stamp;         // of its set, and size and time of its file
  std::map<std::string, std::int64_t> file_n;  // shown of a file, by task
  bool chosen_n = false;                       // by a person, rather than the first
  std::int64_t restored_n = 0;                 // of an earlier start, until the set is there; 0: none
  NPlayer& player;
  SampleSaving saving;
  ReportSaving reports;
  SetTable table;
  std::string table_task;        // whose sets it holds; "" until a run is there
  bool none_chosen = false;      // no set of the table is shown, since the one that was to be cannot be read
  std::uint64_t failed_set = 0;  // id of the set that could not be read, while the one before it stays; 0: none
  std::optional<SetChoice> failed_choice;  // that was asked for then
  bool failed_whole = false;               // as a whole
  Missing missing = Missing::refuse;       // of the files that are opened
  SetInquiries inquiries;
  FileFollower follower;
  std::shared_ptr<const PosteriorScene> follow_scene;  // of the file that is followed
  std::uint64_t stopped_set = 0;  // id of the set that it becomes, until its posterior is there; 0: none
  std::uint64_t last_pin = 0;     // id
  PinRestoring restoring;
  std::optional<std::vector<std::string>> restored_derived;  // until their run is there
  std::vector<std::string> restored_tests;  // of an earlier start, until the posterior of their set is there
  std::uint64_t restored_tests_set = 0;     // id of that set
  Background<PosteriorEngine, PosteriorRequest> background;

  void ask();
  void end_following();
  // Whether the path holds many sets for the task that is shown.
  bool holds_sets(const std::filesystem::path& path) const;
  // The set that a followed file becomes, for its task; none where nothing came or its text is wrong.
  std::optional<SetRequest> followed_set();
  // Another task or run is shown: the file that was followed is its task's set.
  void leave_followed();
  void pin(PinnedPosteriors pinned);
  // Pins of a session that are worked out; whether there were any.
  bool take_restored();
  // Derived quantities of a session, for the run that is there by now.
  void take_restored_derived();
  // What the shown posterior answers, as it would be asked for again.
  PinnedQuestion asked() const;
  // The set that is shown now is the one to go back to.
  void keep_shown();
  void close_table();
  // What was chosen cannot be read: chosen is the set that is shown, where it is one of the table's.
  void choose_shown();
  // The set that was asked for cannot be read: the one before it is asked for again.
  void go_back();
  // An older failure says nothing about what is asked for now.
  void forget_failure();
  // Shows what is chosen in the table.
  void show_chosen();
  // The rows of the run and task that are shown, the first of them on the screen.
  void follow_table();
  // `whole`: SetRequest::whole.
  void another_set(SetChoice choice, bool whole = false);
  // After the player's N may have changed.
  void follow_player();
  void take_scene();
  // A set that is still being embedded is waited for by a playing N, not overtaken.
  bool ready() const { return result.embedded >= 1 || !result.snapshot || result.snapshot->n == request.n; }
};

}  // namespace pairs::model

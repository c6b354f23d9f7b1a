#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/runs/new_run.h"
#include "app/studies/study.h"

namespace pairs {

// A run of a study.
struct StudyRun {
  std::string name;  // of its folder: "circle-pairs-size16-s1"
  NewRun wanted;     // as a person would ask for it
  RunConfig config;
  std::vector<std::string> varied = {};  // "key=value" of what the study varies and this run reads
  bool trained = true;                   // false: its cost is told, and that is all
  // Runs with the same one share stage 1, stages 1 and 2 (core/train/stage_sharing.h).
  std::string first_stage, second_stage;
};

// The last word of a varied setting's key, "size" of "embedder.size"; the whole key where another one of `varied`
// ("key=value") ends in the same.
std::string short_key(const std::string& key, const std::vector<std::string>& varied);

// How every run of a study is made, beside what its file says.
struct StudyOptions {
  std::string data, device;
  // Of studies whose runs are read beside this one's: presets in place of their own, and settings over their files'.
  std::vector<std::string> presets = {}, set = {};
  // The name of the task that a file stands for; it is opened.
  std::function<std::string(const std::string& file)> open_task;
};

// All runs of a study, in the order of its file. A setting reaches the runs that read it; one that none reads is
// refused, and runs that would differ in a setting which neither of them reads are one. Throws a usage error.
std::vector<StudyRun> study_runs(const Tasks& tasks, const Study& study, const StudyOptions& options);

}  // namespace pairs

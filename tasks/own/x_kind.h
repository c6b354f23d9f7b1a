#pragma once

#include <string>

#include "core/task.h"

namespace pairs::own {

// What follows for an own task from how its observations are seen.
struct XKind {
  const char* word;  // of the protocol
  bool ragged;
  std::string (*text)(const TaskInfo& task);                  // what an observation is, in a sentence
  std::string (*embedder)(const TaskInfo& task, bool quick);  // the keys of a preset's [embedder]
};
const XKind& x_kind(const TaskInfo& task);

}  // namespace pairs::own

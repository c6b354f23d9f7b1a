#pragma once

#include <string>

#include "core/task.h"

namespace pairs::own {

// How much a network learns from: sets without end in minutes or in hours, or few sets again and again, from which a
// large one learns its training by heart.
enum class EmbedderSize { quick, large, few_sets };

// What follows for an own task from how its observations are seen.
struct XKind {
  const char* word;  // of the protocol
  bool ragged;
  bool lines;                                                        // an observation is a row of a table
  std::string (*text)(const TaskInfo& task);                         // what an observation is, in a sentence
  std::string (*embedder)(const TaskInfo& task, EmbedderSize size);  // the keys of a preset's [embedder]
};
const XKind& x_kind(const TaskInfo& task);

}  // namespace pairs::own

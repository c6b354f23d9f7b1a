#pragma once

#include <string>

#include "core/task.h"

namespace pairs::own {

// How much data a network is trained on: unlimited sets for minutes or for hours, or few sets again and again, which a
// large network would overfit.
enum class EmbedderSize { quick, large, few_sets };

// The consequences of the kind of observation for a custom task.
struct XKind {
  const char* word;  // its name in the protocol
  bool ragged;
  bool lines;                                                        // an observation is a row of a table
  std::string (*text)(const TaskInfo& task);                         // describes an observation in a sentence
  std::string (*embedder)(const TaskInfo& task, EmbedderSize size);  // the keys of a preset's [embedder]
};
const XKind& x_kind(const TaskInfo& task);

}  // namespace pairs::own

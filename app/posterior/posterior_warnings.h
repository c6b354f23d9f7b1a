#pragma once

#include <cstdint>
#include <string>

#include "core/posterior/typicality.h"
#include "core/train/run.h"

namespace pairs {

// What is to be known of a posterior before it is believed, a sentence each: the same wherever it is told.
std::string extrapolation_text(const LoadedRun& run);
std::string only_pretrained_text(const std::string& run);
// Of a run whose training told so; "" of others, and where its log cannot be read.
std::string learnt_nothing_text(const LoadedRun& run);
// Of a set that grows beyond `most`.
std::string subset_text(const std::string& run, std::int64_t most);
std::string outside_text(const Place& place);

}  // namespace pairs

#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/posterior/posterior_source.h"

namespace pairs {

struct Tried;
struct TriedThing;

// How posteriors of one target are widened for things of one kind, so that their intervals hold what the things tried
// showed. On the target's axis without ends (log-odds between two ends, an inverse softplus above one) a posterior
// whose 90 % interval is that of a normal of width w is spread about its middle until its 90 % interval is that of a
// normal of width factor90 · √(w² + added²), and its tails until the 99 % interval is that of factor99 · √(w² +
// added²); it is never made narrower. None of these numbers depends on the θ of the thing that is asked about.
struct Recalibration {
  std::string kind;        // kind_of()
  std::size_t target = 0;  // which one
  std::int64_t count = 0;  // things it was learnt from
  double added = 0;        // a standard deviation
  double factor90 = 1, factor99 = 1;
  double inside90 = 0;        // share in the widened 90 % interval, each thing by what the nine other tenths showed,
  std::int64_t missed99 = 0;  // and how many lay beyond the widened 99 % interval
};

// Learns the widening for each kind of which 40 things or more were tried, and for each target of which these things
// have a value of their own. `things` is what try_things kept of each.
std::vector<Recalibration> learn_recalibrations(const std::vector<TriedThing>& things, const Tried& tried,
                                                const std::vector<Target>& targets);
// The recalibrations of one kind.
std::vector<Recalibration> of_kind(std::vector<Recalibration> all, const std::string& kind);

// Writes recalibrations as a list of objects, and reads such a list. Throws Error where a number is impossible.
nlohmann::json recalibrations_document(const std::vector<Recalibration>& all, const std::vector<Target>& targets);
std::vector<Recalibration> recalibrations_of_json(const nlohmann::json& document, const std::vector<Target>& targets);

// The posterior of a thing, widened by what is known of its kind: samples and density. Where `by` is empty, or the
// samples are not finite, it is returned as it is.
PosteriorSource recalibrated(PosteriorSource source, const std::vector<Target>& targets,
                             const std::vector<Recalibration>& by);

}  // namespace pairs

#pragma once

#include <string>

#include "app/posterior/posterior_numbers.h"
#include "app/posterior/tried.h"

namespace pairs {

// An item's own values, shown next to a posterior of the set that was made from it.

// "By the mesh itself: V = 0.153", in as many decimals as the targets' spread is worth; "" of sets of none. Values of
// another quantity (ThingSet::other) are named so: "V = 0.153 (the volume of its convex hull, which is another quantity
// and no truth of this posterior)".
std::string own_values_text(const Task& task, const ThingMarks& marks);
// The sentence that warns where own values, not of another quantity, lie beyond the posterior's central 99 %; "" where
// none does.
std::string own_values_warning(const Task& task, const ThingMarks& marks, const PosteriorNumbers& posterior);

}  // namespace pairs

#pragma once

#include <string>

#include "app/posterior/source/posterior_numbers.h"
#include "app/posterior/validation/external_validation.h"

namespace pairs {

// An item's own values, shown next to the posterior of the set made from it.

// "By the mesh itself: V = 0.153", with the decimals that the targets' spread supports; "" for other sets. Values of
// another quantity (ItemSet::other) are marked: "V = 0.153 (the volume of its convex hull, which is another quantity
// and no truth of this posterior)".
std::string own_values_text(const Task& task, const ItemMarks& marks);
// The warning if own values of the same quantity lie outside the posterior's central 99 %; else "".
std::string own_values_warning(const Task& task, const ItemMarks& marks, const PosteriorNumbers& posterior);

}  // namespace pairs

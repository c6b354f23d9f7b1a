#pragma once

namespace pairs::bump_hunt {

// The relative deviation of mean and standard deviation of the exact posterior of a known set from their known values.
double posterior_deviation();

}  // namespace pairs::bump_hunt

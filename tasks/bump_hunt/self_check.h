#pragma once

namespace pairs::bump_hunt {

// How far mean and standard deviation of the exact posterior of a known set are from their known values, relatively.
double posterior_deviation();

}  // namespace pairs::bump_hunt

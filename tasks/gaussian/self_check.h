#pragma once

namespace pairs::gaussian {

// The deviation of the exact posterior of four points from its known density and mean.
double posterior_deviation();

}  // namespace pairs::gaussian

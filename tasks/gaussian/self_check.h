#pragma once

namespace pairs::gaussian {

// How far the exact posterior of four points is from its known density and mean.
double posterior_deviation();

}  // namespace pairs::gaussian

#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/eval/calibration.h"
#include "core/eval/evaluation_row.h"

namespace pairs {

// What an evaluation says of a run, in a line.
struct EvaluationVerdict {
  CalibrationLevel level = CalibrationLevel::unknown;  // the worst of all tests
  bool bad = false;                                    // miscalibrated somewhere, or images worse than the mean image
  // "Miscalibrated at N = 1: truths lie too high (location z 6.0); none detected at 6 of 7 sizes alone". Where no test is
  // beyond its limit it names what would have been: "No miscalibration detected (500 sets; a width 16 % off would have
  // been seen with 80 %)".
  std::string text;
  std::string brief;   // "miscalibrated at 1 of 7 sizes": for narrow places
  std::string family;  // a sentence on the tests that were made together; "" of images
  friend bool operator==(const EvaluationVerdict&, const EvaluationVerdict&) = default;
};

// What a verdict has to know beside the rows.
struct VerdictContext {
  std::vector<std::string> targets = {};  // labels, of which a fault names its own where there are several
  std::size_t sizes = 0;    // that were asked for; 0: the rows are all. Fewer rows make a verdict "so far"
  std::string beside = {};  // the run that the rows' `beside` is about; "" without one
};

// In `text` stand beside the levels of calibration, where they are known: what is lost to the exact posterior at the
// size where that is most, and how far the means of another run on the same sets are from this one's. "" when nothing
// can be said. Of images: how much of the mean image's error is left at the largest size, and at which sizes the
// posterior mean is worse than that image.
EvaluationVerdict evaluation_verdict(const std::vector<EvaluationRow>& rows, const VerdictContext& context);
// The same of a run that learnt something, of parameters and of images.
EvaluationVerdict density_verdict(const std::vector<EvaluationRow>& rows, const VerdictContext& context);
EvaluationVerdict image_verdict(const std::vector<EvaluationRow>& rows);

// How far off posteriors must be for the tests of a row to notice it, which limits like these judge: "In four of five
// such evaluations 200 sets notice posteriors that …", a sentence. "" where its sets are not judged so.
std::string power_text(const EvaluationRow& row, const CalibrationLimits& limits);

// How far off a width must be, as a share of the right one, to be seen in four of five evaluations: where it is off at
// one size alone, by the test of that size with the fewest sets, and where it is off alike at every size and target, by
// the pooled test (NaN where there is none). INFINITY where even the farthest may be missed. Of normal posteriors.
struct WidthPower {
  double one_size = INFINITY, every_size = NAN;
};
WidthPower width_power(const std::vector<EvaluationRow>& rows, const CalibrationLimits& limits,
                       const std::vector<PooledTest>& pooled);

// What "no miscalibration detected" means and what it does not, a sentence or two.
const char* calibrated_meaning();

// Whether a row's predicted images are worse than the mean image, beyond four standard errors.
bool worse_than_mean_image(const EvaluationRow& row);

}  // namespace pairs

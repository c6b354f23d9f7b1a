#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/eval/calibration/calibration.h"
#include "core/eval/metrics/evaluation_row.h"

namespace pairs {

// The verdict of an evaluation on a run, in one line.
struct EvaluationVerdict {
  CalibrationLevel level = CalibrationLevel::unknown;  // the worst of all tests
  bool bad = false;                                    // miscalibrated somewhere, or images worse than the mean image
  // "Miscalibrated at N = 1: truths lie too high (location z 6.0); none detected at 6 of 7 sizes alone". If no test is
  // beyond its limit, it states the detectable deviation: "No miscalibration detected (500 sets; a width 16 % off would
  // have been seen with 80 %)".
  std::string text;
  std::string brief;   // "miscalibrated at 1 of 7 sizes": for narrow places
  std::string family;  // a sentence on the family of tests; "" for images
  friend bool operator==(const EvaluationVerdict&, const EvaluationVerdict&) = default;
};

// The context of a verdict in addition to the rows.
struct VerdictContext {
  std::vector<std::string> targets = {};  // labels, by which a fault names its target if there are several
  std::size_t sizes = 0;                  // requested sizes; 0: as many as rows. Fewer rows make a verdict "so far"
  std::string companion = {};             // the run of the rows' `companion`; "" without one
};

// `text` contains the calibration levels and, if known, the gap to the exact posterior at the size where it is largest,
// and the distance to the means of another run on the same sets. "" if nothing is known. For images: the share of the
// mean image's error that remains at the largest size, and the sizes at which the posterior mean is worse than that
// image.
EvaluationVerdict evaluation_verdict(const std::vector<EvaluationRow>& rows, const VerdictContext& context);
// The verdict for a run that is better than the prior, for parameters and for images.
EvaluationVerdict density_verdict(const std::vector<EvaluationRow>& rows, const VerdictContext& context);
EvaluationVerdict image_verdict(const std::vector<EvaluationRow>& rows);

// The smallest deviation of posteriors that the tests of a row can detect with limits like these: "In four of five such
// evaluations 200 sets notice posteriors that …", a sentence. "" if its sets are not judged so.
std::string power_text(const EvaluationRow& row, const CalibrationLimits& limits);

// The relative error of a width that four of five evaluations detect: an error at a single size, by the test of the
// size with the fewest sets; and an equal error at every size and target, by the pooled test (NaN if there is none).
// INFINITY if even the largest error may be missed. For normal posteriors.
struct WidthPower {
  double one_size = INFINITY, every_size = NAN;
};
WidthPower width_power(const std::vector<EvaluationRow>& rows, const CalibrationLimits& limits,
                       const std::vector<PooledTest>& pooled);

// The meaning and limits of "no miscalibration detected", in a sentence or two.
const char* calibrated_meaning();

// Whether a row's predicted images are worse than the mean image by more than four standard errors.
bool worse_than_mean_image(const EvaluationRow& row);

}  // namespace pairs

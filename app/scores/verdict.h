#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/eval/calibration.h"
#include "core/eval/evaluation_row.h"

namespace pairs {

// What an evaluation says of a run, in a line.
struct EvaluationVerdict {
  CalibrationLevel level = CalibrationLevel::unknown;  // the worst of all sizes
  bool bad = false;                                    // miscalibrated somewhere, or images worse than the mean image
  // "Calibrated at 6 of 7 sizes; miscalibrated at N = 1: truths lie too high (location z 6.0)". Where no fault was seen
  // by so few sets that large ones may go unnoticed it says how large.
  std::string text;
  std::string brief;   // "6 of 7 sizes calibrated": for narrow places
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

// What "calibrated" means and what it does not, a sentence or two.
const char* calibrated_meaning();

// Whether a row's predicted images are worse than the mean image, beyond four standard errors.
bool worse_than_mean_image(const EvaluationRow& row);

}  // namespace pairs

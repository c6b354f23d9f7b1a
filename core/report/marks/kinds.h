#pragma once

namespace pairs::chart {

class MarkKind;

// Each is defined in the file of its name; their data are structs of core/report/figure.h.
const MarkKind& line_marks();
const MarkKind& contour_marks();
const MarkKind& bar_marks();
const MarkKind& scatter_marks();
const MarkKind& rule_marks();
const MarkKind& band_marks();
const MarkKind& picture_marks();

// The order of legends, tables and readings at the mouse.
inline constexpr const MarkKind& (*kMarkKinds[])() = {line_marks, contour_marks, bar_marks,    scatter_marks,
                                                      rule_marks, band_marks,    picture_marks};

}  // namespace pairs::chart

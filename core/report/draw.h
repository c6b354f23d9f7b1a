#pragma once

#include "core/report/canvas.h"
#include "core/report/layout.h"

namespace pairs::chart {

// Draws a figure as placed by `layout`.
void draw_figure(const Figure& figure, const FigureLayout& layout, Canvas& canvas);

}  // namespace pairs::chart

#pragma once

#include "core/report/canvas.h"
#include "core/report/layout.h"

namespace pairs::chart {

// Draws a figure where `layout` puts it.
void draw_figure(const Figure& figure, const FigureLayout& layout, Canvas& canvas);

}  // namespace pairs::chart

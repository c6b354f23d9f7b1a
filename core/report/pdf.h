#pragma once

#include <string>

#include "core/report/figure.h"

namespace pairs {

// A PDF page of the figure's size, as bytes: vectors, with embedded fonts. Equal figures give equal bytes. Throws as
// the other writers do (core/report/figure.h).
std::string figure_pdf(const Figure& figure);

}  // namespace pairs

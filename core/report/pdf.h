#pragma once

#include <string>

#include "core/report/figure.h"

namespace pairs {

// A page of PDF of the figure's size, as bytes: vectors, with its fonts embedded. The same figure gives the same bytes.
// Throws as the other writers do (core/report/figure.h).
std::string figure_pdf(const Figure& figure);

}  // namespace pairs

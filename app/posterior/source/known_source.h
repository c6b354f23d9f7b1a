#pragma once

#include <memory>
#include <string>

#include "app/posterior/source/posterior_source.h"

namespace pairs {

// The source for a reference called `name` that has its set already.
PosteriorSource known_source(const std::string& name, const std::shared_ptr<ReferencePosterior>& reference);

}  // namespace pairs

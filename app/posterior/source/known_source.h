#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/posterior/source/posterior_source.h"

namespace pairs {

// The source for a reference called `name` of these targets that has its set already.
PosteriorSource known_source(const std::string& name, const std::shared_ptr<ReferencePosterior>& reference,
                             const std::vector<Target>& targets);

}  // namespace pairs

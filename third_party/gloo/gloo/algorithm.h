#pragma once

// See third_party/gloo/README.md.
namespace gloo {
class Algorithm;
}  // namespace gloo

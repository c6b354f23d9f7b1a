#pragma once

// See third_party/gloo/README.md.
namespace gloo {
struct Exception;
}  // namespace gloo

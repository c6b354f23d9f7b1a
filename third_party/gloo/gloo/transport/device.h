#pragma once

// See third_party/gloo/README.md.
namespace gloo::transport {
class Device;
class UnboundBuffer;
}  // namespace gloo::transport

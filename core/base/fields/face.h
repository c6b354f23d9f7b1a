#pragma once

#include <type_traits>

namespace pairs {

// Casts to an interface that some classes implement in addition to their base class: a task that simulates views of
// items (Things), a head that samples in steps (SteppedSampler). Null if the object does not implement it.
template <class Face, class Object>
auto face(Object& object) {
  return dynamic_cast<std::conditional_t<std::is_const_v<Object>, const Face, Face>*>(&object);
}

}  // namespace pairs

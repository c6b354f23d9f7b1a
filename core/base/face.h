#pragma once

#include <type_traits>

namespace pairs {

// What some objects can do beside what their base class says, as an interface that their class derives from as well: a
// task that makes sets of things (Things), a head that is sampled in steps (SteppedSampler). Null where it does not.
template <class Face, class Object>
auto face(Object& object) {
  return dynamic_cast<std::conditional_t<std::is_const_v<Object>, const Face, Face>*>(&object);
}

}  // namespace pairs

#pragma once

#include <numbers>
#include <string_view>
#include <variant>

#include "app/posterior/question/set_fields.h"

namespace pairs {

// Values that differ from the usual and are hard to write.
struct Varied {
  void operator()(std::int64_t& value) const { value = 123456789012; }
  void operator()(std::uint64_t& value) const { value = 9007199254740991; }
  void operator()(std::vector<double>& values) const { values = {-1.0 / 3, 1e-300, 5}; }
  void operator()(std::filesystem::path& path) const { path = "/data/ö \"two\" 'one'.csv"; }
  void operator()(std::optional<std::uint64_t>& value) const { value = 0; }
  void operator()(std::vector<std::string>& names) const {
    names = {"U [mV]", "a,b", "say \"x\"", " blank ", "column 2", "-1"};
  }
  void operator()(std::string& text) const { text = "-5 = \"x\", 'y'; ψ\\"; }
  void operator()(Missing& missing) const { missing = Missing::drop; }
  void operator()(std::optional<render::Camera>& camera) const {
    camera = render::Camera{-37.3 * (std::numbers::pi / 180), 12.7 * (std::numbers::pi / 180)};
  }
};

// Gives the field of the set such a value.
inline void vary_field(const SetField& field, SetChoice& set) {
  std::visit([&](auto member) { Varied()(set.*member); }, field.member);
  if (std::string_view(field.option) == "up") set.up = "y";  // one of three words
}

// A set of the user's own, or a simulated one, of which all fields are varied.
inline SetChoice varied_set(bool own) {
  SetChoice set;
  for (const SetField& field : set_fields())
    if (own ? field.own() : field.of(SetKind::simulated)) vary_field(field, set);
  return set;
}

}  // namespace pairs

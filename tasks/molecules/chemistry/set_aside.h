#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace pairs {

// Why a row or record of a file gave no molecule. Values are part of the store's file format; only append.
enum class SetAsideReason : std::uint8_t {
  empty = 0,        // no SMILES in the row
  syntax = 1,       // not SMILES, or no record of its format
  chemistry = 2,    // impossible valence, ring that cannot be aromatic
  element = 3,      // a metal, a dummy atom, or another element that is_molecule_element() refuses
  size = 4,         // more atoms than allowed, including hydrogens, or a text that is too long
  fragments = 5,    // conformers of several fragments, in a format that does not assign atoms to fragments
  composition = 6,  // every conformer of the file holds other atoms than its SMILES
  conformer = 7,    // no conformer could be embedded
  duplicate = 8,    // the molecule is already in the file
  damaged = 9,      // the file cannot be read from there on
};
inline constexpr std::size_t kSetAsideReasons = 10;

// Readable reasons: "not a valid SMILES or record", ...
std::string_view set_aside_text(SetAsideReason reason);

// One row or record without a molecule.
struct SetAside {
  SetAsideReason reason = SetAsideReason::empty;
  std::string place;   // "line 12", "record 3", "molecule 17"
  std::string text;    // the SMILES or the name, printable and shortened
  std::string detail;  // what is wrong with it, "" if the reason suffices
};

// "line 12 (CC(C): not a valid SMILES or record: unclosed ring".
std::string set_aside_line(const SetAside& item);

// The count of each reason.
using SetAsideCounts = std::array<std::int64_t, kSetAsideReasons>;

// "12 set aside: 7 an element that is not read, 5 ..."; "none set aside".
std::string set_aside_summary(const SetAsideCounts& counts);

}  // namespace pairs

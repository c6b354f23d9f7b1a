#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tasks/molecules/chemistry.h"
#include "tasks/molecules/conformers.h"
#include "tasks/molecules/molecule_source.h"

namespace pairs {

// Molecules that are shown to people: the first of the source that are for tests, have enough conformers or can be
// embedded, and are no larger than most drugs. Nothing of them is kept on disk; they have the conformers that the store
// gives them. Safe to use from many threads.
class Showcase {
 public:
  static constexpr std::int64_t kMost = 32;

  Showcase(FoundMolecules found, ConformerSettings settings) : found_(std::move(found)), settings_(settings) {}

  // A showcase of these molecules. Of RDKit's own, which do not change, there is one in the process for all tasks with
  // these settings: a window asks for them in many places.
  static std::shared_ptr<const Showcase> of(const FoundMolecules& found, const ConformerSettings& settings);

  // How many there are, 1 to kMost. The first call reads the source until it has them (under a second where conformers
  // are embedded). Throws Error where there is none.
  std::int64_t count() const;
  // Molecule k, its conformers left out where they are embedded.
  const PreparedMolecule& molecule(std::int64_t k) const;
  // The same with all of its conformers, which are embedded now unless they have been.
  const PreparedMolecule& conformers(std::int64_t k) const;

 private:
  struct Slot {
    Molecule graph;
    MoleculeEntry entry;            // until `shows`
    PreparedMolecule shown, whole;  // whole: once `embedded`
    std::once_flag embedded;
    // Whether it has conformers, or can be given some.
    bool shows(const ConformerSettings& settings);
  };
  void find() const;
  // A slot for an entry that may be shown, else null.
  std::unique_ptr<Slot> candidate(MoleculeEntry&& entry) const;
  Slot& slot(std::int64_t k) const;

  FoundMolecules found_;
  ConformerSettings settings_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Slot>> slots_;
  mutable bool complete_ = false;
};

}  // namespace pairs

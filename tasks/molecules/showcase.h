#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tasks/molecules/chemistry/chemistry.h"
#include "tasks/molecules/conformers.h"
#include "tasks/molecules/molecule_source.h"

namespace pairs {

// Molecules for display: the first test molecules of the source that have enough conformers or can be embedded, and are
// no larger than most drugs. Nothing is kept on disk; they have the same conformers as in the store. Thread-safe.
class Showcase {
 public:
  static constexpr std::int64_t kMost = 32;

  Showcase(FoundMolecules found, ConformerSettings settings) : found_(std::move(found)), settings_(settings) {}

  // A showcase of these molecules. RDKit's own molecules do not change, so all tasks in the process with these settings
  // share one showcase of them: a window uses it in many places.
  static std::shared_ptr<const Showcase> of(const FoundMolecules& found, const ConformerSettings& settings);

  // How many there are, 1 to kMost. The first call reads the source until it has them (under a second if conformers are
  // embedded). Throws Error if there is none.
  std::int64_t count() const;
  // Molecule k, without conformers if these are embedded.
  const PreparedMolecule& molecule(std::int64_t k) const;
  // Molecule k with all of its conformers, which are embedded on first use.
  const PreparedMolecule& conformers(std::int64_t k) const;

 private:
  struct Slot {
    Molecule graph;
    MoleculeEntry entry;            // until `shows`
    PreparedMolecule shown, whole;  // whole: once `embedded`
    std::once_flag embedded;
    // Whether it has conformers, or some can be embedded.
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

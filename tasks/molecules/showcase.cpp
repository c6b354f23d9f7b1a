#include "tasks/molecules/showcase.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "tasks/molecules/splits.h"

namespace pairs {
namespace {

constexpr std::int64_t kMostAtoms = 100;  // larger ones take long to embed
constexpr std::int64_t kMostRead = 5000;  // rows of the source that are looked at

}  // namespace

bool Showcase::take(MoleculeEntry&& entry) const {
  if (entry.bad) return false;
  std::variant<Molecule, Refusal> parsed = parse_molecule(entry.smiles, settings_.limits);
  Molecule* molecule = std::get_if<Molecule>(&parsed);
  if (molecule == nullptr || molecule->atoms > kMostAtoms) return false;
  if (molecule_split(molecule_hash(flat_smiles(*molecule))) != MoleculeSplit::test) return false;
  const std::uint64_t hash = molecule_hash(molecule->canonical);
  if (std::any_of(slots_.begin(), slots_.end(), [&](const auto& slot) { return slot->shown.hash == hash; }))
    return false;
  const bool given = entry.conformers() > 0;
  if (given && entry.conformers() < settings_.conformers) return false;
  // Where the first conformer can be embedded there is one at least.
  ConformerSettings settings = settings_;
  if (!given) settings.conformers = 1;
  std::variant<PreparedMolecule, Refusal> made = prepare_molecule(*molecule, std::move(entry), settings);
  PreparedMolecule* prepared = std::get_if<PreparedMolecule>(&made);
  if (prepared == nullptr) return false;
  auto slot = std::make_unique<Slot>();
  slot->shown = std::move(*prepared);
  if (given) {
    slot->whole = slot->shown;
    std::call_once(slot->embedded, [] {});
  } else {
    slot->graph = std::move(*molecule);
  }
  slots_.push_back(std::move(slot));
  return true;
}

void Showcase::find() const {
  const std::lock_guard lock(mutex_);
  if (complete_) return;
  if (!found_.problem.empty()) fail("{}", found_.problem);
  slots_.clear();
  std::int64_t read = 0;
  read_molecules(found_.source, settings_.limits, [&](MoleculeEntry&& entry) {
    take(std::move(entry));
    return ++read < kMostRead && static_cast<std::int64_t>(slots_.size()) < kMost;
  });
  PAIRS_CHECK(!slots_.empty(),
              "Of the first {} rows of {} none is a molecule for tests with {} conformers: give more molecules, or set "
              "task.conformers to fewer",
              read, found_.name, settings_.conformers);
  complete_ = true;
}

std::int64_t Showcase::count() const {
  find();
  return static_cast<std::int64_t>(slots_.size());
}

Showcase::Slot& Showcase::slot(std::int64_t k) const {
  find();
  PAIRS_CHECK(k >= 0 && k < static_cast<std::int64_t>(slots_.size()), "The showcase has no molecule {}", k);
  return *slots_[static_cast<std::size_t>(k)];
}

const PreparedMolecule& Showcase::molecule(std::int64_t k) const {
  return slot(k).shown;
}

const PreparedMolecule& Showcase::conformers(std::int64_t k) const {
  Slot& slot = this->slot(k);
  std::call_once(slot.embedded, [&] {
    MoleculeEntry entry;
    entry.name = slot.shown.name;
    std::variant<PreparedMolecule, Refusal> made = prepare_molecule(slot.graph, std::move(entry), settings_);
    if (const Refusal* refusal = std::get_if<Refusal>(&made))
      fail("{} has no conformers: {}", slot.shown.canonical, refusal->detail);
    slot.whole = std::get<PreparedMolecule>(std::move(made));
  });
  return slot.whole;
}

}  // namespace pairs

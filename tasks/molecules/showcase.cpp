#include "tasks/molecules/showcase.h"

#include <ATen/Parallel.h>

#include <set>
#include <utility>

#include "core/base/text/error.h"
#include "tasks/molecules/charged_forms.h"
#include "tasks/molecules/splits.h"

namespace pairs {
namespace {

constexpr std::int64_t kMostAtomsShown = 100;  // larger ones take long to embed
constexpr std::int64_t kMostRead = 5000;  // rows of the source that are read
constexpr std::size_t kShowcases = 4;     // settings whose showcases are kept

}  // namespace

std::shared_ptr<const Showcase> Showcase::of(const FoundMolecules& found, const ConformerSettings& settings) {
  if (!found.bundled) return std::make_shared<const Showcase>(found, settings);
  static std::mutex mutex;
  static std::vector<std::shared_ptr<const Showcase>> kept;
  const std::lock_guard lock(mutex);
  for (const auto& one : kept)
    if (one->settings_ == settings && one->found_.source == found.source) return one;
  if (kept.size() == kShowcases) kept.erase(kept.begin());
  return kept.emplace_back(std::make_shared<const Showcase>(found, settings));
}

std::unique_ptr<Showcase::Slot> Showcase::candidate(MoleculeEntry&& entry) const {
  if (entry.bad) return nullptr;
  std::variant<Molecule, Refusal> parsed = parse_molecule(entry.smiles, settings_.limits);
  Molecule* molecule = std::get_if<Molecule>(&parsed);
  if (molecule == nullptr || molecule->atoms > kMostAtomsShown) return nullptr;
  if (molecule_split(molecule_hash(parent_smiles(*molecule))) != MoleculeSplit::test) return nullptr;
  if (entry.conformers() > 0 && entry.conformers() < settings_.conformers) return nullptr;
  auto slot = std::make_unique<Slot>();
  slot->graph = std::move(*molecule);
  slot->entry = std::move(entry);
  return slot;
}

bool Showcase::Slot::shows(const ConformerSettings& settings) {
  const bool given = entry.conformers() > 0;
  // If the first conformer can be embedded, there is at least one.
  ConformerSettings first = settings;
  if (!given) first.conformers = 1;
  std::variant<PreparedMolecule, Refusal> made = prepare_molecule(graph, std::move(entry), first);
  PreparedMolecule* prepared = std::get_if<PreparedMolecule>(&made);
  if (prepared == nullptr) return false;
  shown = std::move(*prepared);
  if (given) std::call_once(embedded, [&] { whole = shown; });
  return true;
}

void Showcase::find() const {
  const std::lock_guard lock(mutex_);
  if (complete_) return;
  if (!found_.problem.empty()) fail("{}", found_.problem);
  slots_.clear();
  std::vector<std::unique_ptr<Slot>> waiting;
  std::set<std::string> known;
  const auto room = [&] { return static_cast<std::size_t>(kMost) - slots_.size(); };
  const auto flush = [&] {
    std::vector<char> shows(waiting.size());
    at::parallel_for(0, static_cast<std::int64_t>(waiting.size()), 1, [&](std::int64_t begin, std::int64_t end) {
      for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k)
        shows[k] = waiting[k]->shows(settings_) ? 1 : 0;
    });
    for (std::size_t k = 0; k < waiting.size(); ++k)
      if (shows[k]) slots_.push_back(std::move(waiting[k]));
    waiting.clear();
  };
  std::int64_t read = 0;
  read_molecules(found_.source, settings_.limits, [&](MoleculeEntry&& entry) {
    std::unique_ptr<Slot> slot = candidate(std::move(entry));
    if (slot && known.insert(slot->graph.canonical).second) waiting.push_back(std::move(slot));
    if (waiting.size() == room()) flush();
    return ++read < kMostRead && room() > 0;
  });
  flush();
  PAIRS_CHECK(!slots_.empty(),
              "Of the first {} rows of {} none is a molecule for tests with {} conformers: give more molecules, or set "
              "{} to fewer",
              read, found_.name, settings_.conformers, "task.conformers"_key);
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

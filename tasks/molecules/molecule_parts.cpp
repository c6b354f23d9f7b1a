#include "tasks/molecules/molecule_parts.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/base/system/caches.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/molecules/store_build.h"

namespace pairs {
namespace {

// Only one store is made at a time: it uses all cores, and two tasks in one process may need the same.
std::timed_mutex& store_being_made() {
  static std::timed_mutex mutex;
  return mutex;
}

std::uint64_t validation_hash(std::uint64_t flat_hash) {
  return stream_key(flat_hash, Purpose::pretrain_validation);
}

constexpr const char* kPartNames[] = {"stage 1", "validation in stage 1", "stage 2", "validation in stages 2 and 3",
                                      "tests"};

}  // namespace

std::filesystem::path molecule_caches() {
  return caches_folder() / "molecules";
}

bool is_validation_molecule(std::uint64_t flat_hash) {
  return validation_hash(flat_hash) >> 61 == 0;
}

std::size_t MoleculePart::owner(std::int64_t member) const {
  return static_cast<std::size_t>(std::upper_bound(first.begin(), first.end(), member) - first.begin()) - 1;
}

std::size_t MoleculePart::place(std::int64_t molecule) const {
  const auto at = std::lower_bound(molecules.begin(), molecules.end(), molecule);
  PAIRS_CHECK(at != molecules.end() && *at == molecule, "Molecule {} of the store is not of this part", molecule);
  return static_cast<std::size_t>(at - molecules.begin());
}

std::optional<std::size_t> MoleculeParts::part_number(Purpose purpose) {
  switch (purpose) {
    case Purpose::pretrain:
      return 0;
    case Purpose::pretrain_validation:
      return 1;
    case Purpose::finetune:
      return 2;
    case Purpose::finetune_validation:
      return 3;
    case Purpose::test:
      return 4;
    default:
      return std::nullopt;
  }
}

bool MoleculeParts::is_open() const {
  const std::lock_guard lock(mutex_);
  return opened_ != nullptr;
}

const ConformerStore& MoleculeParts::store() const {
  return *open({}).store;
}

const MoleculePart& MoleculeParts::part(Purpose purpose) const {
  const std::optional<std::size_t> number = part_number(purpose);
  PAIRS_CHECK(number.has_value(), "Purpose {} does not draw from the store of molecules", static_cast<int>(purpose));
  const Opened& opened = open({});
  const MoleculePart& part = opened.parts[*number];
  const bool tests = purpose == Purpose::test;
  PAIRS_CHECK(part.size() > 0, "Of {} in {} none is for {}{}: give more molecules{}",
              counted(static_cast<std::size_t>(opened.store->molecules()), "molecule"), name_, kPartNames[*number],
              tests ? fmt::format(" and has {} conformers", settings_.conformers) : "",
              tests ? ", or set task.conformers to fewer" : "");
  return part;
}

const MoleculeParts::Opened& MoleculeParts::open(const Preparation& preparation) const {
  const auto opened = [this] {
    const std::lock_guard lock(mutex_);
    return opened_.get();
  };
  if (const Opened* open = opened()) return *open;
  std::unique_lock making(store_being_made(), std::defer_lock);
  while (!making.try_lock_for(std::chrono::milliseconds(100)))
    if (preparation.stop && preparation.stop()) throw Stopped();
  if (const Opened* open = opened()) return *open;
  std::unique_ptr<const Opened> made = make(preparation);
  const std::lock_guard lock(mutex_);
  opened_ = std::move(made);
  return *opened_;
}

std::unique_ptr<const MoleculeParts::Opened> MoleculeParts::make(const Preparation& preparation) const {
  StoreOptions options{.molecules = molecules_, .threads = 0, .stop = preparation.stop, .progress = {}};
  bool works = false;
  options.progress = [&](const StoreProgress& at) {
    if (!works) {
      spdlog::info("Making conformers of {} of {}; they are kept in {}",
                   molecules_ > 0 ? fmt::format("the first {} molecules", molecules_) : "all molecules", name_,
                   store_folder(molecule_caches(), source_, settings_).string());
      works = true;
    }
    if (!preparation.progress) return;
    const auto done = static_cast<double>(at.molecules);
    const std::int64_t all = at.wanted > 0 ? at.wanted : at.share > 0 ? std::llround(done / at.share) : 0;
    preparation.progress("molecules embedded", at.molecules, all);
  };
  auto out = std::make_unique<Opened>();
  out->store = build_store(molecule_caches(), source_, settings_, options);
  const ConformerStore& store = *out->store;
  if (works)
    spdlog::info("{}: conformers of {}, {}", name_, counted(static_cast<std::size_t>(store.molecules()), "molecule"),
                 set_aside_summary(store.set_aside_counts()));
  PAIRS_CHECK(store.molecules() > 0, "{} holds no molecule that can be used: {}", name_,
              set_aside_summary(store.set_aside_counts()));
  std::array<std::vector<std::int64_t>, kParts> molecules;
  for (std::int64_t m = 0; m < store.molecules(); ++m) {
    const StoredMolecule& molecule = store.molecule(m);
    const MoleculeSplit split = molecule_split(molecule.flat_hash);
    const std::size_t held_out = is_validation_molecule(molecule.flat_hash) ? 1 : 0;
    if (split == MoleculeSplit::test && molecule.conformers < settings_.conformers) continue;
    molecules[split == MoleculeSplit::pretrain   ? held_out
              : split == MoleculeSplit::finetune ? 2 + held_out
                                                 : 4]
        .push_back(m);
  }
  // If an eighth is less than one molecule, the next one by the same hash is held out.
  for (const std::size_t of : {0u, 2u}) {
    if (!molecules[of + 1].empty() || molecules[of].size() < 2) continue;
    const auto next = std::min_element(molecules[of].begin(), molecules[of].end(), [&](std::int64_t a, std::int64_t b) {
      return validation_hash(store.molecule(a).flat_hash) < validation_hash(store.molecule(b).flat_hash);
    });
    molecules[of + 1].push_back(*next);
    molecules[of].erase(next);
  }
  for (std::size_t k = 0; k < kParts; ++k) {
    MoleculePart& part = out->parts[k];
    part.molecules = std::move(molecules[k]);
    part.first.push_back(0);
    for (const std::int64_t m : part.molecules) part.first.push_back(part.first.back() + store.molecule(m).conformers);
  }
  return out;
}

}  // namespace pairs

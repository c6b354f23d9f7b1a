#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/numbers/random.h"
#include "core/task.h"
#include "tasks/molecules/conformer_store.h"
#include "tasks/molecules/conformers.h"
#include "tasks/molecules/molecule_file.h"
#include "tasks/molecules/splits.h"

namespace pairs {

// The folder of conformer stores.
std::filesystem::path molecule_caches();

// Whether a molecule of stage 1's or stage 2's part is held out for validation: an eighth of them. (If a small part has
// none, MoleculeParts holds one out nevertheless.)
bool is_validation_molecule(std::uint64_t flat_hash);

// The molecules that the sets of one purpose are about.
struct MoleculePart {
  std::vector<std::int64_t> molecules;  // in the store, ascending
  std::vector<std::int64_t> first;      // [molecules + 1]: the k-th molecule's conformers begin at first[k]

  std::int64_t size() const { return static_cast<std::int64_t>(molecules.size()); }
  std::int64_t conformers() const { return first.back(); }
  // The molecule that conformer `member` belongs to.
  std::size_t owner(std::int64_t member) const;
  // The place of a molecule of the store. Throws Error if it is not in this part.
  std::size_t place(std::int64_t molecule) const;
};

// The store for training and evaluation, made and divided when it is first needed.
class MoleculeParts {
 public:
  // Uses the source's first `molecules` molecules (0: all); `name` is the source's readable name.
  MoleculeParts(MoleculeSource source, ConformerSettings settings, std::int64_t molecules, std::string name)
      : source_(std::move(source)), settings_(settings), molecules_(molecules), name_(std::move(name)) {}

  // Whether a purpose uses the store; others show the molecules of a Showcase.
  static bool holds(Purpose purpose) { return part_number(purpose).has_value(); }

  // Makes the missing part of the store. Throws Stopped.
  void prepare(const Preparation& preparation) const { open(preparation); }
  bool is_open() const;
  // These make the store if needed, with one line in the log. `part` throws Error if it is empty.
  const ConformerStore& store() const;
  const MoleculePart& part(Purpose purpose) const;

 private:
  static constexpr std::size_t kParts = 5;
  struct Opened {
    std::shared_ptr<const ConformerStore> store;
    std::array<MoleculePart, kParts> parts;
  };
  static std::optional<std::size_t> part_number(Purpose purpose);
  const Opened& open(const Preparation& preparation) const;
  std::unique_ptr<const Opened> make(const Preparation& preparation) const;

  MoleculeSource source_;
  ConformerSettings settings_;
  std::int64_t molecules_;
  std::string name_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<const Opened> opened_;
};

}  // namespace pairs

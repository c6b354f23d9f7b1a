#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "tasks/molecules/conformer_store.h"
#include "tasks/molecules/conformers.h"
#include "tasks/molecules/molecule_file.h"

namespace pairs {

struct StoreProgress {
  std::int64_t molecules = 0, set_aside = 0;  // in the store
  std::int64_t wanted = 0;                    // molecules requested, 0: all of the source
  double share = 0.0;                         // of the work that is done, 0 to 1
};

struct StoreOptions {
  std::int64_t molecules = 0;       // the first ones of the source, 0: all
  int threads = 0;                  // 0: one per core
  std::function<bool()> stop = {};  // called between molecules
  std::function<void(const StoreProgress&)> progress = {};
};

// Identifies a store: the source's identity, its columns, the conformers' settings and RDKit's version. The number of
// molecules is not part of it: requesting more extends the store, requesting fewer reads its beginning.
std::string store_settings(const MoleculeSource& source, const ConformerSettings& settings);

// The folder of the store with those settings in the folder of caches.
std::filesystem::path store_folder(const std::filesystem::path& caches, const MoleculeSource& source,
                                   const ConformerSettings& settings);

// Makes the store under `caches` or continues it, and opens as many molecules as requested (fewer if the source has no
// more). Molecules are prepared in parallel and written in the source's order: the bytes do not depend on threads or
// interruptions. A molecule whose SMILES occurred earlier in the source is set aside; one with further conformers of
// its own is merged. A damaged record and all after it are made again. Throws Stopped once `stop` returns true, with
// everything finished in the file. Waits while another process works on it.
std::shared_ptr<const ConformerStore> build_store(const std::filesystem::path& caches, const MoleculeSource& source,
                                                  const ConformerSettings& settings, const StoreOptions& options = {});

}  // namespace pairs

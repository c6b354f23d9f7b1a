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
  std::int64_t wanted = 0;                    // molecules asked for, 0: all of the source
  double share = 0.0;                         // of the work that is done, 0 to 1
};

struct StoreOptions {
  std::int64_t molecules = 0;       // the first so many of the source, 0: all
  int threads = 0;                  // 0: one a core
  std::function<bool()> stop = {};  // asked between molecules
  std::function<void(const StoreProgress&)> progress = {};
};

// What tells a store from others: the source's identity, its columns, the conformers' settings and RDKit's version. The
// number of molecules is no part of it: who wants more extends the store, who wants fewer reads its beginning.
std::string store_settings(const MoleculeSource& source, const ConformerSettings& settings);

// The folder of the store with those settings under the folder of caches.
std::filesystem::path store_folder(const std::filesystem::path& caches, const MoleculeSource& source,
                                   const ConformerSettings& settings);

// Makes the store under `caches` or goes on with it where it was left, and opens as many molecules as were asked for
// (fewer where the source has no more). Molecules are prepared in parallel and written in the source's order: the bytes
// depend neither on threads nor on interruptions. A molecule whose SMILES stands in the source before is set aside, one
// that brings further conformers of its own is merged. A damaged record is made again with all that follow it. Throws
// Stopped where `stop` said so, with all that was finished in the file. Waits while another process is at it.
std::shared_ptr<const ConformerStore> build_store(const std::filesystem::path& caches, const MoleculeSource& source,
                                                  const ConformerSettings& settings, const StoreOptions& options = {});

}  // namespace pairs

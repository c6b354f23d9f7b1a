#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "core/train/cache/cache_file.h"

namespace pairs {

// Fills `out` with the payloads of sets first .. first + count - 1 of a group, record by record, and seals them.
using MakeRecords = std::function<void(std::size_t group, std::int64_t first, std::int64_t count,
                                       const CacheRecord& record, char* out)>;
// Receives the number of sets of the share that are done, of its total in all groups, and the observations made by this
// call.
using OnRecords = std::function<void(std::int64_t done, std::int64_t total, double made_observations)>;

// One of several equal shares of each group's units; other processes make the others.
struct RecordShare {
  std::int64_t share = 0, of = 1;
};

// Makes every incomplete record of a share in a cache whose file exists with its header and its space. Units of at most
// `chunk` observations (at least one set) depend only on the layout, so that a resumed cache is bit-identical; all sets
// of a unit are for training, or all for validation. Throws Stopped between units once `stop()` returns true, and Error
// if the file belongs to another layout or the disk is full.
void fill_records(const std::filesystem::path& file, const CacheLayout& layout, std::int64_t chunk,
                  const MakeRecords& make, const std::function<bool()>& stop, const OnRecords& on_records,
                  const RecordShare& share = {});

}  // namespace pairs

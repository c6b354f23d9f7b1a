#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/estimator.h"
#include "core/train/cache/cache_groups.h"

namespace pairs {

// The file of a cache: a header of whole pages (magic word, length, checksum, layout, and the statistics of its
// embeddings), then one record per set, group by group. Callers hold the file open; every error names `where`.

// Identifies a cache: one with another layout is a different cache.
struct CacheLayout {
  std::string task, data_source;
  std::uint64_t seed = 0;
  std::int64_t generation = 0;
  std::int64_t l = 0, d = 0;   // lengths of embeddings, and of the stored θ (cached_targets)
  std::uint32_t embedder = 0;  // checksum of its weights
  std::vector<CacheGroup> groups;

  std::string text() const;  // as written in the header
};
CacheLayout cache_layout(const Estimator& estimator, const std::vector<CacheGroup>& groups, std::uint64_t seed,
                         std::int64_t generation);
// Checksum of the weights that computed the cached embeddings.
std::uint32_t embedder_checksum(const Estimator& estimator);

struct CacheHeader {
  std::string layout;              // CacheLayout::text
  std::vector<double> statistics;  // mean, between, within (cache_statistics.h); empty in later generations
  std::size_t bytes = 0;           // size of the whole header region
};
// Reads and checks the header of an open cache of `file_bytes` bytes. Throws Error describing the damage.
CacheHeader read_cache_header(int descriptor, std::size_t file_bytes, const std::string& where);
// Parses the layout in a header. Throws Error if it belongs to another embedder, seed or generation.
CacheLayout parse_cache_layout(const CacheHeader& header, const Estimator& estimator, std::uint64_t seed,
                               std::int64_t generation, const std::string& where);

// The record of a set: θ [d] float64, block means [blocks, l] float32, their checksum, a tag that marks it as written,
// and padding to a multiple of 64 bytes.
struct CacheRecord {
  CacheRecord(const CacheGroup& group, std::int64_t l, std::int64_t d);

  bool whole(const char* record) const;  // written, and undamaged
  void seal(char* record) const;         // writes the checksum and the tag after a finished payload

  std::size_t payload, stride;  // bytes
};

// Bytes of the finished file for embeddings of length l and d = cached_targets(task).
double cache_bytes(const std::vector<CacheGroup>& groups, std::int64_t l, std::int64_t d);

// Creates the file with its header and reserves all its space, so that it has its final size from the start. Throws
// Error if the disk is too small.
void create_cache_file(const std::filesystem::path& file, const CacheHeader& header,
                       const std::vector<CacheGroup>& groups, std::int64_t l, std::int64_t d);

// Size of an open file; 0 if it is unknown.
std::size_t open_file_bytes(int descriptor);

}  // namespace pairs

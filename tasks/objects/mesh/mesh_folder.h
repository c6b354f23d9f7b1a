#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/objects/mesh/mesh_source.h"

namespace pairs {

// Increased whenever the readers or normalized_mesh give another result for the same bytes; part of every key.
inline constexpr int kMeshNormalizer = 1;

// Opens the files below a folder whose extensions mesh_format() knows; files added later are not seen.
//
// Objects are sorted by their paths below the folder, byte by byte, independent of the file system's order. Names that
// begin with a dot, and __MACOSX, are skipped. Links are followed; each folder is searched once, under its own name if
// it has one below `folder`, so that cycles end. Folders that cannot be read are in unread().
//
// If nine meshes in ten are in CLASS/train or CLASS/test (at any depth, as in ModelNet) and neither part is empty, test
// is used for tests, train is divided into pretrain and finetune 75 to 25 by a hash of the path, and meshes elsewhere
// are skipped, each in unread(). Otherwise all are divided by their shapes (mesh_form.h), whatever their names and
// formats. Files added later change nothing for the others.
//
// name(): "ModelNet40" or "ModelNet10" if all of its classes and as many meshes as it has in train and test are there;
// "ModelNet40 (80 of its 12311 meshes)" if all classes are there, with fewer meshes; "meshes in ModelNet's layout (17
// files)"; "meshes of FOLDER".
//
// Keys are kMeshNormalizer followed by the format, length, crc32 and 64-bit FNV-1a hash of the file's bytes. Only one
// file of more than 8 MiB is read and measured at a time. mesh() and measure() refuse a file that changed or vanished
// since the folder was listed: mesh() throws, measure() sets it aside without a key.
//
// If `most` is above 0 and there are more meshes, the source has those `most` of them whose paths have the lowest
// hashes (different from those that divide them), so that it is representative of the whole, and its name shows this.
//
// Throws a usage error if there is no such folder or no mesh below it.
std::shared_ptr<const MeshSource> open_mesh_folder(const std::filesystem::path& folder, std::size_t most = 0);

struct FoundMeshes {
  std::filesystem::path folder;  // for open_mesh_folder; "" if there is none
};
// Finds the folder of meshes at or below a general data folder ("" = none). First come folders that hold meshes
// directly or in ModelNet's layout: itself, ModelNet40, modelnet40, ModelNet10, meshes, meshes/ModelNet, ModelNet; then
// the named ones, and last itself, with meshes at any depth. Stops at the first mesh; checks at most 100,000 names per
// folder.
FoundMeshes find_meshes(const std::string& folder);

// If `used` lies below `folder`: the sibling folders of `used`, and of those on the path to it, that also hold meshes.
std::vector<std::string> meshes_left_out(const std::filesystem::path& folder, const std::filesystem::path& used);

// FNV-1a, finalized by splitmix64: spreads paths and labels evenly over 64 bits.
std::uint64_t mesh_hash(std::string_view text);

}  // namespace pairs

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/objects/mesh_source.h"

namespace pairs {

// Raised whenever the readers or normalised_mesh give something else for the same bytes; part of every key.
inline constexpr int kMeshNormaliser = 1;

// The files below a folder whose names end as mesh_format() knows, as they are now; what comes later is not seen.
//
// Objects are in order of their paths below the folder, byte by byte, whatever the file system's own order. Names that
// begin with a dot, and __MACOSX, are passed over. Links are followed; each folder is looked into once, under its own
// name where it has one below `folder`, so that cycles end. Folders that cannot be read are in unread().
//
// Where nine meshes in ten lie in CLASS/train or CLASS/test (at any depth, as ModelNet has it) and neither part is
// empty, test is kept for tests, train divided into pretrain and finetune 75 to 25 by a hash of the path, and meshes
// elsewhere are left out, each in unread(). Else all are divided by what they are (mesh_form.h), whatever their names
// and formats. Files added later change nothing for the others.
//
// name(): "ModelNet40" or "ModelNet10" where all of its classes and as many meshes as it has in train and test are
// there; "ModelNet40 (80 of its 12311 meshes)" where all classes are, with fewer meshes; "meshes in ModelNet's layout
// (17 files)"; "meshes of FOLDER".
//
// Keys are the format, length, crc32 and FNV-1a hash of 64 bits of the file's bytes, behind kMeshNormaliser. A file of
// more than 8 MiB is read and measured while no other such file is. mesh() and measure() refuse a file that changed or
// vanished since the folder was listed: mesh() throws, measure() sets it aside without a key.
//
// Where `most` is above 0 and there are more meshes, the source has those `most` of them whose paths have the lowest
// hashes (of another kind than the one that divides them), so that it is like the whole, and its name says so.
//
// Throws a usage error when there is no such folder or no mesh below it.
std::shared_ptr<const MeshSource> open_mesh_folder(const std::filesystem::path& folder, std::size_t most = 0);

struct FoundMeshes {
  std::filesystem::path folder;  // for open_mesh_folder; "" where there is none
};
// Which folder at or below a folder of data of all kinds ("" = none) holds meshes. First those that have meshes in them
// or in ModelNet's layout: itself, ModelNet40, modelnet40, ModelNet10, meshes, meshes/ModelNet, ModelNet; then the
// named ones, and last itself, with meshes at any depth. Stops at the first mesh; looks at 100,000 names of a folder at
// most.
FoundMeshes find_meshes(const std::string& folder);

// Where `used` lies below `folder`: the folders beside it, and beside those that lead to it, that hold meshes, too.
std::vector<std::string> meshes_left_out(const std::filesystem::path& folder, const std::filesystem::path& used);

// FNV-1a, finished by splitmix64: spreads paths and labels evenly over 64 bits.
std::uint64_t mesh_hash(std::string_view text);

}  // namespace pairs

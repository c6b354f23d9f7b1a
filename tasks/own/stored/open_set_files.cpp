#include <algorithm>
#include <set>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/own/stored/matching_files.h"
#include "tasks/own/stored/set_file.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

// The NPY files of a folder as arrays: theta.npy is 'theta'.
class NpyFolder final : public ArrayFile {
 public:
  void add(const std::string& array, std::shared_ptr<const StoredFile> file) { files_[array] = std::move(file); }
  std::vector<std::string> names() const override {
    std::vector<std::string> out;
    for (const auto& [name, file] : files_) out.push_back(name);
    return out;
  }
  std::unique_ptr<StoredArray> array(const std::string& name) const override {
    const auto found = files_.find(name);
    if (found == files_.end()) return nullptr;
    return npy_array(found->second, 0, found->second->bytes(), found->second->name());
  }

 private:
  std::map<std::string, std::shared_ptr<const StoredFile>> files_;
};

// The sorted paths that match a pattern of [simulations].
std::vector<fs::path> matches_of(const std::string& pattern, const fs::path& folder) {
  std::vector<fs::path> out = matching_files(pattern, folder);
  if (out.empty())
    fail("[simulations] files: nothing matches \"{}\" in {}; correct the pattern, or make the files first",
         printable(pattern, 300), printable(folder.string(), 300));
  return out;
}

std::string extension_of(const fs::path& path) {
  std::string text = path.extension().string();
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Replaces empty names by the default ones.
SimulationFiles named(SimulationFiles files) {
  const SimulationFiles usual;
  const auto fill = [](std::string& name, const std::string& other) {
    if (name.empty()) name = other;
  };
  fill(files.theta, usual.theta);
  fill(files.psi, usual.psi);
  fill(files.given, usual.given);
  fill(files.x, usual.x);
  fill(files.offsets, usual.offsets);
  fill(files.row_offsets, usual.row_offsets);
  return files;
}

class SetFiles {
 public:
  SetFiles(const SimulationFiles& names, const fs::path& folder, const SimulationShape& shape)
      : names_(named(names)), folder_(folder), shape_(shape) {}

  void add(const fs::path& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    PAIRS_CHECK(!error, "{} cannot be opened: {}; restore it, or take it out of [simulations] files", name_of(path),
                error.message());
    if (fs::is_directory(real)) return add_folder(path, real);
    const std::string kind = extension_of(path);
    if (kind == ".npy") return add_folder(path.parent_path(), real.parent_path());
    if (!seen_.insert(real).second) return;  // two patterns may match one file
    auto file = std::make_shared<const StoredFile>(path, name_of(path));
    std::vector<std::unique_ptr<ArrayFile>> arrays;
    if (kind == ".npz")
      arrays.push_back(npz_arrays(file));
    else if (kind == ".h5" || kind == ".hdf5" || kind == ".hdf")
      arrays.push_back(hdf5_arrays(file, folder_));
    else
      fail("{} is neither .npz, .npy, .h5 nor .hdf5; save the simulations as one of these", name_of(path));
    make(file->name(), {file}, std::move(arrays));
  }

  std::vector<std::unique_ptr<SetFile>> take() { return std::move(out_); }

 private:
  std::string name_of(const fs::path& path) const {
    const fs::path relative = path.lexically_relative(folder_);
    return printable((relative.empty() || *relative.begin() == ".." ? path : relative).string(), 300);
  }

  void add_folder(const fs::path& path, const fs::path& real) {
    if (!seen_.insert(real).second) return;  // x.npy with theta.npy in the same folder
    auto folder = std::make_unique<NpyFolder>();
    std::vector<std::shared_ptr<const StoredFile>> files;
    for (const std::string* name :
         {&names_.theta, &names_.psi, &names_.given, &names_.x, &names_.offsets, &names_.row_offsets}) {
      const fs::path file = path / (*name + ".npy");
      if (!fs::exists(file)) continue;
      files.push_back(std::make_shared<const StoredFile>(file, name_of(file)));
      folder->add(*name, files.back());
    }
    std::string name = name_of(path);
    if (name.empty() || name == ".") name = "the folder of the task";
    while (name.size() > 1 && name.back() == '/') name.pop_back();
    PAIRS_CHECK(!files.empty(), "{} holds no {}.npy and no {}.npy; name the files themselves in [simulations] files",
                name, names_.theta, names_.x);
    std::vector<std::unique_ptr<ArrayFile>> arrays;
    arrays.push_back(std::move(folder));
    make(std::move(name), std::move(files), std::move(arrays));
  }

  void make(std::string name, std::vector<std::shared_ptr<const StoredFile>> files,
            std::vector<std::unique_ptr<ArrayFile>> arrays) {
    out_.push_back(std::make_unique<SetFile>(std::move(name), std::move(files), std::move(arrays), names_, shape_));
  }

  const SimulationFiles names_;
  fs::path folder_;
  const SimulationShape& shape_;
  std::set<fs::path> seen_;
  std::vector<std::unique_ptr<SetFile>> out_;
};

}  // namespace

std::vector<std::unique_ptr<SetFile>> open_set_files(const SimulationFiles& files, const fs::path& folder,
                                                     const SimulationShape& shape) {
  if (files.files.empty()) fail_usage("[simulations] names no files; write files = [\"pairs/*.npz\", \"large.h5\"]");
  SetFiles out(files, folder, shape);
  for (const std::string& pattern : files.files)
    for (const fs::path& path : matches_of(pattern, folder)) out.add(path);
  return out.take();
}

}  // namespace pairs

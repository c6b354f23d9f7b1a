#include "tasks/digits/images.h"

#include <ATen/ops/empty_like.h>
#include <fmt/format.h>

#include <filesystem>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tasks/digits/glyphs.h"
#include "tasks/digits/idx.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

// The checksums of MNIST as it is distributed, and the names of its files.
constexpr std::uint32_t kMnistTrain = 0xdf6dde61, kMnistTest = 0x190e897b;
constexpr const char* kMnistFiles[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
                                       "t10k-labels-idx1-ubyte"};

// The file with or without .gz; empty if there is neither.
fs::path find(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  for (const std::string& candidate : {name + ".gz", name})
    if (fs::is_regular_file(folder / candidate, ignored)) return folder / candidate;
  return {};
}

// Changes if one of the four files does.
std::string state_of(const fs::path& folder) {
  std::string state;
  for (const char* name : kMnistFiles) {
    const fs::path file = find(folder, name);
    std::error_code error;
    const auto size = fs::file_size(file, error);
    const auto time = fs::last_write_time(file, error).time_since_epoch().count();
    state += fmt::format("{}:{}:{};", fs::absolute(file, error).string(), size, time);
  }
  return state;
}

DigitImages read_split(const fs::path& folder, const std::string& split) {
  const std::string image_name = split + "-images-idx3-ubyte", label_name = split + "-labels-idx1-ubyte";
  const fs::path image_file = find(folder, image_name), label_file = find(folder, label_name);
  for (const auto& [file, name] : {std::pair(image_file, image_name), std::pair(label_file, label_name)})
    PAIRS_CHECK(!file.empty(), "{} holds neither {}.gz nor {}: put MNIST's four IDX files there or name another folder",
                folder.string(), name, name);
  const torch::Tensor images = read_idx(image_file), labels = read_idx(label_file);
  PAIRS_CHECK(images.dim() == 3 && images.size(1) == glyph_side && images.size(2) == glyph_side,
              "{} does not hold images of {} x {} pixels, which MNIST's are", image_file.string(), glyph_side,
              glyph_side);
  PAIRS_CHECK(labels.dim() == 1 && labels.size(0) == images.size(0), "{} holds {} labels for the {} images of {}",
              label_file.string(), labels.numel(), images.size(0), image_file.string());
  const std::uint8_t* label = labels.const_data_ptr<std::uint8_t>();
  std::array<std::vector<std::int64_t>, 10> members;
  for (std::int64_t i = 0; i < labels.size(0); ++i) {
    PAIRS_CHECK(label[i] <= 9, "{} gives image {} the label {}, and digits are 0 to 9", label_file.string(), i,
                label[i]);
    members[label[i]].push_back(i);
  }
  const auto bytes = [](const torch::Tensor& t) {
    return std::string_view(static_cast<const char*>(t.const_data_ptr()), t.nbytes());
  };
  DigitImages out{at::empty_like(images), {}, checksum(bytes(labels), checksum(bytes(images)))};
  const std::int64_t pixels = glyph_side * glyph_side;
  const std::uint8_t* from = images.const_data_ptr<std::uint8_t>();
  std::uint8_t* to = out.images.mutable_data_ptr<std::uint8_t>();
  for (std::size_t k = 0; k < 10; ++k) {
    PAIRS_CHECK(!members[k].empty(), "{} has no image of a {}: it is not MNIST", label_file.string(), k);
    out.first[k + 1] = out.first[k] + static_cast<std::int64_t>(members[k].size());
    for (const std::int64_t i : members[k]) to = std::copy_n(from + i * pixels, pixels, to);
  }
  return out;
}

}  // namespace

std::shared_ptr<const DigitSource> read_mnist(const std::string& folder) {
  std::error_code ignored;
  PAIRS_CHECK(fs::is_directory(folder, ignored), "There is no data folder {}: name the one that holds MNIST", folder);
  fs::path at = folder;
  if (find(at, "train-images-idx3-ubyte").empty() && fs::is_directory(at / "mnist", ignored)) at /= "mnist";
  static std::mutex mutex;
  static std::pair<std::string, std::shared_ptr<const DigitSource>> latest;  // by state_of
  const std::lock_guard lock(mutex);
  if (const std::string state = state_of(at); !latest.second || latest.first != state) {
    latest = {};
    DigitSource source{"MNIST", read_split(at, "train"), read_split(at, "t10k")};
    if (source.train.checksum != kMnistTrain || source.test.checksum != kMnistTest)
      source.name = fmt::format("{} + {} digits other than MNIST's ({:08x})", source.train.images.size(0),
                                source.test.images.size(0), source.train.checksum ^ source.test.checksum);
    latest.second = std::make_shared<DigitSource>(std::move(source));
    latest.first = state;
  }
  return latest.second;
}

FoundData find_mnist(const std::string& folder) {
  FoundData out;
  for (const char* name : kMnistFiles) {
    fs::path at;
    if (!folder.empty()) {
      at = find(folder, name);
      if (at.empty()) at = find(fs::path(folder) / "mnist", name);
    }
    out.files.push_back({name, at.string()});
  }
  if (out.missing() > 0) {
    out.problem = fmt::format("{} of {} files are missing", out.missing(), out.files.size());
    return out;
  }
  try {
    const auto source = read_mnist(folder);
    out.source = source->name;
    out.training = source->train.images.size(0);
    out.test = source->test.images.size(0);
  } catch (const Error& error) {
    out.problem = error.what();
  }
  return out;
}

}  // namespace pairs

#include <fmt/format.h>

#include <charconv>

#include "core/base/text/error.h"
#include "core/ensemble.h"

namespace pairs {
namespace {

constexpr const char* kEnsembleFormat = "pairs-ensemble-1";
constexpr std::size_t kMostMembers = 1000;

// The number of members in an ensemble's metadata.
std::size_t member_count(const TensorFile& content, const std::string& where) {
  std::size_t count = 0;
  if (const auto it = content.metadata.find("members"); it != content.metadata.end())
    std::from_chars(it->second.data(), it->second.data() + it->second.size(), count);
  PAIRS_CHECK(count >= 2 && count <= kMostMembers, "{} cannot be used: its metadata lists no members", where);
  return count;
}

double width_of(const TensorFile& content, const std::string& where) {
  double width = 0;
  if (const auto it = content.metadata.find("width"); it != content.metadata.end())
    std::from_chars(it->second.data(), it->second.data() + it->second.size(), width);
  PAIRS_CHECK(width >= Ensemble::kLeastWidth && width <= Ensemble::kMostWidth,
              "{} cannot be used: its metadata states no width", where);
  return width;
}

// Member `k`'s part of the file.
TensorFile member_content(const TensorFile& content, std::size_t k) {
  const std::string prefix = member_prefix(k);
  TensorFile one;
  one.checked = content.checked;
  const auto take = [&](const auto& from, auto& to) {
    for (auto it = from.lower_bound(prefix); it != from.end() && it->first.starts_with(prefix); ++it)
      to[it->first.substr(prefix.size())] = it->second;
  };
  take(content.tensors, one.tensors);
  take(content.metadata, one.metadata);
  return one;
}

}  // namespace

std::string member_prefix(std::size_t k) {
  return fmt::format("members.{}.", k);
}

void save_ensemble(const Ensemble& ensemble, const std::filesystem::path& file,
                   std::map<std::string, std::string> metadata) {
  TensorFile all;
  const std::vector<std::shared_ptr<Estimator>> members = ensemble.members();
  all.metadata = {{"format", kEnsembleFormat},
                  {"members", std::to_string(members.size())},
                  {"data_source", ensemble.data_source()},
                  {"width", fmt::format("{}", ensemble.width())}};
  all.metadata.merge(metadata);
  for (std::size_t k = 0; k < members.size(); ++k) {
    const TensorFile one = members[k]->content();
    for (const auto& [name, tensor] : one.tensors) all.tensors[member_prefix(k) + name] = tensor;
    for (const auto& [key, value] : one.metadata) all.metadata[member_prefix(k) + key] = value;
  }
  write_safetensors(file, all);
}

std::shared_ptr<Estimator> load_estimator(const std::filesystem::path& file, std::shared_ptr<const Task> task) {
  const TensorFile content = read_safetensors(file);
  const std::string where = file.string();
  const auto format = content.metadata.find("format");
  if (format == content.metadata.end() || format->second != kEnsembleFormat)
    return std::make_shared<Estimator>(Estimator::parse(content, where, std::move(task)));
  std::vector<std::shared_ptr<Estimator>> members;
  for (std::size_t k = 0; k < member_count(content, where); ++k)
    members.push_back(std::make_shared<Estimator>(Estimator::parse(member_content(content, k), where, task)));
  return std::make_shared<Ensemble>(std::move(members), width_of(content, where));
}

}  // namespace pairs

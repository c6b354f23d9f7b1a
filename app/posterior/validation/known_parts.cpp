#include "app/posterior/validation/known_parts.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include "core/base/files/npz.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr double kFalseAlarms = 0.04;  // of held-out items, so that for others it is hardly more than one in twenty
constexpr std::int64_t kFew = 3;
constexpr std::size_t kNamed = 2;

bool has(const KnownParts& known, std::uint64_t hash) {
  return std::binary_search(known.hashes.begin(), known.hashes.end(), hash);
}

}  // namespace

double KnownParts::news(const std::vector<ItemPart>& parts) const {
  double sum = 0, all = 0;
  for (const ItemPart& part : parts) {
    const auto weight = static_cast<double>(part.weight);
    all += weight;
    if (!has(*this, part.hash)) sum += weight;
  }
  return all > 0 ? sum / std::sqrt(all) : 0;
}

KnownParts learn_parts(const Items& items, const std::function<bool()>& keep_going) {
  KnownParts known;
  std::unordered_map<std::uint64_t, std::int64_t> learned;  // number of items with each part
  std::vector<std::vector<ItemPart>> held_out;
  items.training_parts([&](std::vector<ItemPart>&& parts, bool held) {
    if (!keep_going()) throw Stopped();
    if (held) {
      held_out.push_back(std::move(parts));
      return true;
    }
    std::unordered_set<std::uint64_t> once;
    for (const ItemPart& part : parts)
      if (once.insert(part.hash).second) ++learned[part.hash];
    return true;
  });
  if (held_out.empty()) return known;
  for (const auto& [hash, items] : learned)
    if (items >= kFew) known.hashes.push_back(hash);
  std::sort(known.hashes.begin(), known.hashes.end());
  std::vector<double> news;
  for (const std::vector<ItemPart>& parts : held_out) news.push_back(known.news(parts));
  std::sort(news.begin(), news.end(), std::greater<>());
  known.most = news[static_cast<std::size_t>(kFalseAlarms * static_cast<double>(news.size()))];
  return known;
}

void write_known_parts(const std::filesystem::path& file, const KnownParts& parts) {
  torch::Tensor hashes = at::empty({static_cast<std::int64_t>(parts.hashes.size())}, torch::kInt64);
  std::memcpy(hashes.mutable_data_ptr<std::int64_t>(), parts.hashes.data(),
              parts.hashes.size() * sizeof(std::uint64_t));
  write_npz(file, {{"hashes", hashes}, {"most", at::full({1}, parts.most, torch::kFloat64)}});
}

KnownParts read_known_parts(const std::filesystem::path& file) {
  KnownParts known;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return known;
  const auto arrays = read_npz(file);
  const auto hashes = arrays.find("hashes"), most = arrays.find("most");
  const auto is = [&](const auto& at, torch::ScalarType type) {
    return at != arrays.end() && at->second.scalar_type() == type && at->second.dim() == 1 && at->second.size(0) >= 1;
  };
  if (!is(hashes, torch::kInt64) || !is(most, torch::kFloat64))
    fail("{} is damaged: it does not hold the arrays hashes and most", file.string());
  const torch::Tensor all = hashes->second.contiguous();
  known.hashes.resize(static_cast<std::size_t>(all.numel()));
  std::memcpy(known.hashes.data(), all.const_data_ptr<std::int64_t>(), known.hashes.size() * sizeof(std::uint64_t));
  std::sort(known.hashes.begin(), known.hashes.end());
  known.most = most->second.contiguous().const_data_ptr<double>()[0];
  constexpr double kMostNews = 1000;
  if (!(known.most >= 0 && known.most <= kMostNews))
    fail("{} is damaged: of items like training none is new by {}", file.string(), known.most);
  return known;
}

std::string new_parts_text(const KnownParts& known, const std::vector<ItemPart>& parts) {
  if (!known.unlike(parts)) return "";
  std::vector<const ItemPart*> news;
  for (const ItemPart& part : parts) {
    const auto same = [&](const ItemPart* one) { return one->text == part.text; };
    if (!has(known, part.hash) && std::none_of(news.begin(), news.end(), same)) news.push_back(&part);
  }
  std::stable_sort(news.begin(), news.end(),
                   [](const ItemPart* a, const ItemPart* b) { return a->weight > b->weight; });
  std::string names;
  for (std::size_t k = 0; k < std::min(news.size(), kNamed); ++k) names += (k > 0 ? ", " : "") + news[k]->text;
  return fmt::format("it is out of distribution, since hardly any of training has {}{}", names,
                     news.size() > kNamed ? fmt::format(", and {} more of its parts", news.size() - kNamed) : "");
}

}  // namespace pairs

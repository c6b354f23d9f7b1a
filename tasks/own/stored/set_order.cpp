#include "tasks/own/stored/set_order.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/text/error.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr std::int64_t kThetasAtOnce = 1 << 14;
constexpr std::size_t kDigested = 256;       // sets whose observations identify the data
constexpr std::size_t kToldCopies = 3;       // reported pairs of files
constexpr std::int64_t kCompared = 1 << 16;  // numbers by which two sets are compared

std::uint64_t mixed(std::uint64_t z) {  // the finalizer of splitmix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

std::uint64_t joined(std::uint64_t hash, std::uint64_t word) {
  return mixed((hash ^ word) + 0x9e3779b97f4a7c15ull);
}

struct HashedSet {
  std::uint64_t theta;
  StoredSet set;
};

std::vector<HashedSet> hash_thetas(const std::vector<std::unique_ptr<SetFile>>& files, const SimulationShape& shape) {
  std::int64_t all = 0;
  for (const auto& file : files) all += file->sets();
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  PAIRS_CHECK(all <= most, "{} stored sets are more than the {} that can be distinguished; name fewer files",
              count_text(all), count_text(most));
  std::vector<HashedSet> out;
  out.reserve(static_cast<std::size_t>(all));
  const auto d = static_cast<std::size_t>(shape.targets);
  std::vector<double> theta(static_cast<std::size_t>(kThetasAtOnce) * d);
  for (std::size_t f = 0; f < files.size(); ++f)
    for (std::int64_t first = 0, count; first < files[f]->sets(); first += count) {
      count = std::min(kThetasAtOnce, files[f]->sets() - first);
      files[f]->read_theta(first, count, theta.data());
      for (std::int64_t i = 0; i < count; ++i)
        out.push_back({content_hash({theta.data() + static_cast<std::size_t>(i) * d, d}),
                       {static_cast<std::uint32_t>(f), static_cast<std::uint32_t>(first + i)}});
    }
  std::sort(out.begin(), out.end(), [](const HashedSet& a, const HashedSet& b) {
    return std::tie(a.theta, a.set.file, a.set.set) < std::tie(b.theta, b.set.file, b.set.set);
  });
  return out;
}

// A hash of ψ, the size and the first observation of a set.
std::uint64_t set_hash(const SetFile& file, std::int64_t set, const SimulationShape& shape) {
  std::vector<double> numbers(static_cast<std::size_t>(shape.nuisances));
  file.read_psi(set, 1, numbers.data());
  const std::vector<double> first = file.first_observations_of(set, 1);
  numbers.insert(numbers.end(), first.begin(), first.end());
  return joined(content_hash(numbers), static_cast<std::uint64_t>(file.observations(set)));
}

// Counts copies by the two files that contain them.
class CopyCount {
 public:
  void add(StoredSet kept, StoredSet copy) { ++counts_[{copy.file, kept.file}]; }
  std::vector<std::string> reported(const std::vector<std::unique_ptr<SetFile>>& files) const {
    std::vector<std::pair<std::int64_t, std::pair<std::uint32_t, std::uint32_t>>> order;
    for (const auto& [pair, count] : counts_) order.emplace_back(-count, pair);
    std::sort(order.begin(), order.end());
    std::vector<std::string> out;
    for (const auto& [count, pair] : order) {
      if (out.size() == kToldCopies) break;
      const SetFile &copy = *files[pair.first], &kept = *files[pair.second];
      out.push_back(&copy == &kept ? fmt::format("{} of the {} sets of {} stand in it more than once",
                                                 count_text(-count), count_text(copy.sets()), copy.name())
                                   : fmt::format("{} of the {} sets of {} stand in {}, too", count_text(-count),
                                                 count_text(copy.sets()), copy.name(), kept.name()));
    }
    return out;
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> counts_;
};

// A set among those of one θ.
struct GroupedSet {
  std::uint64_t first = 0, all = 0;  // hashes: set_hash; of all observations, where sets share that
  StoredSet set;
};

// Sorts the sets of one θ, [begin, end) of `all`, by their content, and keeps one of each copy.
void sort_group(const std::vector<std::unique_ptr<SetFile>>& files, const SimulationShape& shape, HashedSet* begin,
                HashedSet*& end, CopyCount* copies) {
  std::vector<GroupedSet> group;
  for (const HashedSet* one = begin; one != end; ++one)
    group.push_back({set_hash(*files[one->set.file], one->set.set, shape), 0, one->set});
  const auto before = [](const GroupedSet& a, const GroupedSet& b) {
    return std::tie(a.first, a.all) < std::tie(b.first, b.all);
  };
  std::stable_sort(group.begin(), group.end(), before);
  // Discrete observations often begin with the same one.
  const auto same_first = [&](std::size_t a, std::size_t b) { return group[a].first == group[b].first; };
  const std::int64_t compared = std::max<std::int64_t>(1, kCompared / std::max<std::int64_t>(1, shape.numbers()));
  for (std::size_t i = 0; i < group.size(); ++i)
    if ((i > 0 && same_first(i, i - 1)) || (i + 1 < group.size() && same_first(i, i + 1)))
      group[i].all = content_hash(files[group[i].set.file]->first_observations_of(group[i].set.set, compared));
  std::stable_sort(group.begin(), group.end(), before);
  HashedSet* out = begin;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (copies != nullptr && i > 0 && !before(group[i - 1], group[i])) {
      copies->add((out - 1)->set, group[i].set);
      continue;
    }
    *out++ = {begin->theta, group[i].set};
  }
  end = out;
}

// How many of the sets begin .. end share their θ exactly with another of them; all have the same θ as float32.
std::int64_t with_the_same_theta(const std::vector<std::unique_ptr<SetFile>>& files, const SimulationShape& shape,
                                 const HashedSet* begin, const HashedSet* end) {
  std::map<std::vector<double>, std::int64_t> counts;
  for (const HashedSet* one = begin; one != end; ++one) {
    std::vector<double> theta(static_cast<std::size_t>(shape.targets));
    files[one->set.file]->read_theta(one->set.set, 1, theta.data());
    ++counts[std::move(theta)];
  }
  std::int64_t repeated = 0;
  for (const auto& [theta, count] : counts) repeated += count > 1 ? count : 0;
  return repeated;
}

// If a split has no θ, moves those with the lowest hashes there.
std::array<std::vector<std::uint64_t>, 2> moved_thetas(const std::vector<HashedSet>& all, std::int64_t thetas,
                                                       std::int64_t sets) {
  PAIRS_CHECK(
      thetas >= 3,
      "The stored simulations hold {} sets of {} different θ, too few to keep some from training: sets of one θ "
      "stay together; store sets of many θ, drawn from the prior",
      sets, thetas);
  std::array<std::int64_t, 3> counts{};
  std::vector<std::uint64_t> order[3];
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && all[i].theta == all[i - 1].theta) continue;
    const auto split = static_cast<std::size_t>(split_of_content(all[i].theta));
    ++counts[split];
    if (order[split].size() < 3) order[split].push_back(all[i].theta);
  }
  std::array<std::vector<std::uint64_t>, 2> moved;
  std::size_t taken[3] = {};
  for (const std::size_t empty : {0u, 1u, 2u}) {
    if (counts[empty] > 0) continue;
    const auto from = static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
    moved[0].push_back(order[from][taken[from]++]);
    moved[1].push_back(empty);
    --counts[from];
    ++counts[empty];
  }
  return moved;
}

}  // namespace

std::uint64_t content_hash(std::span<const double> numbers, std::uint64_t start) {
  std::uint64_t hash = start;
  for (const double number : numbers) {
    const float narrow = static_cast<float>(number) + 0.0f;  // -0 becomes 0
    std::uint32_t bits;
    std::memcpy(&bits, &narrow, sizeof bits);
    hash = joined(hash, bits);
  }
  return hash;
}

Split split_of_content(std::uint64_t theta_hash) {
  const auto place = static_cast<std::int64_t>(joined(theta_hash, 0x7370'6c69'74) % StoredShares::all);
  return place < StoredShares::training                              ? Split::training
         : place < StoredShares::training + StoredShares::validation ? Split::validation
                                                                     : Split::test;
}

std::int64_t SetOrder::count() const {
  std::size_t count = 0;
  for (const auto& one : sets) count += one.size();
  return static_cast<std::int64_t>(count);
}

SetOrder order_sets(const std::vector<std::unique_ptr<SetFile>>& files, const SimulationShape& shape, bool copied) {
  SetOrder out;
  std::vector<HashedSet> all = hash_thetas(files, shape);
  CopyCount copies;
  std::size_t kept = 0;
  for (std::size_t i = 0, end; i < all.size(); i = end) {
    for (end = i + 1; end < all.size() && all[end].theta == all[i].theta;) ++end;
    ++out.thetas;
    HashedSet* last = all.data() + end;
    if (end > i + 1) sort_group(files, shape, all.data() + i, last, copied ? &copies : nullptr);
    const auto count = static_cast<std::size_t>(last - (all.data() + i));
    if (count > 1) out.repeated += with_the_same_theta(files, shape, all.data() + i, last);
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(i), count, all.begin() + static_cast<std::ptrdiff_t>(kept));
    kept += count;
  }
  out.copies = static_cast<std::int64_t>(all.size() - kept);
  all.resize(kept);
  out.copied = copies.reported(files);
  const auto [moved, to] = moved_thetas(all, out.thetas, static_cast<std::int64_t>(kept));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const HashedSet& one = all[i];
    const SetFile& file = *files[one.set.file];
    const auto at = std::find(moved.begin(), moved.end(), one.theta);
    const auto split = at == moved.end() ? static_cast<std::uint64_t>(split_of_content(one.theta))
                                         : to[static_cast<std::size_t>(at - moved.begin())];
    out.sets[split].push_back(one.set);
    out.content = joined(joined(out.content, one.theta), static_cast<std::uint64_t>(file.observations(one.set.set)));
    if (i < kDigested) out.content = joined(out.content, set_hash(file, one.set.set, shape));
  }
  for (auto& sets : out.sets) {
    sets.shrink_to_fit();
    std::stable_sort(sets.begin(), sets.end(), [&](const StoredSet& a, const StoredSet& b) {
      return files[a.file]->observations(a.set) > files[b.file]->observations(b.set);
    });
  }
  return out;
}

}  // namespace pairs

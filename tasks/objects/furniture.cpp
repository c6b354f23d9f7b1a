#include "tasks/objects/furniture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "tasks/objects/furniture_parts.h"
#include "tasks/objects/mesh_measure_hull.h"

namespace pairs {
namespace {

constexpr int furniture_version = 1;  // raised whenever a number gives another mesh
constexpr std::size_t fewest_triangles = 200;
constexpr std::size_t most_objects = std::size_t{1} << 40;

// Items of the streams (key of seed and Purpose::glyph, number). The digits of that purpose draw with keys that are
// mixed twice (draw_glyph) and with item 0, so that neither key nor item is theirs.
constexpr std::uint64_t shape_item = std::uint64_t{1} << 40;  // index: the object's number
constexpr std::uint64_t split_item = std::uint64_t{1} << 41;  // index: the number of the first of the family's five

// Parts that touch may have a vertex in the same place.
std::uint64_t count_places(std::vector<std::array<double, 3>> places) {
  std::sort(places.begin(), places.end());
  return static_cast<std::uint64_t>(std::unique(places.begin(), places.end()) - places.begin());
}

class Furniture : public MeshSource {
 public:
  Furniture(std::size_t objects, std::uint64_t seed)
      : objects_(objects), seed_(seed), key_(stream_key(seed, Purpose::glyph)) {}

  std::string name() const override { return "generated furniture"; }
  std::size_t size() const override { return objects_; }
  std::string label(std::size_t object) const override {
    return fmt::format("generated {} {}", family(object).name, object);
  }
  bool instant() const override { return true; }
  std::string identity() const override { return fmt::format("{} {} {}", name(), furniture_version, seed_); }

  MeshSplit split(std::size_t object) const override {
    const std::size_t count = furniture::families().size(), round = object / count;
    std::array<MeshSplit, 5> parts{MeshSplit::pretrain, MeshSplit::pretrain, MeshSplit::pretrain, MeshSplit::finetune,
                                   MeshSplit::test};
    Stream stream(key_, round / 5 * 5 * count + object % count, split_item);
    for (std::size_t k = parts.size(); k-- > 1;) std::swap(parts[k], parts[stream.below(k + 1)]);
    return parts[round % 5];
  }

  MeshRecord measure(std::size_t object) const override {
    const furniture::Body body = build(object);
    const TriangleMesh& mesh = body.mesh();
    MeshRecord record;
    record.key = fmt::format("furniture-v{}-{}-{}", furniture_version, seed_, object);
    MeshFacts& facts = record.facts;
    std::array<double, 3> low = mesh.vertices.front(), high = low;
    for (const auto& place : mesh.vertices)
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], place[d]);
        high[d] = std::max(high[d], place[d]);
      }
    for (std::size_t d = 0; d < 3; ++d) facts.extents[d] = high[d] - low[d];
    const auto [shortest, longest] = std::minmax_element(facts.extents.begin(), facts.extents.end());
    facts.log_aspect = std::log(*longest / *shortest);
    facts.volume = facts.enclosed_volume = body.volume() / (*longest * *longest * *longest);
    facts.rule = VolumeRule::enclosed;
    facts.closed = true;
    // As normalised_mesh does; at its places, as rounding may bring vertices together.
    std::vector<std::array<double, 3>> places = mesh.vertices, corners;
    for (auto& place : places)
      for (std::size_t d = 0; d < 3; ++d) place[d] = (place[d] - low[d] - facts.extents[d] / 2) / *longest;
    for (const std::uint32_t corner : body.corners()) corners.push_back(places[corner]);
    facts.vertices = count_places(std::move(places));
    facts.triangles = mesh.triangles.size();
    facts.shells = body.parts();
    const std::optional<double> hull = hull_volume(corners);
    PAIRS_CHECK(hull, "{} is flat", label(object));
    facts.hull_volume = *hull;
    return record;
  }

  TriangleMesh mesh(std::size_t object) const override { return normalised_mesh(build(object).mesh()); }

 private:
  static const furniture::Family& family(std::size_t object) {
    const auto& all = furniture::families();
    return all[object % all.size()];
  }

  furniture::Body build(std::size_t object) const {
    PAIRS_CHECK(object < objects_, "There is no object {} of {}", object, objects_);
    const furniture::Family& made = family(object);
    // The simplest are divided more finely, which changes neither what is drawn nor the form.
    for (double cell = made.cell;; cell /= 1.6) {
      furniture::Body body(cell);
      furniture::Draw draw(Stream(key_, object, shape_item));
      made.build(body, draw);
      if (body.mesh().triangles.size() >= fewest_triangles) return body;
    }
  }

  std::size_t objects_;
  std::uint64_t seed_, key_;
};

}  // namespace

std::shared_ptr<const MeshSource> make_furniture(std::size_t objects, std::uint64_t seed) {
  if (objects < 1 || objects > most_objects)
    fail_usage("Furniture comes in 1 to {} objects, not {}", most_objects, objects);
  return std::make_shared<Furniture>(objects, seed);
}

std::vector<std::string> furniture_families() {
  std::vector<std::string> names;
  for (const furniture::Family& family : furniture::families()) names.emplace_back(family.name);
  return names;
}

}  // namespace pairs

#include "tasks/objects/generated/generated_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "tasks/objects/generated/generated_family.h"
#include "tasks/objects/mesh/mesh_measure_hull.h"

namespace pairs {
namespace {

constexpr int generator_version = 2;  // increased whenever a number gives another mesh
constexpr std::size_t most_objects = std::size_t{1} << 40;

// Items of the streams (key of seed and Purpose::glyph, number). The digits of that purpose use keys that are mixed
// twice (draw_glyph) and item 0, so that neither keys nor items coincide.
constexpr std::uint64_t shape_item = std::uint64_t{1} << 40;  // index: the object's number
constexpr std::uint64_t split_item = std::uint64_t{1} << 41;  // index: the first number of a family's group of five

class GeneratedObjects : public MeshSource {
 public:
  GeneratedObjects(std::size_t objects, std::uint64_t seed)
      : objects_(objects), seed_(seed), key_(stream_key(seed, Purpose::glyph)) {}

  std::string name() const override { return "generated solids and furniture"; }
  std::size_t size() const override { return objects_; }
  std::string label(std::size_t object) const override {
    return fmt::format("generated {} {}", family(object).name, object);
  }
  bool instant() const override { return true; }
  std::string identity() const override { return fmt::format("{} {} {}", name(), generator_version, seed_); }

  MeshSplit split(std::size_t object) const override {
    const std::size_t count = generated::families().size(), round = object / count;
    std::array<MeshSplit, 5> parts{MeshSplit::pretrain, MeshSplit::pretrain, MeshSplit::pretrain, MeshSplit::finetune,
                                   MeshSplit::test};
    Stream stream(key_, round / 5 * 5 * count + object % count, split_item);
    for (std::size_t k = parts.size(); k-- > 1;) std::swap(parts[k], parts[stream.below(k + 1)]);
    return parts[round % 5];
  }

  MeshRecord measure(std::size_t object) const override {
    const generated::Body body = build(object);
    const TriangleMesh& mesh = body.mesh();
    MeshRecord record;
    record.key = fmt::format("generated-v{}-{}-{}", generator_version, seed_, object);
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
    // Like normalized_mesh.
    std::vector<std::array<double, 3>> places = mesh.vertices, corners;
    for (auto& place : places)
      for (std::size_t d = 0; d < 3; ++d) place[d] = (place[d] - low[d] - facts.extents[d] / 2) / *longest;
    for (const std::uint32_t corner : body.corners()) corners.push_back(places[corner]);
    facts.vertices = mesh.vertices.size();
    facts.triangles = mesh.triangles.size();
    const std::optional<double> hull = hull_volume(corners);
    PAIRS_CHECK(hull, "{} is flat", label(object));
    facts.hull_volume = *hull;
    facts.closed = !body.open();
    if (facts.closed) {
      facts.shells = body.parts();
      facts.rule = VolumeRule::enclosed;
      facts.volume = facts.enclosed_volume = body.volume() / (*longest * *longest * *longest);
    } else {
      facts.rule = VolumeRule::hull;
      facts.volume = facts.hull_volume;
      facts.why = "its surface is open";
    }
    return record;
  }

  TriangleMesh mesh(std::size_t object) const override { return normalized_mesh(build(object).mesh()); }

 private:
  static const generated::Family& family(std::size_t object) {
    const auto& all = generated::families();
    return all[object % all.size()];
  }

  generated::Body build(std::size_t object) const {
    PAIRS_CHECK(object < objects_, "There is no object {} of {}", object, objects_);
    generated::Draw draw(Stream(key_, object, shape_item));
    return generated::build_object(family(object), draw);
  }

  std::size_t objects_;
  std::uint64_t seed_, key_;
};

}  // namespace

std::shared_ptr<const MeshSource> make_generated_objects(std::size_t objects, std::uint64_t seed) {
  if (objects < 1 || objects > most_objects) fail_usage("Generated objects are 1 to {}, not {}", most_objects, objects);
  return std::make_shared<GeneratedObjects>(objects, seed);
}

std::vector<std::string> generated_families() {
  std::vector<std::string> names;
  for (const generated::Family& family : generated::families()) names.emplace_back(family.name);
  return names;
}

}  // namespace pairs

#include "tasks/objects/object_mix.h"

#include <utility>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "core/sets/permutation.h"

namespace pairs {
namespace {

class MixedMeshes final : public MeshSource {
 public:
  explicit MixedMeshes(std::shared_ptr<const MeshSource> source) : source_(std::move(source)) {}

  std::string name() const override { return source_->name(); }
  std::size_t size() const override { return source_->size(); }
  std::string label(std::size_t object) const override { return source_->label(at(object)); }
  MeshSplit split(std::size_t object) const override { return source_->split(at(object)); }
  bool divided_by_form() const override { return source_->divided_by_form(); }
  std::string content() const override { return source_->content(); }
  MeshRecord measure(std::size_t object) const override { return source_->measure(at(object)); }
  TriangleMesh mesh(std::size_t object) const override { return source_->mesh(at(object)); }
  bool instant() const override { return source_->instant(); }
  std::string identity() const override { return source_->identity(); }
  std::string state(std::size_t object) const override { return source_->state(at(object)); }
  std::vector<MeshAside> unread() const override { return source_->unread(); }

 private:
  std::size_t at(std::size_t object) const {
    PAIRS_CHECK(object < size(), "There is no object {} among {} of {}", object, size(), name());
    return permuted(stream_key(1, Purpose::order), size(), object);
  }

  std::shared_ptr<const MeshSource> source_;
};

}  // namespace

std::shared_ptr<const MeshSource> mixed_meshes(std::shared_ptr<const MeshSource> source) {
  return std::make_shared<const MixedMeshes>(std::move(source));
}

}  // namespace pairs

#include "tasks/objects/object_showcase.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/sets/permutation.h"
#include "tasks/objects/mesh/measured_meshes.h"

namespace pairs {

torch::Tensor render_views(const TriangleMesh& mesh, const ViewSettings& settings, const std::string& key) {
  std::vector<render::MeshCamera> cameras;
  for (std::int64_t v = 0; v < settings.views; ++v) cameras.push_back(cached_camera(settings, key, v));
  return render::MeshViews(mesh).render(cameras, settings.options);
}

ObjectShowcase::ObjectShowcase(std::shared_ptr<const MeshSource> source, std::size_t among, ViewSettings settings)
    : source_(std::move(source)), settings_(std::move(settings)) {
  const bool by_form = source_->divided_by_form();
  std::vector<std::size_t> part;
  for (std::size_t i = 0; i < among; ++i)
    if (by_form || source_->split(i) == MeshSplit::test) part.push_back(i);
  const std::uint64_t key = stream_key(1, Purpose::explore);
  for (std::size_t i = 0; i < part.size(); ++i) order_.push_back(part[permuted(key, part.size(), i)]);
  places_ = std::vector<Place>(std::min(kMost, by_form ? (part.size() + 4) / 5 : part.size()));
}

// Finds the test object at `place` where an object's part is known only once the object is read: test objects in order,
// starting over when there are fewer.
ShownObject ObjectShowcase::find_by_form(std::size_t place) const {
  const std::lock_guard lock(looked_mutex_);
  while (tests_.size() <= place && looked_ < order_.size()) {
    const std::size_t object = order_[looked_++];
    MeshRecord record = source_->measure(object);
    if (!record.facts.set_aside.empty() || split_of(*source_, object, record) != MeshSplit::test) continue;
    tests_.push_back({object, std::move(record.key), source_->label(object), std::move(record.facts)});
  }
  PAIRS_CHECK(!tests_.empty(), "None of the {} of {} is for evaluations and can be used; name a folder with more",
              counted(order_.size(), "object"), printable(source_->name(), 200));
  return tests_[place % tests_.size()];
}

ShownObject ObjectShowcase::find(std::size_t place) const {
  if (source_->divided_by_form()) return find_by_form(place);
  for (std::size_t step = 0; step < size(); ++step)
    for (std::size_t at = (place + step) % size(); at < order_.size(); at += size()) {
      const std::size_t object = order_[at];
      MeshRecord record = source_->measure(object);
      if (record.facts.set_aside.empty())
        return {object, std::move(record.key), source_->label(object), std::move(record.facts)};
    }
  fail("None of the {} of {} that evaluations use can be used; name another folder", counted(order_.size(), "object"),
       printable(source_->name(), 200));
}

const ShownObject& ObjectShowcase::shown_locked(std::size_t place) const {
  Place& here = places_[place];
  if (!here.shown) here.shown = std::make_unique<const ShownObject>(find(place));
  return *here.shown;
}

const ShownObject& ObjectShowcase::shown(std::size_t place) const {
  const std::lock_guard lock(places_.at(place).mutex);
  return shown_locked(place);
}

torch::Tensor ObjectShowcase::views(std::size_t place) const {
  const std::lock_guard lock(places_.at(place).mutex);
  Place& here = places_[place];
  if (!here.views.defined()) {
    const ShownObject& object = shown_locked(place);
    here.views = render_views(source_->mesh(object.object), settings_, object.key);
  }
  return here.views;
}

TriangleMesh ObjectShowcase::mesh(std::size_t place) const {
  return source_->mesh(shown(place).object);
}

std::size_t ObjectShowcase::nearest(double volume, double log_aspect, double volume_scale,
                                    double log_aspect_scale) const {
  at::parallel_for(0, static_cast<std::int64_t>(size()), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) shown(static_cast<std::size_t>(i));
  });
  std::size_t best = 0;
  double least = HUGE_VAL;
  for (std::size_t i = 0; i < size(); ++i) {
    const MeshFacts& facts = shown(i).facts;
    const double distance =
        std::hypot((facts.volume - volume) / volume_scale, (facts.log_aspect - log_aspect) / log_aspect_scale);
    if (distance < least) least = distance, best = i;
  }
  return best;
}

}  // namespace pairs

#include "tasks/objects/objects.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <filesystem>
#include <limits>
#include <mutex>
#include <numbers>
#include <utility>

#include "core/base/files/files.h"
#include "core/base/gpu/transfer.h"
#include "core/base/system/caches.h"
#include "core/base/text/error.h"
#include "core/base/text/log.h"
#include "core/base/text/text.h"
#include "core/base/threads/interruption.h"
#include "core/sets/permutation.h"
#include "tasks/objects/crops.h"
#include "tasks/objects/generated/generated_objects.h"
#include "tasks/objects/mesh/measured_meshes.h"
#include "tasks/objects/mesh/mesh_file.h"
#include "tasks/objects/mesh/mesh_folder.h"
#include "tasks/objects/mesh/mesh_up.h"
#include "tasks/objects/object_mix.h"
#include "tasks/objects/object_parts.h"
#include "tasks/objects/object_showcase.h"
#include "tasks/objects/view_cache.h"
#include "tasks/parts/bodies.h"
#include "tasks/parts/items.h"
#include "tasks/parts/rows.h"

namespace pairs {

std::vector<Field> ObjectsSettings::fields() {
  return {
      {"objects", &objects,
       "How many objects of the source are used, or generated; 0 = all of a folder, 2,000 generated ones", 0, 1e6},
      {"views", &views, "Views rendered of each object; paper: 17", 1, 64},
      {"side", &side, "Pixels along a view's side; paper: 224", 16, 512},
      {"samples", &samples, "Rays a pixel, 1 or 4", 1, 4},
      {"crop_least", &crop_least, "Least share of each side that an observation shows", 0.05, 1},
      {"crop_most", &crop_most, "Largest share of each side that an observation shows", 0.05, 1},
      {"passes", &passes, "Crops of each view that stage 2 draws from; paper: 5", 1, 100},
      {"lowest", &lowest, "Least elevation of the cameras above the ground in degrees", -90, 90},
      {"highest", &highest, "Largest elevation of the cameras in degrees", -90, 90},
  };
}

namespace {

// The default number of generated objects, and their seed.
constexpr std::size_t kUsualObjects = 2000;
constexpr std::uint64_t kGeneratedSeed = 1;

// Standardization of the targets, the same for all sources so that scores are comparable: between the means and sds of
// meshes of ModelNet (17 meshes: volume 0.15 and 0.10, log aspect 0.93 and 0.41) and of generated solids and furniture
// (480 objects: 0.11 and 0.12; 0.94 and 0.86).
constexpr double kVolumeLocation = 0.11, kVolumeScale = 0.11, kAspectLocation = 0.93, kAspectScale = 0.5;

// The windows of stage 2 come from a separate stream, whose indices are hashes of keys.
const std::uint64_t kWindowKey = stream_key(stream_key(1, Purpose::finetune), Purpose::blocks);
constexpr std::uint64_t kWindowStride = 1024;  // items of a view: its passes

// The number of users' meshes that are kept for pictures. Their numbers ψ are below 0.
constexpr std::size_t kRememberedItems = 16;
constexpr std::uint64_t kItemNumbers = 999983;

std::uint64_t stream_index(const std::string& key) {
  return mesh_key_hash(key) & 0xffffffffffffull;
}

// Which of n subjects set `index` is about: rounds of n sets visit each subject once.
std::size_t subject_of(std::uint64_t seed, Purpose purpose, std::size_t n, std::int64_t index) {
  PAIRS_CHECK(index >= 0, "There is no set {}; indices begin at 0", index);
  const std::uint64_t round = static_cast<std::uint64_t>(index) / n, position = static_cast<std::uint64_t>(index) % n;
  return permuted(stream_key(stream_key(seed, purpose) + round, Purpose::order), n, position);
}

std::string rule_text(const MeshFacts& facts) {
  return facts.rule == VolumeRule::enclosed ? "volume that its surface encloses"
                                            : fmt::format("volume of its convex hull: {}", facts.why);
}

class Objects final : public Task, public Bodies, public Items {
 public:
  // `hint`: advice for users without real meshes.
  Objects(std::shared_ptr<const MeshSource> source, const ObjectsSettings& settings, const std::string& hint)
      : settings_(settings),
        source_(std::move(source)),
        count_(used_objects(*source_, settings)),
        view_settings_(view_settings(*source_, settings)),
        showcase_(source_, count_, view_settings_) {
    if (showcase_.size() == 0)
      fail_usage("Of {} of {} none is kept for evaluations; name a folder with more meshes or raise {}",
                 counted(count_, "object"), source_->name(), "task.objects"_key);
    describe();
    info_.data_hint = hint;
  }

  const TaskInfo& info() const override { return info_; }

  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    const auto sets = static_cast<std::int64_t>(indices.size());
    Latents out{at::empty({sets, 2}, torch::kFloat64), at::empty({sets, 1}, torch::kFloat64)};
    auto* theta = out.theta.mutable_data_ptr<double>();
    auto* psi = out.psi.mutable_data_ptr<double>();
    const auto part = object_part(purpose);
    const std::vector<UsableObject>* const members = part ? &members_of(*part) : nullptr;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const std::size_t n = members ? members->size() : shown_objects(purpose);
      const std::size_t subject = subject_of(seed, purpose, n, indices[i]);
      psi[i] = static_cast<double>(subject);
      if (members) {
        theta[2 * i] = (*members)[subject].volume;
        theta[2 * i + 1] = (*members)[subject].log_aspect;
      } else {
        put_theta(showcase_.shown(subject).facts, theta + 2 * i);
      }
    }
    return out;
  }

  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    const Rows rows(ranges, latents, info_);
    const auto part = object_part(purpose);
    return send(
        part ? stored(latents, seed, purpose, *part, ranges, rows) : shown(latents, seed, purpose, ranges, rows),
        device);
  }

  void prepare(const Preparation& preparation) const override {
    const ObjectParts& parts = divided(&preparation);
    const std::lock_guard lock(render_mutex_);
    if (prepared_) return;
    std::vector<const UsableObject*> all;
    for (const auto& members : parts.parts)
      for (const UsableObject& object : members) all.push_back(&object);
    fill(all, preparation.stop, [&preparation](const ViewCacheProgress& at) {
      if (preparation.progress) preparation.progress("meshes rendered", at.done, at.total);
    });
    for (std::size_t p = 0; p < kObjectParts; ++p)
      if (!caches_[p] && !parts.parts[p].empty()) caches_[p] = open(parts.parts[p]);
    prepared_ = true;
  }

  std::int64_t subjects(Purpose purpose) const override {
    const auto part = object_part(purpose);
    return static_cast<std::int64_t>(part ? members_of(*part).size() : shown_objects(purpose));
  }

  PoolDraws pool_draws(const Latents& latents, std::uint64_t seed, Purpose purpose,
                       std::span<const SetRange> ranges) const override {
    const auto part = object_part(purpose);
    if (!part || !pooled(*part)) return {};
    const std::vector<UsableObject>& members = members_of(*part);
    const Rows rows(ranges, latents, info_);
    PoolDraws out{at::empty({rows.total()}, torch::kInt64), at::empty({rows.total()}, torch::kInt64),
                  pool_members_of(members)};
    auto* member = out.member.mutable_data_ptr<std::int64_t>();
    auto* stratum = out.stratum.mutable_data_ptr<std::int64_t>();
    const double* psi = latents.psi.const_data_ptr<double>();
    rows.pieces(0, rows.total(), [&](std::size_t k, std::int64_t first, std::int64_t count, std::int64_t at) {
      const std::size_t object = place_of(psi[k], members.size());
      for (std::int64_t j = 0; j < count; ++j) {
        const Draw draw = draw_pooled(seed, purpose, ranges[k].index, first + j);
        member[at + j] =
            (static_cast<std::int64_t>(object) * settings_.views + draw.view) * settings_.passes + draw.pass;
        stratum[at + j] = static_cast<std::int64_t>(object);
      }
    });
    return out;
  }

  std::int64_t pool_size(Purpose purpose) const override {
    const auto part = object_part(purpose);
    return part && pooled(*part) ? pool_members_of(members_of(*part)) : 0;
  }

  Observations pool_members(Purpose purpose, std::int64_t first, std::int64_t count,
                            const torch::Device& device) const override {
    const std::int64_t size = pool_size(purpose);
    PAIRS_CHECK(first >= 0 && count >= 0 && count <= size - first, "There are no members {} to {} of a pool of {}",
                first, first + count - 1, size);
    const ObjectPart part = *object_part(purpose);
    const std::vector<UsableObject>& members = members_of(part);
    std::vector<ViewCache::View> views;
    std::vector<CropWindow> windows;
    for (std::int64_t m = first; m < first + count; ++m) {
      const std::int64_t view = m / settings_.passes % settings_.views;
      const auto object = static_cast<std::size_t>(m / settings_.passes / settings_.views);
      views.push_back({object, view});
      windows.push_back(fixed_window(members[object].key, view, m % settings_.passes));
    }
    return send(crop_images(views_of(part).read(views), windows), device);
  }

  // Changing the number sets θ of its object; changing θ selects the nearest shown object.
  void constrain(Latents& latents, Component changed) const override {
    auto* theta = latents.theta.mutable_data_ptr<double>();
    auto* psi = latents.psi.mutable_data_ptr<double>();
    const double last = static_cast<double>(showcase_.size() - 1);
    const auto place = changed.nuisance ? static_cast<std::size_t>(std::clamp(std::round(psi[0]), 0.0, last))
                                        : showcase_.nearest(theta[0], theta[1], kVolumeScale, kAspectScale);
    psi[0] = static_cast<double>(place);
    put_theta(showcase_.shown(place).facts, theta);
  }

  std::string bodies_title() const override { return "mesh"; }

  // Only for sets that are shown: their numbers are those of Purpose::explore.
  std::vector<Body> bodies(const Latents& latents, const Observations&, std::int64_t most) const override {
    if (most < 1) return {};
    const double number = latents.psi.item<double>();
    const std::shared_ptr<const Item> item = find_item(number);
    const TriangleMesh mesh = item ? item->mesh : showcase_.mesh(place_of(number, showcase_.size()));
    Body body;
    for (const auto& v : mesh.vertices)
      body.corners.push_back({static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])});
    body.faces = mesh.triangles;
    return {std::move(body)};
  }

  std::string subject_text(const Latents& latents) const override {
    const double number = latents.psi.item<double>();
    if (const auto item = find_item(number)) return fmt::format("{}; {}", item->label, rule_text(item->facts));
    const ShownObject& object = showcase_.shown(place_of(number, showcase_.size()));
    return fmt::format("{}, {}; {}", object.label, source_->name(), rule_text(object.facts));
  }

  PlaneDrawing plane_drawing(const Latents&) const override { return {}; }

  std::string item() const override { return "mesh"; }
  std::string item_help() const override { return "a mesh file (.off, .obj, .stl, .ply)"; }
  // Also accepts meshes in other formats: read_item refuses them and lists the supported ones.
  bool is_item(const std::string& text) const override {
    return mesh_format(text).has_value() || !unread_mesh_name(text).empty();
  }

  std::vector<std::string> ups() const override { return {"z", "y", "x"}; }

  ItemSet read_item(const std::string& text, std::int64_t n, std::uint64_t seed, const std::string& up) const override {
    PAIRS_CHECK(n >= 0 && n <= info_.max_n, "A set of views of a mesh has 1 to {} observations, not {}", info_.max_n,
                n);
    if (n == 0) n = info_.max_n;
    const auto item = remember(read(text, up));
    ItemSet out;
    out.title = item->label;
    out.kind = item->facts.rule == VolumeRule::hull ? "open mesh" : "closed mesh";
    out.read_as = item->read_as;
    out.latents = {at::empty({1, 2}, torch::kFloat64), at::empty({1, 1}, torch::kFloat64)};
    put_theta(item->facts, out.latents.theta.mutable_data_ptr<double>());
    *out.latents.psi.mutable_data_ptr<double>() = item->number;
    const SetRange range[] = {{static_cast<std::int64_t>(stream_index(item->key)), 0, n}};
    out.x = observe(out.latents, seed, Purpose::explore, range, torch::kCPU);
    if (item->facts.rule == VolumeRule::hull) out.other = {"volume of its convex hull", ""};
    if (item->facts.rule == VolumeRule::hull)
      out.warnings.push_back(fmt::format("Its own θ counts the volume of its convex hull: {}.", item->facts.why));
    return out;
  }

 private:
  // A user's mesh.
  struct Item {
    double number = 0;  // ψ of its sets
    std::string key, label, read_as;
    MeshFacts facts;
    TriangleMesh mesh;    // normalized
    torch::Tensor views;  // see render_views
  };
  // The content of an observation: a view, and either a new window or one of the view's fixed windows.
  struct Draw {
    std::int64_t view = 0, pass = 0;
    CropWindow window{};
  };

  static std::size_t used_objects(const MeshSource& source, const ObjectsSettings& settings) {
    if (settings.samples != 1 && settings.samples != 4)
      fail_usage("{} = {} is neither 1 nor 4 rays a pixel", "task.samples"_key, settings.samples);
    if (settings.crop_least > settings.crop_most)
      fail_usage("{} = {} lies above {} = {}", "task.crop_least"_key, settings.crop_least, "task.crop_most"_key,
                 settings.crop_most);
    if (settings.lowest > settings.highest)
      fail_usage("{} = {} lies above {} = {}", "task.lowest"_key, settings.lowest, "task.highest"_key,
                 settings.highest);
    return settings.objects == 0 ? source.size() : std::min(source.size(), static_cast<std::size_t>(settings.objects));
  }

  static ViewSettings view_settings(const MeshSource& source, const ObjectsSettings& settings) {
    ViewSettings out;
    out.source = source.name();
    out.views = settings.views;
    out.options = {settings.side, 1, settings.samples};
    out.cameras.lowest = settings.lowest * std::numbers::pi / 180;
    out.cameras.highest = settings.highest * std::numbers::pi / 180;
    return out;
  }

  void describe() {
    info_.name = "objects";
    info_.title = "3D object properties";
    info_.summary = "The volume and the aspect ratio of an object that is seen from many sides, a part at a time.";
    info_.theta_text =
        "θ is the object's volume V, when the longest side of its bounding box is 1 (that of its convex hull where "
        "its surface encloses none), and log a, the natural logarithm of the box's longest over its shortest side.";
    info_.psi_text = "ψ is the object itself, which is the same in all views of a set: its number.";
    info_.x_text = fmt::format(
        "Each x is a view of the object of {0} × {0} pixels from a random side, {1} to {2} degrees above the ground, "
        "of which a window of {3:g} to {4:g} % a side is seen.",
        settings_.side, settings_.lowest, settings_.highest, 100 * settings_.crop_least, 100 * settings_.crop_most);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    info_.targets = {{"volume", "V", "", 0.0, 1.0, kVolumeLocation, kVolumeScale, kVolumeScale, 0.0, 0.6, "volume"},
                     {"log_aspect", "log a", "", 0.0, infinity, kAspectLocation, kAspectScale, kAspectScale, 0.0, 3.0,
                      "log aspect ratio"}};
    info_.nuisances = {{"object", "object", "", 0.0, static_cast<double>(showcase_.size() - 1), -1, "object index"}};
    info_.question = {"What are the volume and log aspect ratio θ of the object partly shown in this view?",
                      "What are the volume and log aspect ratio θ of the object partly shown in these {} views?"};
    info_.max_n = 80;
    info_.kind = ObservationKind::image;
    info_.observation_shape = {1, settings_.side, settings_.side};
    const std::string content = source_->content();
    info_.data_source = fmt::format(
        "{}{}{}, {} × {} pixels", source_->name(), content.empty() ? "" : fmt::format(" ({})", content),
        count_ < source_->size() ? fmt::format(", {} of them", count_) : "", settings_.side, settings_.side);
    info_.subject = "object";
    info_.subjects = "objects";
    std::size_t pooled = 0;
    for (std::size_t i = 0; i < count_; ++i) pooled += source_->split(i) == MeshSplit::finetune;
    if (source_->divided_by_form()) pooled = (count_ + 2) / 5;  // approximate: exactly known once they are read
    info_.pool = static_cast<double>(pooled) * static_cast<double>(settings_.views * settings_.passes);
    std::vector<std::string> unusual;
    const ObjectsSettings usual;
    if (settings_.views != usual.views) unusual.push_back(fmt::format("{} views of each", settings_.views));
    if (settings_.samples != usual.samples) unusual.push_back(fmt::format("{} rays a pixel", settings_.samples));
    if (settings_.crop_least != usual.crop_least || settings_.crop_most != usual.crop_most)
      unusual.push_back(fmt::format("crops of {} to {}", settings_.crop_least, settings_.crop_most));
    if (settings_.lowest != usual.lowest || settings_.highest != usual.highest)
      unusual.push_back(fmt::format("elevations of {} to {} degrees", settings_.lowest, settings_.highest));
    info_.variant = fmt::format("{}", fmt::join(unusual, ", "));
  }

  static void put_theta(const MeshFacts& facts, double* theta) {
    theta[0] = facts.volume;
    theta[1] = facts.log_aspect;
  }

  static std::size_t place_of(double psi, std::size_t members) {
    PAIRS_CHECK(psi >= 0 && psi < static_cast<double>(members) && psi == std::floor(psi),
                "There is no object {} among {}; ψ is a whole number from 0 to {}", psi, members, members - 1);
    return static_cast<std::size_t>(psi);
  }

  // The number of objects in sets for display: Purpose::check, which only takes time, uses a few, because it would
  // otherwise wait for all to be read and rendered.
  std::size_t shown_objects(Purpose purpose) const {
    return purpose == Purpose::check ? std::min<std::size_t>(4, showcase_.size()) : showcase_.size();
  }

  static bool pooled(ObjectPart part) {
    return part == ObjectPart::finetune || part == ObjectPart::finetune_validation;
  }
  std::int64_t pool_members_of(const std::vector<UsableObject>& members) const {
    return static_cast<std::int64_t>(members.size()) * settings_.views * settings_.passes;
  }

  Draw draw_fresh(std::uint64_t seed, Purpose purpose, std::int64_t set, std::int64_t item) const {
    Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(set), static_cast<std::uint64_t>(item));
    Draw out;
    out.view = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(settings_.views)));
    out.window = draw_crop(stream, settings_.side, {settings_.crop_least, settings_.crop_most});
    return out;
  }
  Draw draw_pooled(std::uint64_t seed, Purpose purpose, std::int64_t set, std::int64_t item) const {
    Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(set), static_cast<std::uint64_t>(item));
    Draw out;
    out.view = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(settings_.views)));
    out.pass = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(settings_.passes)));
    return out;
  }
  // The window of a view in one of the passes.
  CropWindow fixed_window(const std::string& key, std::int64_t view, std::int64_t pass) const {
    Stream stream(kWindowKey, stream_index(key),
                  static_cast<std::uint64_t>(view) * kWindowStride + static_cast<std::uint64_t>(pass));
    return draw_crop(stream, settings_.side, {settings_.crop_least, settings_.crop_most});
  }

  // Observations of sets for training and evaluations, from the cache of views.
  torch::Tensor stored(const Latents& latents, std::uint64_t seed, Purpose purpose, ObjectPart part,
                       std::span<const SetRange> ranges, const Rows& rows) const {
    const std::vector<UsableObject>& members = members_of(part);
    std::vector<ViewCache::View> views(static_cast<std::size_t>(rows.total()));
    std::vector<CropWindow> windows(views.size());
    const double* psi = latents.psi.const_data_ptr<double>();
    rows.pieces(0, rows.total(), [&](std::size_t k, std::int64_t first, std::int64_t count, std::int64_t at) {
      const std::size_t object = place_of(psi[k], members.size());
      for (std::int64_t j = 0; j < count; ++j) {
        Draw draw = pooled(part) ? draw_pooled(seed, purpose, ranges[k].index, first + j)
                                 : draw_fresh(seed, purpose, ranges[k].index, first + j);
        if (pooled(part)) draw.window = fixed_window(members[object].key, draw.view, draw.pass);
        views[static_cast<std::size_t>(at + j)] = {object, draw.view};
        windows[static_cast<std::size_t>(at + j)] = draw.window;
      }
    });
    return crop_images(views_of(part).read(views), windows);
  }

  // Observations of sets for display.
  torch::Tensor shown(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                      const Rows& rows) const {
    torch::Tensor images = at::empty({rows.total(), 1, settings_.side, settings_.side}, torch::kUInt8);
    std::vector<CropWindow> windows(static_cast<std::size_t>(rows.total()));
    const double* psi = latents.psi.const_data_ptr<double>();
    const std::int64_t plane = settings_.side * settings_.side;
    auto* const to = images.mutable_data_ptr<std::uint8_t>();
    rows.pieces(0, rows.total(), [&](std::size_t k, std::int64_t first, std::int64_t count, std::int64_t at) {
      const auto item = find_item(psi[k]);
      const torch::Tensor views = item ? item->views : showcase_.views(place_of(psi[k], showcase_.size()));
      const auto* const from = views.const_data_ptr<std::uint8_t>();
      for (std::int64_t j = 0; j < count; ++j) {
        const Draw draw = draw_fresh(seed, purpose, ranges[k].index, first + j);
        std::copy_n(from + draw.view * plane, plane, to + (at + j) * plane);
        windows[static_cast<std::size_t>(at + j)] = draw.window;
      }
    });
    return crop_images(images, windows);
  }

  // The objects by part, measured on first use; with progress and stop if given.
  const ObjectParts& divided(const Preparation* preparation = nullptr) const {
    const std::lock_guard lock(measure_mutex_);
    if (!parts_) {
      const auto reported = [&](std::size_t done, std::size_t total) {
        if (preparation && preparation->progress)
          preparation->progress("meshes measured", static_cast<std::int64_t>(done), static_cast<std::int64_t>(total));
      };
      parts_ = divide_objects(
          measure_meshes(*source_, caches_folder(), count_, preparation ? preparation->stop : stop_here(), reported));
    }
    return *parts_;
  }
  const std::vector<UsableObject>& members_of(ObjectPart part) const { return divided().of(part, source_->name()); }

  // Without an explicit stop, uses the thread's interruption point.
  static std::function<bool()> stop_here() {
    return [] {
      interruption_point();
      return false;
    };
  }

  static std::filesystem::path views_folder() { return caches_folder() / "views"; }

  void fill(const std::vector<const UsableObject*>& objects, const std::function<bool()>& stop,
            const std::function<void(const ViewCacheProgress&)>& progress) const {
    std::vector<std::string> keys;
    for (const UsableObject* object : objects) keys.push_back(object->key);
    bool reported = false;
    const ViewCacheReport report = fill_view_cache(
        views_folder(), view_settings_, keys,
        [&](std::size_t i) {
          if (!std::exchange(reported, true))
            spdlog::info("Rendering {} views of each of {} of {}", settings_.views, counted(objects.size(), "object"),
                         source_->name());
          return source_->mesh(objects[i]->object);
        },
        stop, progress);
    for (const std::string& damaged : report.damaged) spdlog::warn("{}", damaged);
  }
  std::unique_ptr<const ViewCache> open(const std::vector<UsableObject>& members) const {
    std::vector<std::string> keys;
    for (const UsableObject& object : members) keys.push_back(object.key);
    return std::make_unique<const ViewCache>(views_folder(), view_settings_, keys);
  }
  // The views of a part, rendered now unless prepare() has done so.
  const ViewCache& views_of(ObjectPart part) const {
    const std::vector<UsableObject>& members = members_of(part);
    const std::lock_guard lock(render_mutex_);
    auto& cache = caches_[static_cast<std::size_t>(part)];
    if (!cache) {
      std::vector<const UsableObject*> needed;
      for (const UsableObject& object : members) needed.push_back(&object);
      fill(needed, stop_here(), {});
      cache = open(members);
    }
    return *cache;
  }

  // Reads, measures and renders a mesh file. Throws Error.
  Item read(const std::string& text, const std::string& up_asked) const {
    const auto asked = up_axis(up_asked);
    if (!up_asked.empty() && !asked)
      fail_usage("No axis of a mesh is called '{}': give x, y or z", printable(up_asked, 30));
    const std::filesystem::path file = text;
    const std::string bytes = read_file(file, kLargestMeshFile);
    const auto format = mesh_format(file);
    if (const std::string kind = unread_mesh_name(file); !kind.empty())
      fail_usage("{} is {}, which is not read; meshes are read from {} files: convert it to one of these",
                 printable(text, 300), kind, kMeshFormats);
    PAIRS_CHECK(format.has_value(), "{} is no mesh file: give {}", printable(text, 300), item_help());
    const TriangleMesh mesh = parse_mesh(bytes, *format, printable(text, 300)).mesh;
    Item out;
    out.facts = measure_mesh(mesh);
    PAIRS_CHECK(out.facts.set_aside.empty(), "{} cannot be used: {}", printable(text, 300), out.facts.set_aside);
    const std::optional<StatedUp> reported = stated_up(bytes, *format);
    const UpAxis up = asked ? *asked : reported ? reported->up : UpAxis::z;
    out.key =
        fmt::format("file {:016x}{}", mesh_key_hash(bytes), up == UpAxis::z ? "" : fmt::format(" {} up", up_text(up)));
    out.number = -1.0 - static_cast<double>(mesh_key_hash(out.key) % kItemNumbers);
    out.label = printable(file.filename().string(), 80);
    out.read_as =
        fmt::format("{} is read as {}-up, {}", out.label, up_text(up),
                    asked      ? "as asked"
                    : reported ? reported->how
                               : "as the meshes of training are; OBJ files are often y-up: look at the views");
    out.mesh = normalized_mesh(turned_upright(mesh, up));
    out.views = render_views(out.mesh, view_settings_, out.key);
    return out;
  }
  std::shared_ptr<const Item> remember(Item item) const {
    auto kept = std::make_shared<const Item>(std::move(item));
    const std::lock_guard lock(items_mutex_);
    std::erase_if(items_, [&](const auto& other) { return other->number == kept->number; });
    items_.push_back(kept);
    if (items_.size() > kRememberedItems) items_.pop_front();
    return kept;
  }
  // Null for numbers of the showcase. Throws Error for a mesh that is no longer kept.
  std::shared_ptr<const Item> find_item(double number) const {
    if (number >= 0) return nullptr;
    const std::lock_guard lock(items_mutex_);
    for (const auto& item : items_)
      if (item->number == number) return item;
    fail("The mesh of object {} is no longer at hand; open its file again", number);
  }

  ObjectsSettings settings_;
  std::shared_ptr<const MeshSource> source_;
  std::size_t count_;  // only the first ones of the source are used
  ViewSettings view_settings_;
  ObjectShowcase showcase_;
  TaskInfo info_;
  mutable std::mutex measure_mutex_, render_mutex_, items_mutex_;  // sets for display only wait for the last
  mutable std::optional<ObjectParts> parts_;
  mutable std::array<std::unique_ptr<const ViewCache>, kObjectParts> caches_;
  mutable bool prepared_ = false;
  mutable std::deque<std::shared_ptr<const Item>> items_;
};

}  // namespace

std::shared_ptr<const Task> make_objects_of(std::shared_ptr<const MeshSource> source, const ObjectsSettings& settings) {
  return std::make_shared<Objects>(std::move(source), settings, "");
}

std::shared_ptr<const Task> make_objects(const TaskOptions& options) {
  const auto settings = options.settings.as<ObjectsSettings>();
  if (std::error_code ignored; !options.data.empty() && !std::filesystem::is_directory(options.data, ignored))
    fail_usage("There is no data folder {}: name one that holds meshes (.off, .obj, .stl or .ply)",
               printable(options.data, 300));
  if (const std::filesystem::path folder = find_meshes(options.data).folder; !folder.empty())
    return std::make_shared<Objects>(mixed_meshes(open_mesh_folder(folder)), settings, "");
  const std::size_t count = settings.objects > 0 ? static_cast<std::size_t>(settings.objects) : kUsualObjects;
  return std::make_shared<Objects>(
      make_generated_objects(count, kGeneratedSeed), settings,
      "These objects are generated by the program: for real ones, name a folder of meshes (ModelNet40 as it is "
      "distributed, or OFF, OBJ, STL and PLY files of any kind) under Real data on the window's Settings page, or in "
      "PAIRS_DATA before the start.");
}

}  // namespace pairs

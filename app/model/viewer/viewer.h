#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "app/model/hub/hub.h"
#include "app/model/hub/posterior_page.h"
#include "core/report/figure.h"
#include "render/scene.h"

namespace pairs::model {

using PicturePointer = std::shared_ptr<const Picture>;

// How far a target camera can be moved here, in radians; what training had is in render::scene_prior.
inline constexpr double kElevationLow = 0, kElevationHigh = std::numbers::pi / 2;
// Spread and error of a channel's value that the end of the heat maps' colours stands for.
inline constexpr double kHeatMost = 0.25;

// What the viewer shows: a run of a task, or the task alone.
struct ViewerInfo {
  std::string name;                   // of the run, for people; empty without one
  std::int64_t size = 64;             // pixels along an image's side
  std::int64_t spheres = 3;           // in a scene
  double half_width = 1.5;            // half of the image plane's width in world units
  std::int64_t most = 100;            // observed views that a set can hold
  std::int64_t trained = 0;           // largest N that the run saw in training
  std::vector<std::int64_t> sizes;    // the only N that can be asked for, of a run with a head for each; else empty
  std::int64_t steps = 0;             // from noise to a sample
  std::vector<std::string> warnings;  // a sentence each
};

// Mean squared errors over pixels and channels of images in [0, 1]; NaN where not known yet.
struct ViewerNumbers {
  double sample = NAN;    // of one sample, on average
  double mean = NAN;      // of the samples' mean
  double expected = NAN;  // of the estimate of E[θ | X] from one evaluation
  double prior = NAN;     // of the prior's mean image
  double variance = NAN;  // of the samples, a pixel: the spread
};

// The posterior of the target view at one N, as far as it is worked out. Immutable once published.
struct ViewerSnapshot {
  std::uint64_t version = 0;  // grows with each
  std::int64_t n = 0;
  PicturePointer truth;                // as the estimator would see it
  PicturePointer expected;             // E[θ | X]
  PicturePointer mean, spread, error;  // of the finished samples; null before there are some; spread needs two
  // Each sample's way from noise to image; those in work end where they are.
  std::vector<std::vector<PicturePointer>> samples;
  std::int64_t stride = 1;                // steps between two pictures of a way; the last step is always there
  std::int64_t finished = 0, wanted = 0;  // samples
  ViewerNumbers numbers;
  std::vector<std::string> warnings;
};

// What can be written to disk.
enum class ViewerExport {
  grid,       // views, truth, samples, mean and spread as .png
  animation,  // the same with N growing, as .webp
  views,      // the observed views for "infer", as .npz
  scene,      // the scene for "render", as .toml
};
const char* export_ending(ViewerExport kind);  // ".png", ...

// Views of a scene in the window: a scene of spheres, cameras that observe it, and what a target camera would see:
// truth, and samples of the estimator's posterior from the first N views. Pictures and samples are worked out in the
// background; what is asked for last is worked out first.
class Viewer : public PosteriorPage {
 public:
  explicit Viewer(Hub& hub);
  ~Viewer() override;
  void accept(PosteriorPageVisitor& visitor) override { visitor.visit(*this); }
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;

  // Shows a run: a folder, or a task's name for its shipped weights; empty: scene and cameras alone. The scene stays
  // where it has as many spheres as the run's scenes.
  void open(const std::string& run) override;
  // Shows nothing and works at nothing.
  void close() override;
  const std::string& run() const;
  // Reads the run again.
  void reload() override;

  // The scene: another draw of the prior with as many observed cameras of its own; or one changed by hand, where every
  // change is settled so that spheres stay apart and within the prior's reach.
  void new_set() override;
  void set_seed(std::int64_t seed);
  std::int64_t seed() const;
  bool edited() const;  // the scene is no longer the seed's
  const render::SphereScene& scene() const;
  void set_sphere(std::size_t k, const render::Sphere& sphere);
  void set_light(double azimuth, double elevation);
  void set_background(const double color[3]);
  // The sphere nearest to the target camera at a place of the image plane, in units of half its width: u to the right,
  // v up, both within -1 and 1.
  std::optional<std::size_t> sphere_at(double u, double v) const;
  // Puts sphere k where `from` would be if it moved in the target's image plane, and away from the camera, by so much
  // in units of the half-width.
  void move_sphere(std::size_t k, const render::Sphere& from, double du, double dv, double away = 0);
  // Shows the scene of a file, brought within the prior's reach. Why not, in a sentence, or "".
  std::string open_scene(const std::filesystem::path& file);
  // Of a scene's file; data of a person's own are refused.
  std::optional<std::string> open_data(const std::filesystem::path& path, bool images) override;
  Question question() const override;
  void restore(const Question& question) override;
  // Back to the scene of the seed.
  void undo_edits();
  void set_selected(std::size_t k);
  std::size_t selected() const;  // below scene().spheres.size()

  // The observed cameras in order. Each is a draw of the prior; at most info()->most. N of them are used, 0 where there
  // are none.
  const std::vector<render::Camera>& views() const;
  void add_view();
  void fill_views();
  void remove_view(std::size_t k);
  void clear_views();
  // Why no view can be added; "" when one can.
  std::string add_blocked() const;

  // The target camera. The elevation is kept within kElevationLow and kElevationHigh, the azimuth within a turn.
  const render::Camera& target() const;
  void set_target(const render::Camera& camera);
  void orbit(double azimuth, double elevation);  // by so much
  // A sentence on what training never saw of what is set by hand; "" when it saw the like.
  std::string beyond() const;

  // How many samples are wanted: a square number.
  void set_samples(std::int64_t count);
  std::int64_t samples() const;

  // Pixels along a side of the live truth, up to 512.
  void set_truth_side(int pixels);
  // The scene from the target camera; null before the first.
  PicturePointer truth() const;
  // The observed views in their order as the estimator sees them, without noise; null entries are on their way.
  const std::vector<PicturePointer>& view_pictures() const;

  const ViewerInfo& info() const;
  bool loaded() const;  // info() is of run()
  // The newest there is, perhaps of another N than n(); null before the first and without views.
  std::shared_ptr<const ViewerSnapshot> shown() const;
  const std::string& failure() const;  // why the run cannot be shown; a sentence or nothing

  // Commands that do without the window: the truth, which a scene file must hold once edited, and the samples, for
  // which the views must have been saved. Empty where there is none; `why` then says why.
  std::string render_command(std::string* why = nullptr) const;
  std::string infer_command(std::string* why = nullptr) const;

  // Writes in the background, beside the file and renamed. One at a time; why not now, or "".
  std::string export_blocked(ViewerExport kind) const;
  void start_export(ViewerExport kind, const std::filesystem::path& file);
  void cancel_export();
  bool exporting() const;
  double export_share() const;                // 0 to 1
  const std::string& export_failure() const;  // of the last one; a sentence or nothing
  // The file of the last export that succeeded, once; empty when there is none new.
  std::filesystem::path take_exported();

  // Takes over what background work has finished, moves a playing N on. True when something shown has changed.
  bool poll();
  bool busy() const;
  std::string activity() const;
  bool wait(double seconds);

 private:
  bool ready() const override;
  void follow_player() override;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::model

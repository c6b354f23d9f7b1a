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

// The range of the target camera in radians; render::scene_prior has the range in training.
inline constexpr double kElevationLow = 0, kElevationHigh = std::numbers::pi / 2;
// The spread or error of a channel at the last color of the heat maps.
inline constexpr double kHeatMost = 0.25;

// The content of the viewer: a run of a task, or only the task.
struct ViewerInfo {
  std::string name;                   // display name of the run; empty without one
  std::int64_t size = 64;             // pixels along an image's side
  std::int64_t spheres = 3;           // number in a scene
  double half_width = 1.5;            // half of the image plane's width in world units
  std::int64_t most = 100;            // maximum number of observed views
  std::int64_t trained = 0;           // largest N in the run's training
  std::vector<std::int64_t> sizes;    // the only possible N, if the run has one head per N; else empty
  std::int64_t steps = 0;             // number of steps from noise to a sample
  std::vector<std::string> warnings;  // a sentence each
};

// Mean squared errors over pixels and channels of images in [0, 1]; NaN if unknown.
struct ViewerNumbers {
  double sample = NAN;    // of one sample, on average
  double mean = NAN;      // of the samples' mean
  double expected = NAN;  // of the direct estimate of E[θ | X]
  double prior = NAN;     // of the prior's mean image
  double variance = NAN;  // of the samples, per pixel: the spread
};

// The posterior of the target view at one N, as far as computed. Immutable once published.
struct ViewerSnapshot {
  std::uint64_t version = 0;  // grows with each snapshot
  std::int64_t n = 0;
  PicturePointer truth;                // as the estimator would see it
  PicturePointer expected;             // E[θ | X]
  PicturePointer mean, spread, error;  // of the finished samples; null until available (spread: two samples)
  // The steps of each sample from noise to image; unfinished samples end at their current step.
  std::vector<std::vector<PicturePointer>> samples;
  std::int64_t stride = 1;                // steps between two pictures of a sample; the last step is included
  std::int64_t finished = 0, wanted = 0;  // numbers of samples
  ViewerNumbers numbers;
  std::vector<std::string> warnings;
};

// The kinds of files that can be exported.
enum class ViewerExport {
  grid,       // views, truth, samples, mean and spread as .png
  animation,  // the grid with N growing, as .webp
  views,      // the observed views for "infer", as .npz
  scene,      // the scene for "render", as .toml
};
const char* export_ending(ViewerExport kind);  // ".png", ...

// Views of a scene in the window: a scene of spheres, the cameras that observe it, and the image of a target camera:
// the truth, and samples of the estimator's posterior given the first N views. Everything is computed in the
// background, the latest request first.
class Viewer : public PosteriorPage {
 public:
  explicit Viewer(Hub& hub);
  ~Viewer() override;
  void accept(PosteriorPageVisitor& visitor) override { visitor.visit(*this); }
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;

  // Shows a run: a folder, or a task's name for its shipped weights; empty: only scene and cameras. The scene stays if
  // it has as many spheres as the run's scenes.
  void open(const std::string& run) override;
  // Clears the page and stops its work.
  void close() override;
  const std::string& run() const;
  // Rereads the run.
  void reload() override;

  // Chooses the scene: another one from the prior, with as many new observed cameras; or one edited by hand, where each
  // edit is adjusted so that spheres do not overlap and stay within the prior's range.
  void new_set() override;
  void set_seed(std::int64_t seed);
  std::int64_t seed() const;
  bool edited() const;  // whether the scene differs from the seed's
  const render::SphereScene& scene() const;
  void set_sphere(std::size_t k, const render::Sphere& sphere);
  void set_light(double azimuth, double elevation);
  void set_background(const double color[3]);
  // The frontmost sphere for the target camera at a point of the image plane, in units of half its width: u to the
  // right, v up, both from -1 to 1.
  std::optional<std::size_t> sphere_at(double u, double v) const;
  // Moves sphere k to the place of `from` shifted in the target's image plane, and away from the camera, in units of
  // the half-width.
  void move_sphere(std::size_t k, const render::Sphere& from, double du, double dv, double away = 0);
  // Shows the scene of a file, adjusted to the prior's range. Returns why it cannot, as a sentence, or "".
  std::string open_scene(const std::filesystem::path& file);
  // Opens a scene's file; refuses the user's own data.
  std::optional<std::string> open_data(const std::filesystem::path& path, bool images) override;
  Question question() const override;
  void restore(const Question& question) override;
  // Back to the scene of the seed.
  void undo_edits();
  void set_selected(std::size_t k);
  std::size_t selected() const;  // below scene().spheres.size()

  // The observed cameras in order, each drawn from the prior; at most info()->most. The first N are used, 0 if there
  // are none.
  const std::vector<render::Camera>& views() const;
  void add_view();
  void fill_views();
  void remove_view(std::size_t k);
  void clear_views();
  // Why no view can be added; "" if one can.
  std::string add_blocked() const;

  // The target camera. Its elevation stays between kElevationLow and kElevationHigh, its azimuth within a turn.
  const render::Camera& target() const;
  void set_target(const render::Camera& camera);
  void orbit(double azimuth, double elevation);  // turns by these angles
  // A sentence on which manual settings are outside the training range; "" if none.
  std::string beyond() const;

  // Sets the number of samples, a square number.
  void set_samples(std::int64_t count);
  std::int64_t samples() const;

  // Sets the side of the live truth in pixels, up to 512.
  void set_truth_side(int pixels);
  // The true image of the target camera; null before the first.
  PicturePointer truth() const;
  // The observed views in order, as the estimator sees them but without noise; null entries are pending.
  const std::vector<PicturePointer>& view_pictures() const;

  const ViewerInfo& info() const;
  bool loaded() const;  // whether info() belongs to run()
  // The newest snapshot, perhaps of another N than n(); null before the first and without views.
  std::shared_ptr<const ViewerSnapshot> shown() const;
  const std::string& failure() const;  // why the run cannot be shown: a sentence or ""

  // The commands that render the truth, for which an edited scene must be saved, and that draw the samples, for which
  // the views must be saved. Empty if there is none; `why` then gives the reason.
  std::string render_command(std::string* why = nullptr) const;
  std::string infer_command(std::string* why = nullptr) const;

  // Exports in the background, through a temporary file. One export at a time: export_blocked gives the reason, or "".
  std::string export_blocked(ViewerExport kind) const;
  void start_export(ViewerExport kind, const std::filesystem::path& file);
  void cancel_export();
  bool exporting() const;
  double export_share() const;                // 0 to 1
  const std::string& export_failure() const;  // of the last export: a sentence or ""
  // The file of the last successful export, returned once; else empty.
  std::filesystem::path take_exported();

  // Takes over finished background work and advances a playing N. Returns whether something shown has changed.
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

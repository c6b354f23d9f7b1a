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
#include "app/model/viewer/viewer_cameras.h"
#include "app/model/viewer/viewer_exports.h"
#include "app/model/viewer/viewer_scene.h"
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
  std::unique_ptr<ViewerState> state_;

 public:
  explicit Viewer(Hub& hub);
  ~Viewer() override;
  void accept(PosteriorPageVisitor& visitor) override { visitor.visit(*this); }
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;

  // Its parts, by the widgets that show them.
  ViewerScene scene{*state_};
  ViewerCameras cameras{*state_};
  ViewerExports exports{*state_};

  // Shows a run: a folder, or a task's name for its shipped weights; empty: only scene and cameras. The scene stays if
  // it has as many spheres as the run's scenes.
  void open(const std::string& run) override;
  // Clears the page and stops its work.
  void close() override;
  const std::string& run() const;
  // Rereads the run.
  void reload() override;

  // Chooses another scene from the prior.
  void new_set() override;
  // Opens a scene's file; refuses the user's own data.
  std::optional<std::string> open_data(const LookedPath& looked) override;
  Question question() const override;
  void restore(const Question& question) override;

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

  // Takes over finished background work and advances a playing N. Returns whether something shown has changed.
  bool poll();
  bool busy() const;
  std::string activity() const;
  bool wait(double seconds);

 private:
  bool ready() const override;
  void follow_player() override;
};

}  // namespace pairs::model

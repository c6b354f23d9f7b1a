#include "app/model/viewer/viewer_engine.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <span>

#include "app/model/viewer/view_pictures.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/report/number_text.h"

namespace pairs::model {
namespace {

constexpr std::int64_t kKeptStates = 64;  // steps stored between noise and image
constexpr double kStateInterval = 0.08;   // seconds between pictures of unfinished samples
constexpr double kLeastWork = 0.12;       // seconds of embedding granted to a stale request after a silence
constexpr double kLongestSilence = 0.25;  // maximum time without a new picture during a drag or wait

std::vector<double> scene_row(const render::SphereScene& scene) {
  std::vector<double> row(
      static_cast<std::size_t>(render::scene_columns(static_cast<std::int64_t>(scene.spheres.size()))));
  render::pack_scene(scene, row.data());
  return row;
}

}  // namespace

struct ViewerEngine::Parts {
  explicit Parts(ResultBoard<ViewerResult>& result) : board(result) {}

  // The input of the current samples.
  struct Question {
    std::vector<double> scene, cameras;  // cameras of the used views, then the target
    bool operator==(const Question&) const = default;
  };

  // State of the worker's thread.
  std::unique_ptr<ViewPosterior> posterior;
  std::uint64_t load = 0;
  Question question;
  std::int64_t n = 0;                               // number of views for the following members
  torch::Tensor context, truth, expected, samples;  // samples [S, 3, H, W], undefined before the first
  std::vector<std::vector<PicturePointer>> paths;   // of finished samples, then of unfinished ones
  PicturePointer truth_picture, expected_picture, mean, spread, error;
  std::vector<std::string> warnings;
  Stopwatch since_publish;
  std::uint64_t snapshots = 0;

  ResultBoard<ViewerResult>& board;
  std::atomic<std::int64_t> embedded{0};  // read from any thread

  std::int64_t stride() const { return (posterior->steps() + kKeptStates - 1) / kKeptStates; }
  std::int64_t finished() const { return samples.defined() ? samples.size(0) : 0; }

  void load_run(const ViewerRequest& request);
  bool ask(const ViewerRequest& request, const Stale& stale);
  void estimate(const ViewerRequest& request, std::span<const render::Camera> views);
  void sample(std::int64_t wanted, std::int64_t until, const Stale& stale);
  void show(std::int64_t wanted);
};

void ViewerEngine::Parts::load_run(const ViewerRequest& request) {
  if (request.load == load) return;
  load = request.load;
  posterior.reset();
  question = {};
  embedded = 0;
  board.publish([&](ViewerResult& n) {
    n = ViewerResult();
    n.load = request.load;
  });
  if (request.run.empty()) return;
  board.now("loading " + request.run);
  try {
    posterior = std::make_unique<ViewPosterior>(request.tasks, request.run, request.data, request.device);
  } catch (const std::exception& problem) {
    board.publish([&](ViewerResult& n) { n.failure = sentence(problem); });
    return;
  }
  board.publish([&](ViewerResult& n) { n.info = std::make_shared<ViewerInfo>(viewer_info(*posterior)); });
}

// The direct posterior-mean estimate, from one evaluation of the network.
void ViewerEngine::Parts::estimate(const ViewerRequest& request, std::span<const render::Camera> views) {
  board.now("estimating the view");
  n = static_cast<std::int64_t>(views.size());
  context = posterior->context(posterior->embeddings().aggregate(views), n, request.target);
  truth = posterior->truth(request.scene, request.target);
  expected = posterior->expected(context, n);
  samples = torch::Tensor();
  paths.clear();
  truth_picture = picture_of(truth);
  expected_picture = picture_of(expected);
  mean = spread = nullptr;
  error = heat_picture(error_of(expected, truth));
  warnings.clear();
  for (const PosteriorWarning& one : posterior->warnings(n)) warnings.push_back(one.text);
  show(request.samples);
}

// Switches to the request's scene, cameras and N, up to the estimate of the mean. Returns false if there is nothing to
// sample.
bool ViewerEngine::Parts::ask(const ViewerRequest& request, const Stale& stale) {
  if (static_cast<std::int64_t>(request.scene.spheres.size()) != posterior->views().spheres()) return false;
  const auto wanted = static_cast<std::size_t>(std::min(request.n, static_cast<std::int64_t>(request.views.size())));
  if (wanted < 1) {
    question = {};
    board.publish([](ViewerResult& news_now) { news_now.snapshot = nullptr; });
    return false;
  }
  const std::span<const render::Camera> views(request.views.data(), wanted);
  Question asked{scene_row(request.scene), {}};
  for (const render::Camera& view : views) asked.cameras.insert(asked.cameras.end(), {view.azimuth, view.elevation});
  asked.cameras.insert(asked.cameras.end(), {request.target.azimuth, request.target.elevation});
  if (asked == question) return true;

  question = {};
  ViewEmbeddings& embeddings = posterior->embeddings();
  embeddings.show(request.scene, request.target);
  // During a drag, or while many views are embedded, shows the result of the first ones.
  for (Stopwatch work;; work.restart()) {
    board.now("embedding the observed views");
    const auto go_on = [&] {
      return since_publish.seconds() > kLongestSilence ? work.seconds() < kLeastWork : !stale();
    };
    const std::size_t ready = embeddings.embed(views, go_on);
    embedded = embeddings.count();
    if (ready == wanted) break;
    if (ready > 0 && since_publish.seconds() > kLongestSilence && posterior->sizes().empty())
      estimate(request, views.first(ready));
    if (stale()) throw Stopped();
  }
  estimate(request, views);
  question = std::move(asked);
  return true;
}

void ViewerEngine::Parts::show(std::int64_t wanted) {
  auto snapshot = std::make_shared<ViewerSnapshot>();
  snapshot->version = ++snapshots;
  snapshot->n = n;
  snapshot->truth = truth_picture;
  snapshot->expected = expected_picture;
  snapshot->mean = mean;
  snapshot->spread = spread;
  snapshot->error = error;
  snapshot->samples = paths;
  snapshot->stride = stride();
  snapshot->finished = finished();
  snapshot->wanted = std::max(wanted, finished());
  snapshot->numbers = viewer_numbers(samples, expected, truth, posterior->mean_image());
  snapshot->warnings = warnings;
  board.publish([&](ViewerResult& newest) {
    newest.snapshot = snapshot;
    newest.failure.clear();
  });
  since_publish.restart();
}

// Draws samples up to number `until`.
void ViewerEngine::Parts::sample(std::int64_t wanted, std::int64_t until, const Stale& stale) {
  const std::int64_t first = finished(), count = until - first, steps = posterior->steps();
  if (count <= 0) return;
  paths.resize(static_cast<std::size_t>(first));
  paths.resize(static_cast<std::size_t>(until));
  const torch::Tensor drawn =
      posterior->samples(context, n, first, count, [&](std::int64_t step, const torch::Tensor& state) {
        if (stale()) return false;
        if (step % stride() != 0 && step != steps) return true;
        for (std::int64_t k = 0; k < count; ++k)
          paths[static_cast<std::size_t>(first + k)].push_back(picture_of(state[k]));
        if (step < steps && since_publish.seconds() > kStateInterval) {
          board.now(count == 1
                        ? fmt::format("sample {} of {}, step {} of {}", until, wanted, step, steps)
                        : fmt::format("samples {} to {} of {}, step {} of {}", first + 1, until, wanted, step, steps));
          show(wanted);
        }
        return true;
      });
  if (!drawn.defined()) {
    paths.resize(static_cast<std::size_t>(first));
    throw Stopped();
  }
  samples = samples.defined() ? at::cat({samples, drawn}) : drawn;
  const torch::Tensor average = samples.mean(0);
  mean = picture_of(average);
  error = heat_picture(error_of(average, truth));
  if (finished() > 1) spread = heat_picture(spread_of(samples));
  show(wanted);
}

ViewerEngine::ViewerEngine(std::function<void()> wake)
    : ResultBoard(std::move(wake)), parts_(std::make_unique<Parts>(*this)) {}
ViewerEngine::~ViewerEngine() = default;

std::int64_t ViewerEngine::embedded() const {
  return parts_->embedded.load();
}

void ViewerEngine::work(const ViewerRequest& request, const Stale& stale) {
  Parts& p = *parts_;
  torch::NoGradGuard no_grad;
  try {
    p.load_run(request);
    if (p.posterior && p.ask(request, stale)) {
      for (std::int64_t side = 1; side * side <= request.samples; ++side) {
        if (stale()) throw Stopped();
        p.sample(request.samples, side * side, stale);
      }
      const ViewerResult last = result();
      if (last.snapshot && last.snapshot->wanted != std::max(request.samples, p.finished())) p.show(request.samples);
    }
  } catch (const Stopped&) {
    now("");
    throw;
  } catch (const std::exception& problem) {
    p.question = {};
    publish([&](ViewerResult& n) { n.failure = sentence(problem); });
  }
  now("");
}

}  // namespace pairs::model

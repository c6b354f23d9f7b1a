#include "app/posterior/figures/posterior_pictures.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <memory>

#include "app/kinds/target/image_samples.h"
#include "app/posterior/figures/posterior_figure.h"
#include "app/posterior/set_posterior/set_posterior.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

// The posterior of the image for the largest number of observations of the estimator.
PosteriorPictures image_posterior(const LoadedRun& run, const std::function<bool()>& keep_going) {
  constexpr std::int64_t kGroups = 5, kTogether = 5;  // between checks for cancellation
  const ImageTarget& image = run.task->info().image;
  const std::int64_t n = run.estimator->max_n();
  SetPosterior posterior(std::make_shared<ObservedSet>(run.task, SetChoice()), {{run}});
  posterior.embed_until(n, keep_going);
  const PosteriorAnswer answer = posterior.answer(n);
  std::vector<torch::Tensor> groups;
  for (std::int64_t k = 0; k < kGroups; ++k) {
    if (!keep_going()) throw Stopped();
    groups.push_back(posterior.samples(answer, kTogether, kFigureSeed + static_cast<std::uint64_t>(k))
                         .view({kTogether, image.channels, image.height, image.width}));
  }
  const torch::Tensor truth = posterior.set().latents().theta.view({image.channels, image.height, image.width});
  PosteriorPictures out;
  out.files.emplace_back("posterior-truth.png", image_picture(truth, image));
  for (const auto& [name, bytes] : image_sample_pictures(at::cat(groups), image))
    out.files.emplace_back("posterior-" + name, bytes);
  out.what = fmt::format("truth, samples, mean and sd of the posterior at N = {} as posterior-*.png, the last", n);
  return out;
}

}  // namespace

PosteriorPictures posterior_pictures(const LoadedRun& run, const std::function<bool()>& keep_going) {
  if (!not_drawn(*run.estimator).empty()) return image_posterior(run, keep_going);
  return {{{"posterior", posterior_figure({run}, {.keep_going = keep_going})}}, {}, "posterior"};
}

}  // namespace pairs

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/posterior/set_posterior/set_posterior.h"
#include "app/posterior/source/other_prior.h"
#include "core/report/figure.h"

namespace pairs {

// A source under another prior, by its answer: the posterior that was made anew; or the density times the ratio of
// priors divided by the evidence, and kDerivedDraws samples, resampled by their weights (sampling importance
// resampling). Sampling throws Error if all weights are zero.
PosteriorSource source_under(std::shared_ptr<const OtherPrior> prior, const PosteriorSource& source,
                             const ReweighedPosterior& under);

// The numbers and densities of a source under another prior, confined to the targets' supports; none if they cannot be
// drawn.
std::optional<PosteriorNumbers> numbers_under(const std::vector<Target>& targets,
                                              const std::shared_ptr<const OtherPrior>& prior,
                                              const PosteriorSource& source, const ReweighedPosterior& answer);

// The plots of the shown run's posterior under the old and the new prior; none if they cannot be drawn.
std::optional<Figure> prior_figure(const SetPosterior& posterior, const PosteriorAnswer& answer,
                                   const std::shared_ptr<const OtherPrior>& prior, const ReweighedPosterior& under);

}  // namespace pairs

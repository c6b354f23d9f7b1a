#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/posterior/other_prior.h"
#include "app/posterior/set_posterior.h"
#include "core/report/figure.h"

namespace pairs {

// A source under another prior: its density times the ratio of priors over `evidence`, and draws of kDerivedDraws draws
// by their weights (sampling importance resampling). Its sample throws Error where no draw has weight.
PosteriorSource source_under(std::shared_ptr<const OtherPrior> prior, const PosteriorSource& source, double evidence);

// The numbers and densities of a source under another prior, nothing of which lies outside the targets' supports; none
// where they cannot be drawn.
std::optional<PosteriorNumbers> numbers_under(const std::vector<Target>& targets,
                                              const std::shared_ptr<const OtherPrior>& prior,
                                              const PosteriorSource& source, double evidence);

// The plots of the shown run's posterior beside the same under another prior; nothing where that cannot be drawn.
std::optional<Figure> prior_figure(const SetPosterior& posterior, const PosteriorAnswer& answer,
                                   const std::shared_ptr<const OtherPrior>& prior, const ReweighedPosterior& under);

}  // namespace pairs

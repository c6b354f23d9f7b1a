#include "app/posterior/figures/width_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "app/posterior/source/posterior_source.h"
#include "app/runs/run_shades.h"
#include "app/runs/strategy_look.h"
#include "core/aggregate.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/base/threads/one_thread.h"
#include "core/periodic.h"

namespace pairs {
namespace {

constexpr int kPlaces = 20;  // of ψ, and one more

// The results for θ at each ψ over many sets.
struct AgainstNuisance {
  std::string name;
  SeriesRole role = SeriesRole::other;
  LineStyle style = LineStyle::solid;
  bool markers = false;
  // The averages of posterior means and sd, and the median of the latter.
  std::vector<double> psi = {}, mean = {}, sd = {}, median_sd = {};
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void add_place(AgainstNuisance& series, double psi, const std::vector<double>& means, const std::vector<double>& sds) {
  series.psi.push_back(psi);
  series.mean.push_back(mean_of(means));
  series.sd.push_back(mean_of(sds));
  series.median_sd.push_back(median(sds));
}

// The size of the figure: the paper's, or the largest that all runs have.
std::int64_t shown_size(const std::vector<LoadedRun>& runs, const char* figure) {
  PAIRS_CHECK(!runs.empty(), "The figure {} needs at least one run", figure);
  std::int64_t n = 100;
  for (const LoadedRun& run : runs) {
    PAIRS_CHECK(has_width_figure(*run.task),
                "The figure {} is of tasks with one target, one nuisance and references; {} is a run of {}", figure,
                run.name, run.config.task);
    PAIRS_CHECK(run.config.task == runs.front().config.task,
                "The runs {} and {} are of different tasks; draw one task at a time", runs.front().name, run.name);
    n = std::min(n, run.estimator->max_n());
  }
  return n;
}

std::string names_of(const std::vector<LoadedRun>& runs) {
  std::string names;
  for (const LoadedRun& run : runs) names += (names.empty() ? "" : ", ") + run.name;
  return names;
}

// The point at this share of the range that figures of the prior show.
double theta_at(const Target& target, double share) {
  return target.view_low + share * (target.view_high - target.view_low);
}

// The series of runs, of the task's references and of chains, on the same sets of n observations at each ψ.
class NuisanceScan {
 public:
  NuisanceScan(const std::vector<LoadedRun>& runs, std::int64_t n, const WidthOptions& options,
               const std::function<bool()>& keep_going)
      : runs_(runs), task_(*runs.front().task), n_(n), options_(options), keep_going_(keep_going) {
    for (std::int64_t s = 0; s < options.sets; ++s) {
      indices_.push_back(s);
      ranges_.push_back({s, 0, n});
    }
    if (options.mcmc.sets == 0) return;
    PAIRS_CHECK(has_mcmc(task_), "MCMC needs the joint density of targets and nuisances, which task {} does not know",
                task_.info().name);
    report_.emplace(options.mcmc);
  }

  std::vector<AgainstNuisance> at(double theta) {
    series_ = named_series();
    const Nuisance& nuisance = task_.info().nuisances.front();
    for (int place = 0; place <= kPlaces; ++place)
      add(theta, nuisance.view_low + (nuisance.view_high - nuisance.view_low) * place / kPlaces);
    return std::move(series_);
  }
  // The report on all chains.
  const std::optional<McmcReport>& report() const { return report_; }

 private:
  std::vector<AgainstNuisance> named_series() const {
    std::vector<AgainstNuisance> all;
    const std::vector<SeriesRole> roles = run_roles(runs_);
    for (std::size_t r = 0; r < runs_.size(); ++r)
      all.push_back({runs_.size() == 1 ? run_title(runs_[r].config) : runs_[r].name, roles[r], LineStyle::solid, true});
    for (const std::string& name : task_.references()) {
      const SeriesRole role = reference_role(name);
      all.push_back({name, role, posterior_style(role)});
    }
    if (report_) all.push_back({"MCMC (NUTS)", SeriesRole::other, LineStyle::solid, true});
    return all;
  }

  void add(double theta, double psi) {
    const std::int64_t sets = options_.sets;
    const Latents latents = {torch::full({sets, 1}, theta, torch::kFloat64),
                             torch::full({sets, 1}, psi, torch::kFloat64)};
    for (std::size_t r = 0; r < runs_.size(); ++r) add_run(*runs_[r].estimator, latents, psi, series_[r]);
    const Observations x = task_.observe(latents, kFigureSeed, Purpose::explore, ranges_, torch::kCPU);
    for (std::size_t k = 0; k < task_.references().size(); ++k)
      add_reference(task_.references()[k], x, psi, series_[runs_.size() + k]);
    if (report_) add_mcmc(x, psi, series_.back());
  }

  void add_run(Estimator& estimator, const Latents& latents, double psi, AgainstNuisance& series) const {
    StreamOptions options;
    options.keep_going = keep_going_;
    const torch::Tensor aggregates =
        aggregate_sets(estimator, latents, kFigureSeed, Purpose::explore, indices_, n_, options);
    const torch::Tensor drawn = estimator
                                    .sample(aggregates, torch::full({options_.sets}, n_, torch::kInt64), 1000,
                                            stream_key(kFigureSeed, Purpose::posterior))
                                    .to(torch::kCPU, torch::kFloat64);
    const torch::Tensor samples = unrolled(task_.info().targets, drawn, latents.theta).samples;
    add_place(series, psi, doubles(samples.mean(1)), doubles(samples.std(1)));
  }

  void add_reference(const std::string& name, const Observations& x, double psi, AgainstNuisance& series) const {
    std::vector<double> means, sds;
    for (std::int64_t s = 0; s < options_.sets; ++s) {
      if (!keep_going_()) throw Stopped();
      const PosteriorSource posterior = reference_source(task_, name, x.slice(s * n_, (s + 1) * n_));
      means.push_back(posterior.mean[0].item<double>());
      sds.push_back(posterior.sd[0].item<double>());
    }
    add_place(series, psi, means, sds);
  }

  void add_mcmc(const Observations& x, double psi, AgainstNuisance& series) {
    const OneThread one_thread;
    std::vector<double> means, sds;
    for (std::int64_t s = 0; s < std::min(options_.mcmc.sets, options_.sets); ++s) {
      const Observations set = x.slice(s * n_, (s + 1) * n_);
      const McmcAnswer answer = mcmc_answer(task_, set, options_.mcmc, keep_going_);
      const PosteriorSource exact = reference_source(task_, "exact", set);
      report_->add(answer, exact.mean, exact.sd, exact.milliseconds / 1000);
      means.push_back(answer.mean[0].item<double>());
      sds.push_back(answer.sd[0].item<double>());
    }
    add_place(series, psi, means, sds);
  }

  const std::vector<LoadedRun>& runs_;
  const Task& task_;
  std::int64_t n_;
  WidthOptions options_;
  std::function<bool()> keep_going_;
  std::vector<std::int64_t> indices_;
  std::vector<SetRange> ranges_;
  std::vector<AgainstNuisance> series_;
  std::optional<McmcReport> report_;
};

// "200 sets a point", and the number of them with chains.
std::string sets_text(const WidthOptions& options) {
  const std::string all = fmt::format("{} sets per point", options.sets);
  const std::int64_t chains = std::min(options.mcmc.sets, options.sets);
  return chains > 0 && chains < options.sets ? fmt::format("{} ({} of MCMC)", all, chains) : all;
}

}  // namespace

bool has_width_figure(const Task& task) {
  const TaskInfo& info = task.info();
  return info.targets.size() == 1 && info.nuisances.size() == 1 && !task.references().empty();
}

WidthFigure width_figure(const std::vector<LoadedRun>& runs, const WidthOptions& options,
                         const std::function<bool()>& keep_going) {
  const std::int64_t n = shown_size(runs, "width");
  NuisanceScan scan(runs, n, options, keep_going);
  const TaskInfo& info = runs.front().task->info();
  const Target& target = info.targets.front();
  const double theta = theta_at(target, 0.2);
  Plot plot;
  plot.x = {info.nuisances.front().title()};
  plot.y = {"median posterior sd of " + target.label};
  for (AgainstNuisance& series : scan.at(theta)) {
    Line line;
    line.name = series.name;
    line.role = series.role;
    line.style = series.style;
    line.markers = series.markers;
    line.x = series.psi;
    line.y = series.median_sd;
    plot.lines.push_back(std::move(line));
  }
  Figure figure;
  figure.title = fmt::format("{}: posterior width at N = {}, {} = {:.4g}, {}", info.title, n, target.label, theta,
                             sets_text(options));
  figure.source = info.data_source + "; " + names_of(runs);
  figure.plot_width = 460;
  figure.plot_height = 320;
  figure.plots.push_back(std::move(plot));
  return {std::move(figure), scan.report()};
}

WidthFigure location_figure(const std::vector<LoadedRun>& runs, const WidthOptions& options,
                            const std::function<bool()>& keep_going) {
  const std::int64_t n = shown_size(runs, "location");
  NuisanceScan scan(runs, n, options, keep_going);
  const TaskInfo& info = runs.front().task->info();
  const Target& target = info.targets.front();
  Figure figure;
  figure.title = fmt::format("{}: average posterior mean ± sd at N = {}, {}", info.title, n, sets_text(options));
  figure.source = info.data_source + "; " + names_of(runs);
  figure.columns = 2;
  for (const double share : {0.2, 0.4}) {
    const double theta = theta_at(target, share);
    Plot plot;
    plot.title = fmt::format("{} = {:.4g}", target.label, theta);
    plot.x = {info.nuisances.front().title()};
    plot.y = {target.label};
    plot.legend = figure.plots.empty();
    for (const AgainstNuisance& series : scan.at(theta)) {
      Line line;
      line.name = series.name;
      line.role = series.role;
      line.style = series.style;
      line.markers = series.markers;
      line.x = series.psi;
      line.y = series.mean;
      for (std::size_t k = 0; k < series.mean.size(); ++k) {
        line.lower.push_back(series.mean[k] - series.sd[k]);
        line.upper.push_back(series.mean[k] + series.sd[k]);
      }
      plot.lines.push_back(std::move(line));
    }
    Line truth;
    truth.name = "truth";
    truth.role = SeriesRole::truth;
    truth.x = {plot.lines.front().x.front(), plot.lines.front().x.back()};
    truth.y = {theta, theta};
    plot.lines.push_back(std::move(truth));
    figure.plots.push_back(std::move(plot));
  }
  return {std::move(figure), scan.report()};
}

}  // namespace pairs

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <sstream>

#include "app/posterior/answer/item_document.h"
#include "app/posterior/caveats/disagreement_text.h"
#include "app/posterior/caveats/verdict.h"
#include "app/posterior/figures/posterior_figure.h"
#include "app/posterior/files/refined_report.h"
#include "app/posterior/plots/posterior_plots.h"
#include "app/report/report_sections.h"
#include "app/runs/task_words.h"
#include "core/base/text/error.h"
#include "core/eval/metrics/interval.h"
#include "core/given.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

std::string observations_text(std::int64_t n) {
  return count_text(n) + (n == 1 ? " observation" : " observations");
}

std::string answer_text(const ReportContent& content) {
  const TaskInfo& info = content.info();
  if (content.ours.empty())
    return fmt::format("The posterior is given by {} samples below.", count_text(content.samples.size(0)));
  std::vector<std::string> parts;
  for (std::size_t t = 0; t < content.ours.size(); ++t) {
    const TargetNumbers& one = content.ours[t];
    const Interval& most = one.most(content.question.asked.interval);
    const std::string unit = info.targets[t].unit.empty() ? "" : " " + info.targets[t].unit;
    const std::string range = content.question.asked.interval == IntervalKind::upper_limit
                                  ? fmt::format("below {:.4g}{}", most.high, unit)
                                  : fmt::format("{:.4g} to {:.4g}{}", most.low, most.high, unit);
    parts.push_back(fmt::format("{} = {:.4g} ± {:.2g}{} (posterior mean and sd), with probability 90 % {}",
                                info.targets[t].label, one.mean, one.sd, unit, range));
  }
  return fmt::format("{}.", fmt::join(parts, "; "));
}

// The text with a lower-case first letter.
std::string lower_first(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

// The reliability of the posterior, from the tests and measurements.
std::string trust_text(const ReportContent& content) {
  std::vector<std::string> parts;
  if (content.metrics)
    parts.push_back(fmt::format("on {} simulated sets of this size: {}", count_text(content.metrics->rows.front().sets),
                                content.verdict.text.empty() ? "no statement is possible" : content.verdict.text));
  else
    parts.push_back("calibration at this size was not measured");
  parts.push_back("this set: " + lower_first(content.judged.text));
  return fmt::format("How far this can be believed: {}.", fmt::join(parts, "; "));
}

// The figure as drawn by `figure posterior`.
PageFigure posterior_page_figure(const ReportContent& content) {
  const TaskInfo& info = content.info();
  const std::vector<double> truth = content.set().truth();
  PosteriorAxes axes = chosen_axes(content.answer.numbers, info.targets, truth);
  axes.interval = content.question.asked.interval;
  Figure figure = posterior_figure_at(info, content.answer, truth, content.posterior->source_text(), axes);
  figure.plots.front().title = fmt::format("N = {}", count_text(content.n()));
  return {
      std::move(figure),
      info.targets.size() > 1
          ? "Posterior of the targets: the density of each, and of each pair the regions of 50 and 90 % probability."
          : "Posterior density of the target; shaded: the interval of 90 %.",
      content.exact.empty() ? "a sharper curve, while the calibration below stays as it is."
                            : "the solid curve on the dashed one, which is the exact posterior of the model.",
      "several peaks far apart, or a curve cut off at the end of the axis: the data then allow more than one value, or "
      "the prior's range decides.",
      figure_command_of(content, "posterior")};
}

}  // namespace

PageSection summary_section(const ReportContent& content) {
  const TaskInfo& info = content.info();
  PageSection section{"summary", "Question and result", {}};
  const std::string question = info.question.text(content.n(), count_text(content.n()));
  section.blocks.push_back(PageText{question.empty() ? info.theta_text : question});
  section.blocks.push_back(PageText{answer_text(content)});
  if (const std::string text = refined_line(content.answer); !text.empty()) section.blocks.push_back(PageText{text});
  section.blocks.push_back(PageText{trust_text(content)});
  for (const std::string& text : item_texts(content.run, content.set(), content.posterior->runs().front().validated))
    section.blocks.push_back(PageText{text.ends_with('.') ? text : text + "."});
  for (const std::vector<std::string>& sentences : {content.warnings, content.cautions})
    for (const std::string& sentence : sentences) section.blocks.push_back(PageWarning{"Warning: " + sentence + "."});
  if (content.verdict.level == CalibrationLevel::miscalibrated)
    section.blocks.push_back(
        PageWarning{"Warning: on simulated sets of this size the run is not calibrated, so that its probabilities are "
                    "not as stated."});
  if (!content.answer.null.empty()) section.blocks.push_back(PageText{content.answer.null});
  return section;
}

PageSection data_section(const ReportContent& content) {
  ObservedSet& set = content.set();
  PageFacts facts;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) facts.facts.emplace_back(name, value);
  };
  add("source", set.source());
  add("SHA-256", content.digest);
  add("given of the set", given_text(set.task(), set.latents().given));
  add("holds", observations_text(set.held()));
  add("used", fmt::format("N = {}{}", count_text(content.n()),
                          content.n() == set.held() ? ""
                          : content.question.asked.set.random
                              ? fmt::format(", a random subset by seed {}", *content.question.asked.set.random)
                              : ", the first ones"));
  if (!set.taken().empty()) add("columns", fmt::format("{}", fmt::join(set.taken(), ", ")));
  add("read as", set.read_as());
  PageSection section{"data", "Data", {PageText{content.info().x_text}, facts}};
  Figure figure = set.picture(content.n(), prior_view(set.task()));
  if (!figure.plots.empty())
    section.blocks.push_back(PageFigure{
        std::move(figure),
        fmt::format("The observations{}.", set.drawn(content.n()) < content.n()
                                               ? fmt::format(", the first {}", count_text(set.drawn(content.n())))
                                               : ""),
        "", ""});
  return section;
}

PageSection notes_section(const ReportContent& content) {
  PageSection section{"notes", "Notes", {}};
  for (const std::string& note : content.notes) {
    std::istringstream lines(note);
    for (std::string line; std::getline(lines, line);)
      if (line.find_first_not_of(" \t") != line.npos) section.blocks.push_back(PageText{line});
  }
  return section;
}

PageSection posterior_section(const ReportContent& content) {
  PageSection section{
      "posterior", "Posterior", {PageText{content.info().theta_text}, PageText{content.info().psi_text}}};
  section.blocks.push_back(PageTable{
      content.table,
      "Numbers of the posterior; \"exact\", where shown, is the model's own posterior, computed without a network."});
  if (!content.answer.numbers.empty()) section.blocks.push_back(posterior_page_figure(content));
  for (const PagePicture& picture : content.pictures) section.blocks.push_back(picture);
  return section;
}

namespace {

// Sets simulated at this posterior compared with the observed one, if simulation is possible.
void add_predictive_test(PageSection& section, const ReportContent& content) {
  if (!content.predictive) {
    section.blocks.push_back(
        PageText{"The predictive test, which compares this set with sets simulated at the posterior, was not made: " +
                 content.no_predictive + "."});
    return;
  }
  const SetPredictiveTest& test = *content.predictive;
  section.blocks.push_back(PageText{predictive_text(test, content.info())});
  if (test.test.p <= kUnlikeModel)
    section.blocks.push_back(PageWarning{"Warning: the model does not make such a set; use no posterior under it."});
  section.blocks.push_back(PageFigure{
      predictive_figure(test, content.posterior->runs().front().role, content.posterior->source_text()),
      predictive_note(test), "bars that leave the bands in one bin of ten, as those of the model's own sets do.",
      "bars outside of the bands in bins side by side.", figure_command_of(content, "predictive")});
}

}  // namespace

PageSection fit_section(const ReportContent& content) {
  PageSection section{"fit", "Does the model describe the data?", {}};
  const Typicality& typicality = content.answer.typicality;
  section.blocks.push_back(PageText{
      typicality.known
          ? fmt::format("{}. The mean embedding of the set lies at a Mahalanobis distance of {:.3g} from the center of "
                        "training sets of this size, farther than {:.4g} % of them. Above the 99.9th percentile a set "
                        "is out of distribution, and the posterior may be sharp and wrong.",
                        content.judged.text, typicality.distance, typicality.percentile)
          : content.judged.text + "."});
  if (content.usual.within)
    section.blocks.push_back(PageText{within_text(*content.usual.within) +
                                      " It compares how the observations differ among themselves with sets of the "
                                      "whole prior, and rejects the model at p = 0.009 or below."});
  else if (!content.usual.why_not.empty())
    section.blocks.push_back(
        PageText{"How the observations differ among themselves was not tested: " + content.usual.why_not + "."});
  if (const std::string text = disagreement_text(content.answer.disagreement, content.info()); !text.empty())
    section.blocks.push_back(PageText{text + ". Where they differ much the posterior depends on how a run was trained; "
                                             "that they agree does not show that they are right."});
  add_predictive_test(section, content);
  const auto nuisances = content.posterior->nuisances(content.n());
  const auto check =
      nuisances ? content.posterior->check(content.answer, *nuisances, prior_view(content.set().task())) : nullptr;
  if (!check) {
    return section;
  }
  section.blocks.push_back(PageText{check->line});
  if (check->extreme) section.blocks.push_back(PageWarning{"Warning: the model rarely makes such a set."});
  if (check->figure)
    section.blocks.push_back(PageFigure{*check->figure, check->note,
                                        "the observations lie within what the model makes.",
                                        "parts of them where the model makes hardly any."});
  return section;
}

}  // namespace pairs

#include <fmt/format.h>

#include "app/kinds/sample_plot.h"
#include "app/posterior/caveats/local_test_text.h"
#include "app/posterior/checks/foreign_observations.h"
#include "app/report/report_sections.h"

namespace pairs {

PageSection further_section(const ReportContent& content) {
  PageSection section{"further", "Further questions", {}};
  if (content.under) {
    section.blocks.push_back(PageText{reweighed_text(*content.under, content.info(), content.question.asked.interval)});
    if (content.under_exact)
      section.blocks.push_back(PageText{"The exact posterior. " + reweighed_text(*content.under_exact, content.info(),
                                                                                 content.question.asked.interval)});
    if (content.under_figure)
      section.blocks.push_back(
          PageFigure{*content.under_figure,
                     "The posterior under the run's training prior, and under " + content.under->prior + ".",
                     "both alike: the data decide, and the prior hardly matters.",
                     "the second at the edge of the first: few draws lie there, and its numbers are rough."});
  }
  if (content.local) {
    section.blocks.push_back(PageText{local_test_text(*content.local, content.info(), content.n())});
    if (content.local->p_value < kLocallyOff)
      section.blocks.push_back(PageWarning{"Warning: the local test finds this posterior off."});
  }
  if (content.singles) {
    section.blocks.push_back(
        PageText{foreign_text(*content.singles, content.info(), content.set().first(content.n()))});
    if (!content.singles->foreign.empty()) {
      section.blocks.push_back(PageWarning{"Warning: the model does not make some of the observations."});
      Figure picture = content.set().picture(content.n(), prior_view(content.set().task()));
      mark_foreign(*content.singles, picture);
      section.blocks.push_back(PageFigure{
          std::move(picture), "The observations; those that are foreign to the model are marked.",
          "no observation is marked.", "marked ones: look for what made them, and take the posterior without them."});
    }
  } else if (!content.no_singles.empty()) {
    section.blocks.push_back(PageText{"Single observations were not tested: " + content.no_singles + "."});
  }
  if (content.confidence) {
    section.blocks.push_back(PageText{content.confidence->text});
    section.blocks.push_back(PageFigure{content.confidence->figure, content.confidence->note,
                                        "a likelihood ratio with one minimum, well inside the range.",
                                        "a curve that is cut off at the end of the axis: the range decides there."});
  }
  return section;
}

}  // namespace pairs

#include <fmt/format.h>

#include "app/posterior/caveats/local_test_text.h"
#include "app/report/report_sections.h"

namespace pairs {

PageSection further_section(const ReportContent& content) {
  PageSection section{"further", "Further questions", {}};
  if (content.under) {
    section.blocks.push_back(PageText{reweighed_text(*content.under, content.info())});
    if (content.under_exact)
      section.blocks.push_back(
          PageText{"The exact posterior: " + reweighed_text(*content.under_exact, content.info())});
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
  if (content.confidence) {
    section.blocks.push_back(PageText{content.confidence->text});
    section.blocks.push_back(PageFigure{content.confidence->figure, content.confidence->note,
                                        "a likelihood ratio with one minimum, well inside the range.",
                                        "a curve that is cut off at the end of the axis: the range decides there."});
  }
  return section;
}

}  // namespace pairs

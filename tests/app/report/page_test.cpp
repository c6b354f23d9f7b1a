#include "app/report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "core/report/png.h"

namespace pairs {
namespace {

using testing::HasSubstr;
using testing::Not;

// "" where every element that is opened is closed in order; else what is wrong. Of what stands in <script> and <style>
// nothing is read.
std::string unbalanced(const std::string& html) {
  static const std::set<std::string> kAlone = {"meta", "img", "!doctype"};
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = html.find('<', at)) != std::string::npos;) {
    const std::size_t end = html.find('>', at);
    if (end == std::string::npos) return "an element does not end";
    const bool closes = html[at + 1] == '/';
    std::string name;
    for (std::size_t i = at + 1 + closes; i < end && !std::isspace(static_cast<unsigned char>(html[i])); ++i)
      name += html[i];
    at = end + 1;
    if (kAlone.count(name) > 0) continue;
    if (closes) {
      if (open.empty() || open.back() != name) return "</" + name + "> closes nothing";
      open.pop_back();
      continue;
    }
    open.push_back(name);
    if (name == "script" || name == "style") at = html.find("</" + name, at);
    if (at == std::string::npos) return "<" + name + "> is not closed";
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

Page sample_page() {
  Table table({{"θ", false}, {"mean < 1"}});
  table.add({"a & b", "0.5"});
  Figure figure;
  figure.plots.push_back({.title = "losses"});
  Page page;
  page.title = "Posterior of <b>events</b>.csv";
  page.subtitle = "N = 3";
  page.sections = {{"one", "First", {PageText{"x < y"}, PageWarning{"outside"}, PageTable{table, "Numbers"}}},
                   {"two",
                    "Second",
                    {PageFigure{figure, "A curve.", "flat.", "rising."}, PagePicture{"png", "A picture"},
                     PageFacts{{{"source", "a.csv"}}}, PageLines{"pairs --batch tasks\n# two"},
                     PageLines{"a = 1", "All settings"}, PageReferences{{"Someone. 2020."}}}}};
  page.files = {{"samples.csv", "text/csv", "theta\n0.5\n"}};
  page.document = {{"name", "</script><script>alert(1)</script>"}};
  return page;
}

TEST(PageHtml, ClosesWhatItOpens) {
  EXPECT_EQ(unbalanced(page_html(sample_page())), "");
  EXPECT_NE(unbalanced("<p><b>x</p></b>"), "");
}

TEST(PageHtml, ShowsTextAsItIs) {
  const std::string html = page_html(sample_page());
  EXPECT_THAT(html, HasSubstr("Posterior of &lt;b&gt;events&lt;/b&gt;.csv"));
  EXPECT_THAT(html, Not(HasSubstr("<b>events")));
  EXPECT_THAT(html, HasSubstr("<p>x &lt; y</p>"));
  EXPECT_THAT(html, HasSubstr("<th>θ</th><th class=\"right\">mean &lt; 1</th>"));
  EXPECT_THAT(html, HasSubstr("pairs --batch tasks\n# two\n</pre>"));
  EXPECT_THAT(html, Not(HasSubstr("<script>alert"))) << "a file's name is no program";
}

TEST(PageHtml, HoldsAllThatItShows) {
  const std::string html = page_html(sample_page());
  EXPECT_THAT(html, HasSubstr("data:image/svg+xml;base64,"));
  EXPECT_THAT(html, HasSubstr("data:text/csv;base64,dGhldGEKMC41Cg=="));
  for (const char* outside : {"src=\"http", "href=\"http", "url(", "@import"})
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  const std::size_t from = html.find("id=\"numbers\">") + 13;
  const std::string numbers = html.substr(from, html.find("</script>", from) - from);
  EXPECT_EQ(nlohmann::json::parse(numbers), sample_page().document);
}

Page page_with_picture() {
  Page page = sample_page();
  page.sections[1].blocks[1] =
      PagePicture{chart::encode_png(2, 1, std::vector<std::uint8_t>{255, 0, 0, 0, 0, 255}, 1), "A picture"};
  return page;
}

TEST(PagePdf, IsTheSameForTheSamePageAndGrowsByPages) {
  Page page = page_with_picture();
  const std::string pdf = page_pdf(page);
  EXPECT_TRUE(pdf.starts_with("%PDF-"));
  EXPECT_EQ(pdf, page_pdf(page));
  const auto pages = [](const std::string& of) {
    const std::size_t at = of.find("/Count ");
    return at == of.npos ? 0 : std::stoi(of.substr(at + 7));
  };
  const int few = pages(pdf);
  EXPECT_GE(few, 1);
  std::string words;
  for (int i = 0; i < 3000; ++i) words += "word" + std::to_string(i) + " ";
  page.sections[0].blocks.push_back(PageText{words});
  page.sections[0].blocks.push_back(PageText{std::string(2000, 'w')});
  EXPECT_GT(pages(page_pdf(page)), few + 2);
}

}  // namespace
}  // namespace pairs

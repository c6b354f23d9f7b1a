#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/text/table.h"
#include "core/report/figure.h"

namespace pairs {

// The parts of a page as plain data. Texts are UTF-8 without markup.
struct PageText {
  std::string text;
};
// A caveat to read before the rest.
struct PageWarning {
  std::string text;
};
struct PageTable {
  Table table;
  std::string caption = {};
};
// A figure, what it shows, and how better and worse results would look.
struct PageFigure {
  Figure figure;
  std::string shows = {}, better = {}, worse = {};
  std::string command = {};  // draws it without the page; "": none
};
// The command that draws a figure, or a reference to the page's own command.
inline std::string drawn_by(const PageFigure& figure) {
  return figure.command.empty() ? "the command of this page" : figure.command;
}
// A PNG, and what it shows.
struct PagePicture {
  std::string png, shows;
};
// Names with their values, one line each.
struct PageFacts {
  std::vector<std::pair<std::string, std::string>> facts;
};
// Lines to copy verbatim; folded: they are collapsed under this title.
struct PageLines {
  std::string lines;
  std::string folded = {};
};
// Numbered from 1 in their order.
struct PageReferences {
  std::vector<std::string> references;
};
using PageBlock =
    std::variant<PageText, PageWarning, PageTable, PageFigure, PagePicture, PageFacts, PageLines, PageReferences>;

struct PageSection {
  std::string id;  // in links: lower case
  std::string title;
  std::vector<PageBlock> blocks;
};

// A file embedded in the page.
struct PageFile {
  std::string name, type, bytes;  // type: "text/csv"
};

struct Page {
  std::string title, subtitle;
  std::vector<PageSection> sections;
  std::vector<PageFile> files;
  nlohmann::json document;  // its numbers, for programs
};

// One self-contained HTML file: figures and files are embedded, no script runs, nothing is loaded. `document` is the
// element <script type="application/json" id="numbers">.
std::string page_html(const Page& page);
// The page as an A4 PDF with embedded fonts; omits files and the document, and expands what is collapsed in HTML. The
// same page gives the same bytes.
std::string page_pdf(const Page& page);

}  // namespace pairs

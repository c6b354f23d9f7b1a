#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/text/table.h"
#include "core/report/figure.h"

namespace pairs {

// What a page is made of, as plain data. Texts are UTF-8 without markup.
struct PageText {
  std::string text;
};
// Something to know before the rest is believed.
struct PageWarning {
  std::string text;
};
struct PageTable {
  Table table;
  std::string caption = {};
};
// A figure, what it shows, and what better and worse would look like.
struct PageFigure {
  Figure figure;
  std::string shows = {}, better = {}, worse = {};
  std::string command = {};  // that draws it without the page; "": none does
};
// The command that draws a figure, or that the page's own does.
inline std::string drawn_by(const PageFigure& figure) {
  return figure.command.empty() ? "the command of this page" : figure.command;
}
// A PNG, and what it shows.
struct PagePicture {
  std::string png, shows;
};
// Names with their values, a line each.
struct PageFacts {
  std::vector<std::pair<std::string, std::string>> facts;
};
// Lines to be copied as they are; folded: shown when they are asked for, under this title.
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

// A file that the page carries.
struct PageFile {
  std::string name, type, bytes;  // type: "text/csv"
};

struct Page {
  std::string title, subtitle;
  std::vector<PageSection> sections;
  std::vector<PageFile> files;
  nlohmann::json document;  // its numbers, for programs
};

// One HTML file that needs nothing else: figures and files stand in it, no script runs, nothing is loaded. `document`
// is the element <script type="application/json" id="numbers">.
std::string page_html(const Page& page);
// The same on pages of A4 as PDF, with its fonts embedded; files and the document are left out, and what is folded in
// HTML stands open. The same page gives the same bytes.
std::string page_pdf(const Page& page);

}  // namespace pairs

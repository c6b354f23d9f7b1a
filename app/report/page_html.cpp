#include <fmt/format.h>

#include <string>

#include "app/report/page.h"
#include "core/base/files/digest.h"
#include "core/report/display_text.h"

namespace pairs {
namespace {

using chart::xml_text;

constexpr const char* kStyle = R"(
:root { color-scheme: light; }
body { font: 15px/1.55 Inter, "Helvetica Neue", Arial, sans-serif; color: #1c2430; background: #fff; margin: 0 auto;
  max-width: 860px; padding: 32px 24px 64px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 4px; }
h2 { font-size: 20px; margin: 40px 0 8px; padding-top: 12px; border-top: 1px solid #d8dde4; }
p { margin: 8px 0; }
.sub, figcaption, caption { color: #55606e; font-size: 13px; }
nav { margin: 16px 0; font-size: 13px; } nav a { margin-right: 16px; white-space: nowrap; }
a { color: #0063a3; }
.warning { border-left: 4px solid #d55e00; background: #fdf1e9; padding: 8px 12px; margin: 12px 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 12px 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: 4px; }
th { font-weight: 600; border-bottom: 1px solid #8a94a1; white-space: nowrap; }
th, td { padding: 3px 14px 3px 0; text-align: left; vertical-align: top; }
.right { text-align: right; }
figure { margin: 16px 0; break-inside: avoid; } figure img { max-width: 100%; height: auto; }
img.sharp { image-rendering: pixelated; }
figcaption p { margin: 4px 0; }
pre { background: #f3f5f8; padding: 10px 12px; overflow-x: auto; font: 13px/1.5 "DejaVu Sans Mono", monospace; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 18px; margin: 12px 0; }
dt { color: #55606e; } dd { margin: 0; overflow-wrap: anywhere; }
ol { padding-left: 24px; } summary { cursor: pointer; margin: 8px 0; }
@media print { nav, .files { display: none; } body { max-width: none; padding: 0; } details > * { display: block; } }
)";

std::string data_url(const std::string& type, const std::string& bytes) {
  return fmt::format("data:{};base64,{}", type, base64(bytes));
}

std::string paragraph(const std::string& text) {
  return text.empty() ? "" : fmt::format("<p>{}</p>\n", xml_text(text));
}

std::string row_html(const Table& table, const std::vector<std::string>& cells, const char* tag) {
  std::string out = "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i)
    out +=
        fmt::format("<{0}{1}>{2}</{0}>", tag, table.columns()[i].right ? " class=\"right\"" : "", xml_text(cells[i]));
  return out + "</tr>\n";
}

// Writes blocks one after the other.
struct BlockWriter {
  std::string out;

  void operator()(const PageText& block) { out += paragraph(block.text); }
  void operator()(const PageWarning& block) {
    out += fmt::format("<p class=\"warning\">{}</p>\n", xml_text(block.text));
  }
  void operator()(const PageTable& block) {
    std::vector<std::string> titles;
    for (const Table::Column& column : block.table.columns()) titles.push_back(column.title);
    out += "<div class=\"scroll\"><table>\n";
    if (!block.caption.empty()) out += fmt::format("<caption>{}</caption>\n", xml_text(block.caption));
    out += "<thead>" + row_html(block.table, titles, "th") + "</thead>\n<tbody>\n";
    for (const std::vector<std::string>& row : block.table.rows()) out += row_html(block.table, row, "td");
    out += "</tbody></table></div>\n";
  }
  void operator()(const PageFigure& block) {
    const std::string name = block.figure.title.empty() ? block.shows : block.figure.title;
    out += fmt::format("<figure><img alt=\"{}\" src=\"{}\">\n<figcaption>{}{}{}{}</figcaption></figure>\n",
                       xml_text(name), data_url("image/svg+xml", figure_svg(block.figure)), paragraph(block.shows),
                       labeled("Better", block.better), labeled("Worse", block.worse),
                       labeled("Drawn by", drawn_by(block)));
  }
  void operator()(const PagePicture& block) {
    out += fmt::format("<figure><img class=\"sharp\" alt=\"{0}\" src=\"{1}\">\n<figcaption>{2}</figcaption></figure>\n",
                       xml_text(block.shows), data_url("image/png", block.png), paragraph(block.shows));
  }
  void operator()(const PageFacts& block) {
    out += "<dl>\n";
    for (const auto& [name, value] : block.facts)
      out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", xml_text(name), xml_text(value));
    out += "</dl>\n";
  }
  void operator()(const PageLines& block) {
    std::string lines;  // xml_text makes one line of its text
    for (std::size_t from = 0; from < block.lines.size();) {
      const std::size_t end = std::min(block.lines.find('\n', from), block.lines.size());
      lines += xml_text(block.lines.substr(from, end - from)) + "\n";
      from = end + 1;
    }
    const std::string pre = fmt::format("<pre>{}</pre>\n", lines);
    out += block.folded.empty()
               ? pre
               : fmt::format("<details><summary>{}</summary>\n{}</details>\n", xml_text(block.folded), pre);
  }
  void operator()(const PageReferences& block) {
    out += "<ol>\n";
    for (const std::string& one : block.references) out += fmt::format("<li>{}</li>\n", xml_text(one));
    out += "</ol>\n";
  }

 private:
  static std::string labeled(const char* label, const std::string& text) {
    return text.empty() ? "" : fmt::format("<p><b>{}:</b> {}</p>\n", label, xml_text(text));
  }
};

// The document's JSON for an element in which "<" could begin another element.
std::string script_text(const nlohmann::json& document) {
  std::string text = document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) text.replace(at, 1, "\\u003c");
  return text;
}

std::string files_html(const std::vector<PageFile>& files) {
  std::string out;
  for (const PageFile& file : files)
    out += fmt::format("{}<a download=\"{}\" href=\"{}\">{}</a>", out.empty() ? "" : ", ", xml_text(file.name),
                       data_url(file.type, file.bytes), xml_text(file.name));
  return out.empty() ? "" : "<p class=\"files\">Files in this page: " + out + "</p>\n";
}

}  // namespace

std::string page_html(const Page& page) {
  std::string links;
  BlockWriter body;
  for (const PageSection& section : page.sections) {
    links += fmt::format("<a href=\"#{}\">{}</a> ", xml_text(section.id), xml_text(section.title));
    body.out += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", xml_text(section.id), xml_text(section.title));
    for (const PageBlock& block : section.blocks) std::visit(body, block);
    body.out += "</section>\n";
  }
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n<p class=\"sub\">{2}</p>\n<nav>{3}</nav>\n{4}{5}"
      "<script type=\"application/json\" id=\"numbers\">\n{6}\n</script>\n</body>\n</html>\n",
      xml_text(page.title), kStyle, xml_text(page.subtitle), links, body.out, files_html(page.files),
      script_text(page.document));
}

}  // namespace pairs

#include "app/report/report.h"

#include <fmt/format.h>

#include <utility>

#include "app/kinds/target_room.h"
#include "app/posterior/files/posterior_samples.h"
#include "app/report/report_sections.h"
#include "core/report/number_text.h"
#include "core/version.h"

namespace pairs {
namespace {

nlohmann::json document_of(const ReportContent& content) {
  nlohmann::json commands = nlohmann::json::array();
  for (const ReportCommand& one : report_commands(content))
    commands.push_back({{"gives", one.gives}, {"command", one.command}});
  nlohmann::json document = {{"task", content.info().name},
                             {"run", content.run.name},
                             {"n", content.n()},
                             {"infer", content.infer},
                             {"warnings", content.warnings},
                             {"cautions", content.cautions},
                             {"data", {{"source", content.set().source()}, {"held", content.set().held()}}},
                             {"weights", weights_checksum(content.run)},
                             {"version", kVersion},
                             {"notes", content.notes},
                             {"commands", commands}};
  if (!content.digest.empty()) document["data"]["sha256"] = content.digest;
  if (content.metrics) {
    document["evaluate"] = metrics_document(*content.metrics);
    if (!content.verdict.text.empty()) document["evaluate"]["verdict"] = content.verdict.text;
    if (!content.sharpness.empty()) document["evaluate"]["sharpness"] = content.sharpness;
  }
  return document;
}

// The derived columns of the samples embedded in the page, as `infer --derive` writes them.
std::vector<DerivedColumn> derived_columns(const ReportContent& content) {
  std::vector<DerivedColumn> columns;
  const torch::Tensor samples = content.samples.slice(0, 0, content.question.draws);
  for (const DerivedQuantity& one : derived_quantities(content.question.asked.derived, content.info()))
    columns.emplace_back(one.name(), one.values(samples));
  return columns;
}

}  // namespace

Page report_page(const LoadedRun& run, const ReportQuestion& question, Monitor& monitor) {
  const ReportContent content = report_content(run, question, monitor);
  Page page;
  page.title = fmt::format("{}: posterior of {}", content.info().title, content.set().name());
  page.subtitle =
      fmt::format("N = {}; estimator {}; Pairs Studio {}", count_text(content.n()), run_words(content), kVersion);
  page.sections = {summary_section(content), data_section(content),        posterior_section(content),
                   fit_section(content),     calibration_section(content), training_section(content),
                   limits_section(content),  methods_section(content),     commands_section(content)};
  if (PageSection further = further_section(content); !further.blocks.empty())
    page.sections.insert(page.sections.begin() + 4, std::move(further));
  if (PageSection notes = notes_section(content); !notes.blocks.empty())
    page.sections.insert(page.sections.begin() + 1, std::move(notes));
  page.document = document_of(content);
  if (!target_room_of(content.info()).in_folder())
    page.files.push_back(
        {"samples.csv", "text/csv",
         samples_csv(content.samples.slice(0, 0, content.question.draws), content.info(), derived_columns(content))});
  return page;
}

}  // namespace pairs

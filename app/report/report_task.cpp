#include <fmt/format.h>

#include <numeric>

#include "app/report/report_sections.h"
#include "core/base/files/digest.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/train/run/run.h"
#include "tasks/file_facts.h"

namespace pairs {
namespace {

constexpr std::int64_t kPriorDraws = 1000;
constexpr std::uint64_t kPriorSeed = 1;

// Quantiles of a column of draws as table cells.
std::vector<std::string> quantile_cells(const torch::Tensor& values) {
  std::vector<std::string> cells;
  const torch::Tensor sorted = std::get<0>(values.sort());
  for (const double level : {0.05, 0.5, 0.95}) {
    const auto place = static_cast<std::int64_t>(level * static_cast<double>(sorted.size(0) - 1) + 0.5);
    cells.push_back(fmt::format("{:.4g}", sorted[place].item<double>()));
  }
  return cells;
}

void add_rows(Table& table, const std::string& label, const std::string& kind, const torch::Tensor& values) {
  std::vector<std::string> row = {label, kind};
  for (std::string& cell : quantile_cells(values)) row.push_back(std::move(cell));
  table.add(row);
}

Table prior_table(const Task& task) {
  const TaskInfo& info = task.info();
  const std::int64_t subjects = task.subjects(Purpose::test);
  std::vector<std::int64_t> indices(
      static_cast<std::size_t>(subjects > 0 ? std::min(subjects, kPriorDraws) : kPriorDraws));
  std::iota(indices.begin(), indices.end(), 0);
  const Latents draws = task.latents(kPriorSeed, Purpose::test, indices);
  Table table({{"", false}, {"", false}, {"5 %", true}, {"median", true}, {"95 %", true}});
  for (std::size_t t = 0; t < info.targets.size(); ++t)
    add_rows(table, info.targets[t].title(), "inferred", draws.theta.select(1, static_cast<std::int64_t>(t)));
  for (std::size_t k = 0; k < info.nuisances.size() && draws.psi.defined(); ++k)
    if (static_cast<std::int64_t>(k) < draws.psi.size(1))
      add_rows(table, info.nuisances[k].title(), "unknown", draws.psi.select(1, static_cast<std::int64_t>(k)));
  for (std::size_t k = 0; k < info.given.size() && draws.given.defined(); ++k)
    if (static_cast<std::int64_t>(k) < draws.given.size(1))
      add_rows(table, info.given[k].label, "given", draws.given.select(1, static_cast<std::int64_t>(k)));
  return table;
}

}  // namespace

std::string learned_from(const LoadedRun& run) {
  const std::string& source = run.estimator->data_source();
  return source == "simulated" ? "simulated sets" : source;
}

void add_prior(PageSection& section, const ReportContent& content) {
  if (content.info().targets.empty()) return;
  if (content.question.sets == 0) {
    section.blocks.push_back(PageText{"The prior is not shown here, since no set was simulated for this report."});
    return;
  }
  try {
    section.blocks.push_back(PageTable{prior_table(*content.run.task),
                                       fmt::format("The training prior, by quantiles of {} draws.", kPriorDraws)});
  } catch (const Error& error) {
    section.blocks.push_back(PageText{fmt::format("The prior could not be drawn from: {}.", sentence(error))});
  }
}

void add_own_files(PageSection& section, const LoadedRun& run) {
  const std::filesystem::path copy = run.folder / run_file::task;
  std::error_code error;
  if (!std::filesystem::exists(copy, error)) return;
  PageFacts facts;
  facts.facts.emplace_back("task.toml (the run's copy)", "SHA-256 " + sha256_of(copy));
  for (const std::filesystem::path& file : program_files(copy)) {
    const bool there = std::filesystem::is_regular_file(file, error);
    facts.facts.emplace_back(printable(file.filename().string(), 200) + " (as it is now)",
                             there ? "SHA-256 " + sha256_of(file) : printable(file.string(), 300) + " is not at hand");
  }
  section.blocks.push_back(std::move(facts));
}

}  // namespace pairs

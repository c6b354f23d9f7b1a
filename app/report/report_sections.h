#pragma once

#include <string>
#include <vector>

#include "app/report/report_content.h"

namespace pairs {

// The sections of a report, in its order.
PageSection summary_section(const ReportContent& content);
PageSection data_section(const ReportContent& content);
PageSection notes_section(const ReportContent& content);  // without blocks if there are no notes
PageSection posterior_section(const ReportContent& content);
PageSection fit_section(const ReportContent& content);
PageSection further_section(const ReportContent& content);  // without blocks if there are no further analyses
PageSection calibration_section(const ReportContent& content);
PageSection training_section(const ReportContent& content);
PageSection limits_section(const ReportContent& content);
PageSection methods_section(const ReportContent& content);
PageSection commands_section(const ReportContent& content);

// The run's training data, within a sentence: "simulated sets", "generated digits".
std::string learned_from(const LoadedRun& run);
// Add to a section draws of the task's prior, and the files of a custom task with their hashes.
void add_prior(PageSection& section, const ReportContent& content);
void add_own_files(PageSection& section, const LoadedRun& run);

// A command that reproduces a part of the report, and which part.
struct ReportCommand {
  std::string gives, command;
};
std::vector<ReportCommand> report_commands(const ReportContent& content);
// The command of the figure "posterior" or "predictive" of the set; "" if none draws the same.
std::string figure_command_of(const ReportContent& content, const std::string& figure);

}  // namespace pairs

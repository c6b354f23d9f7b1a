#pragma once

#include <string>
#include <vector>

#include "app/report/report_content.h"

namespace pairs {

// The sections of a report, in its order.
PageSection summary_section(const ReportContent& content);
PageSection data_section(const ReportContent& content);
PageSection notes_section(const ReportContent& content);  // without blocks where nobody noted anything
PageSection posterior_section(const ReportContent& content);
PageSection fit_section(const ReportContent& content);
PageSection further_section(const ReportContent& content);  // without blocks where nothing further was asked
PageSection calibration_section(const ReportContent& content);
PageSection training_section(const ReportContent& content);
PageSection limits_section(const ReportContent& content);
PageSection methods_section(const ReportContent& content);
PageSection commands_section(const ReportContent& content);

// What the run learnt from, in a sentence: "simulated sets", "generated digits".
std::string learnt_from(const LoadedRun& run);
// Adds to a section what the task's prior is like, by draws of it, and the files of a person's own task with hashes.
void add_prior(PageSection& section, const ReportContent& content);
void add_own_files(PageSection& section, const LoadedRun& run);

// A command that gives again what stands in the report, and what that is.
struct ReportCommand {
  std::string gives, command;
};
std::vector<ReportCommand> report_commands(const ReportContent& content);
// The command of the figure "posterior" or "predictive" of the set; "" where none draws the same.
std::string figure_command_of(const ReportContent& content, const std::string& figure);

}  // namespace pairs

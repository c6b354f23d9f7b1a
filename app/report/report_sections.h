#pragma once

#include <string>
#include <vector>

#include "app/report/report_content.h"

namespace pairs {

// The sections of a report, in its order.
PageSection summary_section(const ReportContent& content);
PageSection data_section(const ReportContent& content);
PageSection posterior_section(const ReportContent& content);
PageSection fit_section(const ReportContent& content);
PageSection calibration_section(const ReportContent& content);
PageSection training_section(const ReportContent& content);
PageSection limits_section(const ReportContent& content);
PageSection methods_section(const ReportContent& content);
PageSection commands_section(const ReportContent& content);

// A command that gives again what stands in the report, and what that is.
struct ReportCommand {
  std::string gives, command;
};
std::vector<ReportCommand> report_commands(const ReportContent& content);

}  // namespace pairs

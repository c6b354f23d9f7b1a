#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/batch/parts/checks.h"
#include "app/batch/parts/command.h"
#include "app/batch/parts/drive.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"

namespace pairs::batch {
namespace {

Result selftest(const Catalog& tasks) {
  Result result;
  result.document = {{"checks", nlohmann::json::array()}};
  std::vector<Check> checks = numeric_checks(*tasks);
  for (Check& check : device_checks(tasks)) checks.push_back(std::move(check));
  int failed = 0, skipped = 0;
  for (const Check& check : checks) {
    if (!keep_going()) throw Stopped();
    nlohmann::json line = {{"name", check.name}, {"limit", check.limit}};
    if (!check.skipped.empty()) {
      ++skipped;
      line["skipped"] = check.skipped;
      result.text += fmt::format("skip  {}: {}\n", check.name, check.skipped);
      result.document["checks"].push_back(line);
      continue;
    }
    const Stopwatch watch;
    bool ok = false;
    std::string detail;
    try {
      const double deviation = check.deviation();
      ok = deviation <= check.limit;
      line["deviation"] = deviation;
      detail = check.limit > 0 ? fmt::format("{:.1e} (limit {:.0e})", deviation, check.limit)
                               : fmt::format("{:.0f} wrong", deviation);
    } catch (const std::exception& error) {
      detail = sentence(error);
      line["error"] = detail;
    }
    line["ok"] = ok;
    failed += ok ? 0 : 1;
    result.text += fmt::format("{}  {}: {}, {:.2f} s\n", ok ? "ok  " : "FAIL", check.name, detail, watch.seconds());
    result.document["checks"].push_back(line);
  }
  result.document["failed"] = failed;
  result.document["skipped"] = skipped;
  result.text += fmt::format("{} checks, {} failed, {} skipped\n", checks.size(), failed, skipped);
  result.exit_code = failed > 0 ? 1 : 0;
  return result;
}

}  // namespace

Action add_selftest(CLI::App& app, const Catalog& tasks) {
  app.footer("Takes a few seconds; exit code 1 when a check fails. Example:\n  pairs --batch selftest");
  return [tasks] { return selftest(tasks); };
}

}  // namespace pairs::batch

#include "core/train/run/simulator_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/fields/face.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/json.h"
#include "core/base/text/text.h"
#include "core/base/threads/interruption.h"
#include "core/simulator_probe.h"
#include "core/train/run/run.h"

namespace pairs {
namespace {

// The tolerance for latents, relative to their size, and for x, whose scale is 1: smaller differences are rounding of
// float32.
constexpr double kLastDigits = 1e-5;

nlohmann::json document_of(const SimulatorProbe& probe) {
  return {{"checksum", probe.checksum}, {"latents", probe.latents}, {"x", probe.x}};
}

std::vector<double> numbers_of(const nlohmann::json& list, const std::string& file) {
  std::vector<double> out;
  for (const nlohmann::json& one : list) {
    PAIRS_CHECK(one.is_number(), "{} is damaged; start the run anew", file);
    out.push_back(one.get<double>());
  }
  return out;
}

SimulatorProbe read_probe(const nlohmann::json& document, const std::string& file) {
  PAIRS_CHECK(document.is_object() && document.contains("checksum") && document["checksum"].is_string() &&
                  document.contains("latents") && document.contains("x"),
              "{} is damaged; start the run anew", file);
  return {document["checksum"].get<std::string>(), numbers_of(document["latents"], file),
          numbers_of(document["x"], file)};
}

// The largest difference between corresponding numbers, relative to `size` of the first; infinite if their counts
// differ.
template <class Size>
double apart(const std::vector<double>& a, const std::vector<double>& b, Size size) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]) / size(a[i]));
  return most;
}

// How the second differs, "" if only in the last digits.
std::string difference(const SimulatorProbe& before, const SimulatorProbe& now) {
  if (before.checksum == now.checksum) return "";
  const double latents =
      apart(before.latents, now.latents, [](double value) { return std::max(1.0, std::abs(value)); });
  const double x = apart(before.x, now.x, [](double) { return 1.0; });
  if (latents > kLastDigits) return "its prior draws other parameters from the same seed";
  if (std::isinf(x)) return "it draws other numbers of observations or rows from the same seed";
  if (x > kLastDigits)
    return fmt::format("x drawn from the same seed and parameters differs by up to {:.2g} of its scale", x);
  return latents == 0 && x == 0 ? "some of x differs that was drawn from the same seed and parameters" : "";
}

SimulatorProbe probe_of(const Task& task, const std::function<bool()>& stop) {
  const ProbedSimulator* program = face<ProbedSimulator>(task);
  if (program == nullptr) return {};
  const Interruptible within(stop);
  return program->probe();
}

nlohmann::json read_record(const std::filesystem::path& file) {
  nlohmann::json document = parse_json(read_file(file));
  PAIRS_CHECK(document.is_object(), "{} is damaged; start the run anew", printable(file.string(), 300));
  return document;
}

}  // namespace

std::string changed_simulator(const std::filesystem::path& run, const Task& task, const std::function<bool()>& stop) {
  const std::filesystem::path file = run / kSimulatorFile;
  if (!std::filesystem::exists(file)) return "";
  const SimulatorProbe before = read_probe(read_record(file), printable(file.string(), 300));
  const std::string changed = difference(before, probe_of(task, stop));
  return changed.empty() ? ""
                         : fmt::format("The simulator of {} is not the one that the run {} was trained with: {}",
                                       task.info().name, printable(run.filename().string(), 300), changed);
}

void accept_simulator(const std::filesystem::path& run) {
  const std::filesystem::path file = run / kSimulatorFile;
  if (!std::filesystem::exists(file)) return;
  nlohmann::json document = read_record(file);
  document["accept"] = true;
  write_file(file, document.dump(1) + "\n");
}

void record_simulator(const std::filesystem::path& run, const Task& task, Monitor& monitor) {
  const SimulatorProbe now = probe_of(task, [&] { return monitor.should_stop(); });
  if (now.empty()) return;
  const std::filesystem::path file = run / kSimulatorFile;
  nlohmann::json document = document_of(now);
  if (std::filesystem::exists(file)) {
    nlohmann::json before = read_record(file);
    const std::string what = difference(read_probe(before, printable(file.string(), 300)), now);
    const bool accepted = before.contains("accept");
    if (what.empty() && !accepted) return;
    PAIRS_CHECK(what.empty() || accepted,
                "The simulator of {} has changed since the run {} began: {}; put the former program back, start a new "
                "run, or go on with the new one: pairs --batch run --resume {} --changed",
                task.info().name, printable(run.filename().string(), 300), what, shell_word(run.string()));
    document["former"] = before.contains("former") ? before["former"] : nlohmann::json::array();
    if (what.empty()) {
      document = before;
      document.erase("accept");
    } else {
      before.erase("former");
      before.erase("accept");
      document["former"].push_back(before);
      Event event;
      event.type = EventType::warning;
      event.values = {
          {"text", fmt::format("goes on with another simulator than it began with, as --changed asked: {}", what)}};
      monitor.event(event);
    }
  }
  write_file(file, document.dump(1) + "\n");
}

}  // namespace pairs

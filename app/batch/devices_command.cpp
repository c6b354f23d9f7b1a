#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/batch/command.h"
#include "app/text/table.h"
#include "core/base/devices.h"

namespace pairs::batch {
namespace {

Result show_devices() {
  Result result;
  result.document = {
      {"devices", nlohmann::json::array()}, {"auto", choose_device("auto").str()}, {"threads", at::get_num_threads()}};
  const std::string reason = why_no_gpu();
  if (!reason.empty()) result.document["auto_reason"] = reason;
  Table table({{"device", false}, {"usable", false}, {"what", false}});
  for (const DeviceInfo& device : list_devices()) {
    nlohmann::json line = {{"name", device.name}, {"description", device.description}, {"usable", device.usable}};
    if (!device.usable) line["reason"] = device.reason;
    result.document["devices"].push_back(line);
    table.add({device.name, device.usable ? "yes" : "no", device.usable ? device.description : device.reason});
  }
  result.text = table.text() + fmt::format("\n--device auto picks {}{}; {} CPU threads\n", choose_device("auto").str(),
                                           reason.empty() ? "" : " (" + reason + ")", at::get_num_threads());
  return result;
}

}  // namespace

Action add_devices(CLI::App& app, const Catalogue&) {
  app.footer("Example:\n  pairs --batch devices");
  return show_devices;
}

}  // namespace pairs::batch

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/batch/machine/gpu_setup.h"
#include "app/batch/parts/command.h"
#include "app/text/table.h"
#include "core/base/gpu/devices.h"

namespace pairs::batch {
namespace {

struct GpuQuestion {
  bool add = false, remove = false;
  std::string index;
};

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

Action add_devices(CLI::App& app, const Catalog&) {
  const auto wanted = std::make_shared<GpuQuestion>();
  CLI::Option* const add = app.add_flag("--add-gpu", wanted->add,
                                        "Fetch the CUDA libraries that a GPU needs, where this program came without "
                                        "them: prints what it takes, and continues where an earlier try ended");
  app.add_flag("--remove-gpu", wanted->remove, "Remove what --add-gpu has fetched")->excludes(add);
  app.add_option("--index", wanted->index,
                 "With --add-gpu: the package index to fetch from, the address of its simple pages (default: pip's, "
                 "from PIP_INDEX_URL or pip.conf)")
      ->type_name("URL")
      ->needs(add);
  app.footer(
      "Examples:\n  pairs --batch devices\n  pairs --batch devices --add-gpu\n  pairs --batch devices --remove-gpu");
  return [wanted] { return wanted->add ? add_gpu(wanted->index) : wanted->remove ? remove_gpu() : show_devices(); };
}

}  // namespace pairs::batch

#include "app/batch/machine/gpu_setup.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/batch/parts/drive.h"
#include "app/batch/parts/exit_on_signal.h"
#include "app/gpu/gpu_libraries_setup.h"
#include "app/gpu/package_index.h"
#include "core/base/gpu/devices.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/report/number_text.h"

namespace pairs::batch {
namespace {

// On a terminal one line that is redrawn, else a line every ten seconds.
class FetchProgress {
 public:
  ~FetchProgress() {
    if (drawn_) print(kClearLine);
  }
  void operator()(const gpu::AddProgress& progress) {
    const bool other = progress.what != what_;
    if (!other && since_.seconds() < (terminal_ ? 0.2 : 10)) return;
    what_ = progress.what;
    rate_.update(static_cast<double>(progress.done));
    since_.restart();
    drawn_ = terminal_;
    const double left = static_cast<double>(progress.total) - static_cast<double>(progress.done);
    const std::string pace = rate_.rate() > 0
                                 ? fmt::format(", {}/s, {} left", byte_text(static_cast<std::uint64_t>(rate_.rate())),
                                               duration_text(left / rate_.rate()))
                                 : "";
    print(fmt::format("{}{} of {} ({}){}: {}{}", terminal_ ? kClearLine : "", byte_text(progress.done),
                      byte_text(progress.total),
                      percent_text(static_cast<double>(progress.done) / static_cast<double>(progress.total)), pace,
                      what_, terminal_ ? "" : "\n"));
  }

 private:
  bool terminal_ = ::isatty(STDERR_FILENO) == 1, drawn_ = false;
  std::string what_;
  RateMeter rate_;
  Stopwatch since_;
};

}  // namespace

Result add_gpu(const std::string& index) {
  if (const std::string why = why_no_gpu_to_add(); !why.empty()) fail("GPU libraries are not fetched: {}", why);
  const gpu::Needs needs = gpu::needs();
  const std::string address = gpu::index_address(index);
  print(fmt::format("{}\nFrom {}; Ctrl+C stops, and the same command continues\n", needs.text(),
                    gpu::shown_address(address)));
  {
    const SavesOnSignal saves;
    FetchProgress progress;
    gpu::add_libraries(needs, address,
                       {.progress = [&](const auto& now) { progress(now); }, .stopped = [] { return !keep_going(); }});
  }
  Result result;
  result.document = {{"added", needs.folder.string()}, {"bytes", needs.list.library_bytes}};
  result.text = fmt::format("The GPU libraries are in {}; see them used with pairs --batch devices\n",
                            printable(needs.folder.string(), 300));
  return result;
}

Result remove_gpu() {
  const std::uint64_t freed = gpu::remove_libraries();
  Result result;
  result.document = {{"freed", freed}};
  result.text = freed == 0 ? "No GPU libraries were fetched: nothing is removed\n"
                           : fmt::format("The GPU libraries are removed; {} are free again\n", byte_text(freed));
  return result;
}

}  // namespace pairs::batch

#include "app/model/posterior/work/report_saving.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/files/files.h"
#include "core/report/number_text.h"
#include "core/train/run/run.h"
#include "core/train/settings/stages.h"

namespace pairs::model {

// Receives the progress of the evaluation.
class ReportSaving::Follower : public Monitor {
 public:
  Follower(ReportSaving& saving, const LatestWorker::Stale& stale) : saving_(saving), stale_(stale) {}
  void event(const Event&) override {}
  void progress(const Progress& progress) override {
    const std::string share =
        progress.total > 0
            ? ", " + percent_text(static_cast<double>(progress.done) / static_cast<double>(progress.total))
            : "";
    saving_.report("calibration on simulated sets" + share);
  }
  bool should_stop() override { return stale_(); }

 private:
  ReportSaving& saving_;
  const LatestWorker::Stale& stale_;
};

void ReportSaving::save(ReportAsked asked) {
  report("reading the set");
  const std::filesystem::path file = asked.file;
  job_.start(file, [this, tasks = hub_.tasks, asked = std::move(asked)](const LatestWorker::Stale& stale) {
    check_writable(asked.file);
    Follower follower(*this, stale);
    const LoadedRun run = load_run(tasks, asked.question.asked.run, asked.question.data, asked.question.device);
    const Page page = report_page(run, asked.question, follower);
    if (stale()) return false;
    write_file(asked.file, asked.file.extension() == ".pdf" ? page_pdf(page) : page_html(page));
    return true;
  });
}

std::string ReportSaving::doing() const {
  const std::lock_guard lock(mutex_);
  return job_.busy() ? doing_ : "";
}

void ReportSaving::report(std::string doing) {
  {
    const std::lock_guard lock(mutex_);
    if (doing_ == doing) return;
    doing_ = std::move(doing);
  }
  hub_.wake();
}

}  // namespace pairs::model

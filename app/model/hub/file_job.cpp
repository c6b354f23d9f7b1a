#include "app/model/hub/file_job.h"

#include <utility>

namespace pairs::model {

FileJob::FileJob(Hub& hub) : hub_(hub), worker_([this](const std::string& failure) { end({{}, failure}); }) {}

void FileJob::start(std::filesystem::path file, std::function<bool(const LatestWorker::Stale& stale)> write) {
  {
    const std::lock_guard lock(mutex_);
    outcome_.reset();
  }
  worker_.request([this, file = std::move(file), write = std::move(write)](const LatestWorker::Stale& stale) {
    if (write(stale)) end({file, ""});
  });
}

void FileJob::cancel() {
  worker_.cancel();
}

std::optional<FileJob::Outcome> FileJob::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(outcome_, std::nullopt);
}

void FileJob::end(Outcome outcome) {
  {
    const std::lock_guard lock(mutex_);
    outcome_ = std::move(outcome);
  }
  hub_.wake();
}

}  // namespace pairs::model

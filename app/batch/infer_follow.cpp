#include "app/batch/infer_follow.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "app/kinds/observation_room.h"
#include "app/kinds/target/parameters_room.h"
#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/npz.h"
#include "core/base/streams.h"
#include "core/base/text.h"
#include "core/posterior/followed_set.h"
#include "core/posterior/posterior_source.h"
#include "core/report/number_text.h"

namespace pairs::batch {
namespace {

constexpr std::size_t kLongestLine = 1 << 16;
constexpr int kAppendedMilliseconds = 100;  // between two looks whether a file has grown

// Text as it comes, cut into whole lines.
class GrowingText {
 public:
  GrowingText(const std::string& data, std::string name)
      : name_(std::move(name)),
        appended_(data != "-"),
        file_(appended_ ? ::open(data.c_str(), O_RDONLY | O_CLOEXEC) : -1) {
    PAIRS_CHECK(!appended_ || file_ >= 0, "{} cannot be opened: {}; check its name and its permissions", name_,
                std::strerror(errno));
  }

  // Hands on the lines that have arrived, once there is one; false at the end of the input.
  template <class Take>
  bool lines(const Take& take) {
    for (;;) {
      const ssize_t got = ::read(appended_ ? static_cast<int>(file_) : STDIN_FILENO, buffer_.data(), buffer_.size());
      if (got < 0 && errno == EINTR) continue;
      PAIRS_CHECK(got >= 0, "{} cannot be read: {}", name_, std::strerror(errno));
      if (got == 0) {
        if (appended_) {
          ::poll(nullptr, 0, kAppendedMilliseconds);
          continue;
        }
        if (rest_.empty()) return false;
        take(std::string_view(rest_));
        rest_.clear();
        return true;
      }
      rest_.append(buffer_.data(), static_cast<std::size_t>(got));
      const std::size_t end = rest_.rfind('\n');
      if (end == rest_.npos) {
        PAIRS_CHECK(rest_.size() <= kLongestLine, "{} has a line of more than {} bytes; give one observation a line",
                    name_, kLongestLine);
        continue;
      }
      std::string_view whole(rest_.data(), end);
      for (std::size_t at = 0; at != whole.npos;) {
        take(whole.substr(0, at = whole.find('\n')));
        whole.remove_prefix(at == whole.npos ? whole.size() : at + 1);
      }
      rest_.erase(0, end + 1);
      return true;
    }
  }

 private:
  std::string name_, rest_;
  bool appended_;
  Descriptor file_;
  std::array<char, 1 << 16> buffer_;
};

// What is known of the set so far.
struct FollowedAnswer {
  torch::Tensor samples;
  Summary summary;
};

FollowedAnswer answer_of(const LoadedRun& run, const FollowedSet& set, const torch::Tensor& given, std::int64_t draws,
                         std::uint64_t seed) {
  FollowedAnswer answer;
  answer.samples =
      estimator_source(run.name, SeriesRole::pairs, run.estimator, set.aggregate(), set.size(), given, seed)
          .sample(draws);
  PAIRS_CHECK(
      answer.samples.isfinite().all().item<bool>(),
      "The posterior of {} is not finite: its weights diverged in training or are damaged; train it again with a "
      "lower pretrain.rate or finetune.rate",
      run.name);
  answer.summary = summarise(answer.samples, kReportQuantiles);
  return answer;
}

nlohmann::json document_of(const LoadedRun& run, const FollowedSet& set, const FollowedAnswer& answer) {
  nlohmann::json document = summary_document(answer.summary);
  document["n"] = set.size();
  document["seen"] = set.seen();
  document["targets"] = nlohmann::json::array();
  for (const Target& target : run.task->info().targets) document["targets"].push_back(target.name);
  return document;
}

std::string line_of(const TaskInfo& info, const FollowedSet& set, const Summary& summary) {
  std::string line = fmt::format("N = {}", count_text(set.seen()));
  for (std::size_t t = 0; t < info.targets.size(); ++t) {
    const auto at = static_cast<std::int64_t>(t);
    const auto level = [&](std::int64_t q) { return number_text(summary.quantiles[q][at].item<double>(), 4); };
    line += fmt::format("  {} {} ± {} ({} to {})", info.targets[t].label,
                        number_text(summary.mean[at].item<double>(), 4), number_text(summary.sd[at].item<double>(), 4),
                        level(0), level(static_cast<std::int64_t>(kReportQuantiles.size()) - 1));
  }
  return line + "\n";
}

}  // namespace

Result infer_follow(const LoadedRun& run, const InferArguments& arguments, bool json) {
  const TaskInfo& info = run.task->info();
  if (arguments.n > 0 || !arguments.theta.empty() || arguments.random)
    fail_usage("--n, --random and --theta do not go with --follow, which uses all that comes");
  const std::string name = arguments.data == "-" ? "standard input" : printable(arguments.data, 300);
  const std::unique_ptr<ObservationLines> lines = room_of(info).lines(info, name);
  if (!lines || info.targets.empty())
    fail_usage("--follow reads one observation a line, and no line of text holds one of task {}", info.name);
  const FollowPlan plan = follow_plan(run, arguments);
  FollowedSet set(run.estimator, plan.most, static_cast<std::uint64_t>(arguments.seed));
  GrowingText text(arguments.data, name);
  FollowedAnswer last;
  bool cut = false;
  while (text.lines([&](std::string_view line) { lines->take(line); })) {
    const Observations x = lines->gather();
    if (!x.defined()) continue;
    set.add(x);
    if (!cut && set.seen() > plan.most) {
      cut = true;
      tell(
          fmt::format("warning: {} knows sets of at most {}: from here on a random subset of so many is used, and the "
                      "posterior sharpens no further\n",
                      run.name, count_text(plan.most)));
    }
    last = answer_of(run, set, plan.given, plan.draws, static_cast<std::uint64_t>(arguments.seed));
    PAIRS_CHECK(answer(json ? document_of(run, set, last).dump() + "\n" : line_of(info, set, last.summary)),
                "The results could not be written to stdout: it is closed, full or has lost its reader");
  }
  PAIRS_CHECK(set.seen() > 0, "{} holds no observations; write one a line", name);
  write_npz(plan.out, {{"samples", last.samples}});
  Result result;
  result.document = document_of(run, set, last);
  result.document["samples"] = plan.out.string();
  result.one_line = true;
  result.text = fmt::format("Samples: {}\n", plan.out.string());
  return result;
}

}  // namespace pairs::batch

#include "app/batch/infer/infer_follow.h"

#include <fmt/format.h>
#include <poll.h>

#include <exception>
#include <set>

#include "app/batch/parts/drive.h"
#include "app/batch/parts/exit_on_signal.h"
#include "app/kinds/observation_room.h"
#include "app/kinds/observed.h"
#include "app/kinds/target/parameters_room.h"
#include "app/posterior/caveats/disagreement_text.h"
#include "app/posterior/caveats/verdict.h"
#include "app/posterior/files/growing_text.h"
#include "app/posterior/files/posterior_samples.h"
#include "app/posterior/follow/followed_posterior.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/eval/metrics/interval.h"
#include "core/report/number_text.h"

namespace pairs::batch {
namespace {

constexpr int kAppendedMilliseconds = 100;  // between checks whether a file has grown

// The results for the set so far.
struct FollowedAnswer {
  PosteriorAnswer known;
  torch::Tensor samples;
  std::vector<TargetNumbers> numbers;
};

FollowedAnswer answer_of(const FollowedPosterior& posterior, std::int64_t draws, std::uint64_t seed) {
  FollowedAnswer answer;
  answer.known = posterior.answer();
  answer.samples = posterior.samples(answer.known, draws, seed);
  answer.numbers = answer.known.shown_numbers(*posterior.run().loaded.task, posterior.run());
  PAIRS_CHECK(!answer.numbers.empty(), "The posterior of {} has no density that can be summarized in numbers",
              posterior.run().loaded.name);
  return answer;
}

nlohmann::json document_of(const FollowedPosterior& set, const FollowedAnswer& answer, IntervalKind interval) {
  nlohmann::json document = numbers_document(answer.numbers, interval);
  document["n"] = set.size();
  document["seen"] = set.seen();
  add_typicality(document, answer.known.typicality);
  document["verdict"] = verdict_document(model_verdict(answer.known.typicality));
  add_disagreement(document, answer.known.disagreement, set.info());
  document["targets"] = nlohmann::json::array();
  for (const Target& target : set.info().targets) document["targets"].push_back(target.name);
  return document;
}

std::string line_of(const FollowedPosterior& set, const FollowedAnswer& answer, IntervalKind interval) {
  const TaskInfo& info = set.info();
  std::string line = fmt::format("N = {}", count_text(answer.known.n));
  if (answer.known.n < set.seen()) line += fmt::format(" at random of {}", count_text(set.seen()));
  for (std::size_t t = 0; t < info.targets.size(); ++t) {
    const TargetNumbers& one = answer.numbers[t];
    line += fmt::format("  {}: mean {}, sd {}, 90 % {}", info.targets[t].label, number_text(one.mean, 4),
                        number_text(one.sd, 4), most_text(one, interval));
  }
  return line + (answer.known.typicality.outside ? "  OUT OF DISTRIBUTION\n" : "\n");
}

}  // namespace

Result infer_follow(const LoadedRun& run, const InferArguments& arguments, bool json) {
  const TaskInfo& info = run.task->info();
  const IntervalKind interval = arguments.question.interval;
  if (arguments.question.n > 0 || !arguments.theta.empty() || arguments.question.set.random ||
      !arguments.question.set.columns.empty() || !arguments.question.set.reader.empty() ||
      !arguments.question.set.table.empty())
    fail_usage(
        "--n, --random, --columns, --reader, --table and --theta do not go with --follow, which uses all that comes");
  if (!arguments.question.derived.empty())
    fail_usage("--derive does not go with --follow; infer --data on the file once it is complete");
  const std::string name = arguments.data() == "-" ? "standard input" : printable(arguments.data(), 300);
  const std::unique_ptr<ObservationLines> lines =
      room_of(info).lines(info, name, file_columns(*run.task), arguments.question.set.missing);
  if (!lines || info.targets.empty())
    fail_usage("--follow reads one observation per line, and no line of text holds one of task {}", info.name);
  const FollowPlan plan = follow_plan(run, arguments);
  FollowedPosterior set({run}, plan.most, plan.given, arguments.question.seed);
  GrowingText text(arguments.data(), name);
  FollowedAnswer last;
  std::set<WarningKind> reported;
  const SavesOnSignal saves;
  while (keep_going()) {
    // The lines before a malformed one are used, wherever the text was split.
    std::exception_ptr wrong;
    GrowingText::Came came{};
    try {
      came = text.read([&](std::string_view line) { lines->take(line); });
    } catch (const Error&) {
      wrong = std::current_exception();
    }
    if (!wrong && came == GrowingText::Came::end) break;
    if (!wrong && came == GrowingText::Came::nothing) {
      if (arguments.data() != "-") ::poll(nullptr, 0, kAppendedMilliseconds);
      continue;
    }
    const Observations x = lines->gather();
    if (wrong && !x.defined()) std::rethrow_exception(wrong);
    if (!x.defined()) continue;
    set.add(x);
    last = answer_of(set, plan.draws, arguments.question.seed);
    std::vector<PosteriorWarning> warnings = last.known.warnings;
    if (last.known.typicality.outside) warnings.push_back({WarningKind::outside, outside_text(last.known.typicality)});
    for (const PosteriorWarning& one : warnings)
      if (reported.insert(one.kind).second) print(fmt::format("warning: {}\n", one.text));
    PAIRS_CHECK(answer(json ? document_of(set, last, interval).dump() + "\n" : line_of(set, last, interval)),
                "The results could not be written to stdout: it is closed, full or has lost its reader");
    if (wrong) std::rethrow_exception(wrong);
  }
  if (lines->dropped() > 0)
    print(fmt::format("warning: {}\n", dropped_text(lines->dropped(), set.seen() + lines->dropped())));
  const bool stopped = !keep_going();
  PAIRS_CHECK(stopped || set.seen() > 0, "{} holds no observations; write one per line", name);
  if (set.seen() > 0) {
    write_samples(plan.out, {{"samples", last.samples.slice(0, 0, plan.written).contiguous()}}, info);
    ResultFile(plan.out, {.made = plan.use.made, .overwrite = true}).written();
  }
  if (stopped) {
    if (set.seen() > 0) print(fmt::format("Samples: {}\n", plan.out.string()));
    throw Stopped();
  }
  // The previous line has the posterior.
  Result result;
  result.document = {{"n", set.size()}, {"seen", set.seen()}, {"samples", plan.out.string()}, {"ended", true}};
  if (arguments.question.set.missing == Missing::drop) result.document["dropped"] = lines->dropped();
  result.one_line = true;
  result.text = fmt::format("Samples: {}\n", plan.out.string());
  return result;
}

}  // namespace pairs::batch

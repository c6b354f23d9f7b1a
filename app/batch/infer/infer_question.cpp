#include "app/batch/infer/infer_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/kinds/observed.h"
#include "app/kinds/target_room.h"
#include "app/posterior/files/draws_file.h"
#include "app/posterior/files/posterior_samples.h"
#include "app/posterior/many/asked_sets.h"
#include "app/posterior/set/set_kind.h"
#include "app/posterior/set/set_size.h"
#include "app/posterior/source/other_prior.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/given.h"
#include "core/report/number_text.h"
#include "core/train/run/shipped.h"

namespace pairs::batch {

namespace {

// The files for images, in the folder of --out.
std::filesystem::path folder_output(const LoadedRun& run, const InferArguments& arguments) {
  const std::filesystem::path out = !arguments.out.empty()   ? std::filesystem::path(arguments.out)
                                    : is_shipped(run.folder) ? std::filesystem::path("posterior")
                                                             : run.folder / "posterior";
  if (out.extension() == ".npz")
    fail_usage("--out {} names a file, but samples of images go into a folder, as samples.npz and pictures",
               printable(out.string(), 300));
  check_output_folder(out, false);
  std::error_code error;
  if (std::filesystem::equivalent(out, arguments.data(), error) ||
      std::filesystem::equivalent(out / "samples.npz", arguments.data(), error))
    fail_usage("--out {} would mix the results with the observed set; choose another folder",
               printable(out.string(), 300));
  return out;
}

std::filesystem::path file_output(const LoadedRun& run, const InferArguments& arguments) {
  const std::filesystem::path out = !arguments.out.empty()   ? std::filesystem::path(arguments.out)
                                    : is_shipped(run.folder) ? std::filesystem::path("samples.npz")
                                                             : run.folder / "samples.npz";
  const bool alone = out.extension() == ".csv" || is_draws_file(out);
  if (alone && !arguments.theta.empty())
    fail_usage("--out {} is a table of samples alone; the densities of --theta go into an .npz file",
               printable(out.string(), 300));
  if (!alone && out.extension() != ".npz")
    fail_usage("--out {} must end in .npz or .csv, or in .nc or .h5, which ArviZ reads", printable(out.string(), 300));
  std::vector<std::filesystem::path> inputs = prior_files(arguments.question.prior);
  inputs.insert(inputs.end(), {arguments.data(), arguments.theta});
  check_output(out, out.extension(), inputs);
  return out;
}

std::int64_t draws_of(const TaskInfo& info, std::int64_t asked) {
  const std::int64_t draws = asked >= 0 ? asked : target_room_of(info).draws();
  if (draws > most_samples(info))
    fail_usage("--samples {} of {} numbers each do not fit into memory; give at most {}", count_text(draws),
               count_text(info.target_size()), count_text(most_samples(info)));
  return draws;
}

// The last digits of samples depend on their number: for parameters, draws at least as many as without --samples.
std::int64_t drawn(const TaskInfo& info, std::int64_t written) {
  const TargetRoom& room = target_room_of(info);
  return room.in_folder() ? written : std::max(written, room.draws());
}

// The number of observations to use. An item, from which more can always be made, yields at most as many as in
// training.
std::int64_t used_size(const LoadedRun& run, const InferArguments& arguments, const ObservedSet& set) {
  if (arguments.question.n > 0) return arguments.question.n;
  if (arguments.question.set.random) return std::min(set.held(), largest_size(run, arguments.force));
  return !set.of_item() || arguments.force ? set.held() : std::min(set.held(), run.estimator->max_n());
}

void check_asked(const LoadedRun& run, const InferArguments& arguments, const ObservedSet& set,
                 const std::string& name) {
  const TaskInfo& info = run.task->info();
  if (set.of_item() && arguments.question.n > info.max_n)
    fail_usage("--n {} goes beyond N = {}, the maximum for task {}", count_text(arguments.question.n),
               count_text(info.max_n), info.name);
  check_held(arguments.question.n, name, set.held());
}

}  // namespace

ResultUse result_use(const LoadedRun& run, const InferArguments& arguments) {
  std::error_code error;
  std::filesystem::path data = arguments.question.set.file;
  if (std::filesystem::exists(data, error)) data = std::filesystem::absolute(data, error);
  // Independent of the choice of observations.
  return {fmt::format("{} {} {} {} {}", std::filesystem::absolute(run.folder, error).string(), data.string(),
                      arguments.question.set.table, arguments.question.set.group, arguments.question.set.member),
          !arguments.out.empty(), arguments.overwrite};
}

DrawCount draw_count(const TaskInfo& info, std::int64_t asked) {
  const std::int64_t written = draws_of(info, asked);
  return {drawn(info, written), written};
}

InferQuestion infer_question(const LoadedRun& run, const InferArguments& arguments) {
  const TaskInfo& info = run.task->info();
  const auto set =
      std::make_shared<ObservedSet>(run.task, seeded_item(*run.task, arguments.question.set, arguments.question.seed));
  InferQuestion question;
  question.name = set->of_item() || !arguments.question.set.member.empty() ? set->name() : arguments.data();
  check_asked(run, arguments, *set, question.name);
  question.out = target_room_of(info).in_folder() ? folder_output(run, arguments) : file_output(run, arguments);
  question.use = result_use(run, arguments);
  ResultFile(target_room_of(info).in_folder() ? question.out / "samples.npz" : question.out, question.use);
  question.written = draws_of(info, arguments.samples);
  question.draws = drawn(info, question.written);
  if (!arguments.theta.empty()) question.theta = read_theta(arguments.theta, info);
  question.size = used_size(run, arguments, *set);
  check_set_size(run, arguments.force, question.name, question.size);
  question.posterior = std::make_shared<SetPosterior>(set, std::vector<AskedRun>{{run}});
  return question;
}

FollowPlan follow_plan(const LoadedRun& run, const InferArguments& arguments) {
  const TaskInfo& info = run.task->info();
  FollowPlan plan;
  plan.most = largest_size(run, arguments.force);
  plan.written = draws_of(info, arguments.samples);
  plan.draws = drawn(info, plan.written);
  plan.given = read_given(arguments.question.set.given, "", info);
  check_given(*run.task, plan.given, "--conditions");
  plan.out = file_output(run, arguments);
  plan.use = result_use(run, arguments);
  ResultFile(plan.out, plan.use);
  return plan;
}

}  // namespace pairs::batch

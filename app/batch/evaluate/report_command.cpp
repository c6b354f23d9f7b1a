#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "app/batch/infer/infer_question.h"
#include "app/batch/parts/command.h"
#include "app/batch/parts/drive.h"
#include "app/batch/parts/numbers.h"
#include "app/batch/parts/question_options.h"
#include "app/batch/parts/result_file.h"
#include "app/posterior/frequentist/toy_table.h"
#include "app/report/report.h"
#include "app/runs/task_words.h"
#include "app/session/session.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::batch {
namespace {

constexpr std::int64_t kFewestTestSets = 20;

struct ReportArguments {
  InferArguments set;  // run, set and samples, as for infer
  std::int64_t sets = -1;
  std::int64_t test_seed = -1;
  std::int64_t confidence = 0;
  bool observations = false;
  std::vector<std::string> notes;
};

ReportQuestion question_of(const ReportArguments& arguments) {
  ReportQuestion question;
  question.asked = arguments.set.question;
  if (arguments.set.samples > 0) question.draws = arguments.set.samples;
  question.sets = arguments.sets;
  question.local_test = arguments.set.local_test;
  question.confidence = arguments.confidence;
  question.observations = arguments.observations;
  if (arguments.test_seed >= 0) question.test_seed = static_cast<std::uint64_t>(arguments.test_seed);
  for (const std::string& note : arguments.notes)
    if (std::string text = tidy_note(note); !text.empty()) question.notes.push_back(std::move(text));
  question.force = arguments.set.force;
  question.device = arguments.set.open.device;
  return question;
}

Result report(const ReportArguments& arguments) {
  const InferArguments& set = arguments.set;
  const bool pdf = std::filesystem::path(set.out).extension() == ".pdf";
  if (!pdf && std::filesystem::path(set.out).extension() != ".html")
    fail_usage("--out {} must end in .html or .pdf", printable(set.out, 300));
  check_output(set.out, pdf ? ".pdf" : ".html", {set.data()});
  const ResultFile file(set.out, {.made = set.question.run, .overwrite = set.overwrite});
  if (!set.question.set.group.empty() && set.question.set.member.empty())
    fail_usage("--group separates many sets, and a report is of one; choose it with --member");
  if (arguments.sets > 0 && arguments.sets < kFewestTestSets)
    fail_usage("--sets {} are too few to test ranks; give {} or more, or 0 to leave calibration out", arguments.sets,
               kFewestTestSets);
  if (arguments.sets == 0 && arguments.test_seed >= 0)
    fail_usage("--test-seed draws the sets of calibration, and --sets 0 leaves that out; leave out one of them");
  ReportQuestion question = question_of(arguments);
  if (pdf) question.ending = ".pdf";
  const LoadedRun run = open_run(set.question.run, set.open);
  ProgressPrinter printer = stderr_printer();
  Page page;
  drive([&](Monitor& monitor) { page = report_page(run, question, monitor); }, printer);
  write_file(set.out, pdf ? page_pdf(page) : page_html(page));
  file.written();
  Result result;
  result.text = fmt::format("{}\nReport: {}\n", page.title, set.out);
  for (const auto& warning : page.document["warnings"])
    result.text += fmt::format("warning: {}\n", warning.get<std::string>());
  result.document = std::move(page.document);
  result.document["report"] = set.out;
  return result;
}

}  // namespace

Action add_report(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<ReportArguments>();
  InferArguments& set = arguments->set;
  set.open.tasks = tasks;
  const auto options = std::make_shared<QuestionOptions>();
  QuestionOptionUse use;
  use.set.needs_data = true;
  const std::string own = "a report is about a set of your own; figure posterior shows simulated ones";
  use.set.without = {{"index", own}, {"theta", own}, {"psi", own}, {"seed", ""}};
  use.n = "Use the first N observations (default: all)";
  use.derive = "A quantity that follows from the targets, as infer --derive takes it; may be given again";
  use.prior = "Also report the posterior under another prior, as infer --prior takes it; may be given again";
  use.training_prior = "With --prior, as infer --training-prior takes it; may be given again";
  use.refine = "Also report the posterior by the run's learned likelihood";
  use.source = "Which comes first: best (default), run or refined";
  use.interval = "Interval type: central, hpd (highest density) or upper (limits)";
  use.seed = "Seed of the samples, and of observations that are made of an item";
  add_question_options(app, *options, use);
  app.add_option("--out", set.out, "Where the report goes: .html, or .pdf")->type_name("FILE")->required();
  app.add_option("--samples", set.samples, "Posterior samples (default: 1000, of images 16)")
      ->type_name("S")
      ->transform(whole_number(2, 10000000));
  app.add_option("--sets", arguments->sets,
                 "Simulated sets on which calibration at this N is measured (default: as evaluate takes them); 0 "
                 "leaves it out, and the report states it")
      ->type_name("M")
      ->transform(whole_number(0, 10000000));
  app.add_option(
         "--note", arguments->notes,
         "What is to be known of the data or the work, which the page shows under \"Notes\"; may be given again")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  app.add_option("--test-seed", arguments->test_seed,
                 "Seed of the simulated sets on which calibration is measured (default: that of evaluate)")
      ->type_name("N")
      ->transform(whole_number(0, 9007199254740992));
  app.add_option("--local-test", set.local_test,
                 "Also test this posterior itself by M simulated sets, as infer --local-test does")
      ->type_name("M")
      ->transform(whole_number(1, 1000000));
  app.add_flag("--observations", arguments->observations,
               "Also test which observations the model cannot make, as infer --observations does");
  app.add_option("--confidence", arguments->confidence,
                 "Also report confidence intervals by so many toys at each value of θ, as frequentist does (10000 is "
                 "its number)")
      ->type_name("TOYS")
      ->transform(whole_number(100, kMostToys));
  add_machine_arguments(app, set.open);
  app.add_flag("--force", set.force,
               "Accept more observations than training saw, up to the task's largest N (extrapolates)");
  add_overwrite_option(app, set.overwrite);
  app.footer(with_task_names(
      R"(Examples:
  pairs --batch report {first} --data events.csv --out report.html
  pairs --batch report {first} --data events.csv --n 20 --sets 500 --out report.pdf
  pairs --batch report {first} --data events.csv --note 'taken at night' --out report.html
  pairs --batch report {first} --data events.csv --prior 'beta(2, 8)' --local-test 500 --out report.html
One HTML page that holds all it shows: question and answer, the data with their SHA-256, the posterior as table,
figure and samples, how typical of the model the data are, calibration on simulated sets of the same N, training
and its cost, limits, a methods paragraph with references, and the commands that give its numbers again; as PDF
without the samples. With
--json the numbers themselves, which the page carries, too.)"));
  return [arguments, options] {
    arguments->set.question = options->question();
    return report(*arguments);
  };
}

}  // namespace pairs::batch

#include "app/batch/parts/question_options.h"

#include <CLI/CLI.hpp>

#include "app/batch/parts/numbers.h"
#include "app/posterior/source/other_prior.h"
#include "core/base/text/error.h"
#include "core/eval/metrics/interval.h"

namespace pairs::batch {

Question QuestionOptions::question() const {
  Question question = asked_;
  question.set = own_seed_ ? set_.choice(question.seed) : set_.choice();
  if (!interval_.empty()) question.interval = interval_kind(interval_, "--interval");
  if (!source_.empty()) question.source = source_wish(source_, "--source");
  if (refine_ && !source_.empty() && question.source != SourceWish::both)
    fail_usage("--refine and --source {} contradict each other; leave one of them out", source_);
  if (refine_) question.source = SourceWish::both;
  if (prior_.empty() && !training_prior_.empty())
    fail_usage("--training-prior states the prior to be replaced by another; name that with --prior");
  question.prior = prior_line({prior_, training_prior_});
  return question;
}

void add_question_options(CLI::App& app, QuestionOptions& options, const QuestionOptionUse& use) {
  Question& asked = options.asked_;
  if (use.run) app.add_option("RUN", asked.run, "A run folder, or a task's name for its shipped weights")->required();
  add_set_options(app, options.set_, use.set);
  const auto texts = [&](const char* name, std::vector<std::string>& values, const std::string& help) {
    if (!help.empty()) app.add_option(name, values, help)->type_name("TEXT")->allow_extra_args(false);
  };
  if (!use.n.empty())
    app.add_option("--n", asked.n, use.n)->type_name("N")->transform(whole_number(1, std::int64_t{1} << 40));
  texts("--derive", asked.derived, use.derive);
  texts("--prior", options.prior_, use.prior);
  texts("--training-prior", options.training_prior_, use.training_prior);
  if (!use.interval.empty()) {
    options.interval_ = interval_word(asked.interval);
    app.add_option("--interval", options.interval_, use.interval)->type_name("KIND")->capture_default_str();
  }
  if (!use.learned_product.empty()) app.add_flag("--learned-product", asked.learned_product, use.learned_product);
  if (!use.refine.empty()) app.add_flag("--refine", options.refine_, use.refine);
  if (!use.source.empty()) {
    app.add_option("--source", options.source_, use.source)->type_name("NAME");
  }
  options.own_seed_ = !use.seed.empty();
  if (options.own_seed_)
    app.add_option("--seed", asked.seed, use.seed)
        ->type_name("N")
        ->transform(whole_number(0, 9007199254740992))
        ->capture_default_str();
}

}  // namespace pairs::batch

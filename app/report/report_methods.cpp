#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/posterior/question/set_arguments.h"
#include "app/report/report_sections.h"
#include "app/runs/places.h"
#include "app/scores/run_evaluation.h"
#include "core/base/fields/face.h"
#include "core/base/gpu/devices.h"
#include "core/base/text/text.h"
#include "core/ensemble.h"
#include "core/eval/metrics/interval.h"
#include "core/given.h"
#include "core/report/number_text.h"
#include "core/version.h"

namespace pairs {
namespace {

// The works cited for methods, by key.
const std::map<std::string, std::string>& works() {
  static const std::map<std::string, std::string> all = {
      {"pairs",
       "A. Wehenkel, M. Kagan, L. Heinrich, C. Pollard. It Just Takes Two: Scaling Amortized Inference to Large Sets. "
       "arXiv:2605.07972, 2026."},
      {"sets", "M. Zaheer et al. Deep Sets. NeurIPS 2017."},
      {"adamw", "I. Loshchilov, F. Hutter. Decoupled Weight Decay Regularization. ICLR 2019."},
      {"ensembles",
       "B. Lakshminarayanan, A. Pritzel, C. Blundell. Simple and Scalable Predictive Uncertainty Estimation using Deep "
       "Ensembles. NeurIPS 2017, arXiv:1612.01474."},
      {"ranks",
       "S. Talts et al. Validating Bayesian Inference Algorithms with Simulation-Based Calibration. arXiv:1804.06788, "
       "2018."}};
  return all;
}

// A text with citations, numbered in order of appearance.
class Citing {
 public:
  void say(const std::string& text) { text_ += (text_.empty() ? "" : " ") + text; }
  // "[2]", for one of works(), and for a work given as a reference.
  std::string cite(const std::string& key) { return cite_work(works().at(key)); }
  std::string cite_work(const std::string& work) {
    const auto known = std::find(cited_.begin(), cited_.end(), work);
    const auto place = known - cited_.begin();
    if (known == cited_.end()) cited_.push_back(work);
    return fmt::format("[{}]", place + 1);
  }
  const std::string& text() const { return text_; }
  const std::vector<std::string>& references() const { return cited_; }

 private:
  std::string text_;
  std::vector<std::string> cited_;
};

// "a residual network [3]"
std::string network_words(const NetworkDescription& network, Citing& citing) {
  return network.work.empty() ? network.words : network.words + " " + citing.cite_work(network.work);
}

std::string optimizer_words(const OptimizerConfig& optimizer, const StageRecord& record) {
  const std::int64_t done = record.last.step > 0 ? record.last.step : optimizer.epochs * optimizer.steps;
  return fmt::format("{}batches of {} sets at an initial learning rate of {:g} with cosine annealing",
                     done > 0 ? count_text(done) + " steps on " : "", count_text(optimizer.batch), optimizer.rate);
}

void say_training(const ReportContent& content, Citing& citing) {
  const RunConfig& config = content.run.config;
  const std::string adamw = "AdamW " + citing.cite("adamw");
  const StageRecord& first = content.progress.stage(Stage::pretrain);
  if (config.pretrain.epochs > 0)
    citing.say(fmt::format("Both were trained together on sets of N in {{{}}} ({}) with {}{}.",
                           fmt::join(config.pretrain.sizes, ", "), learned_from(content.run), adamw,
                           ", " + optimizer_words(config.pretrain, first)));
  else
    citing.say(
        fmt::format("Their weights began as those of another run ({}), whose training is not part of this record.",
                    printable(config.pretrain.from, 200)));
  if (!content.run.finetuned) {
    if (strategy(config.strategy).stages_2_and_3)
      citing.say("The head was not finetuned on larger sets: this is the estimator of the first stage alone.");
    return;
  }
  const StageRecord& last = content.progress.stage(Stage::finetune);
  citing.say(
      fmt::format("The embedder was then frozen, the means of its embeddings over sets of up to N = {} were "
                  "cached, and {} on these ({}).",
                  count_text(*std::max_element(config.cache.sizes.begin(), config.cache.sizes.end())),
                  keeps_regression(config) ? "the spread of its predictions was fitted" : "the head alone was trained",
                  adamw + ", " + optimizer_words(config.finetune, last)));
}

void say_ensemble(const ReportContent& content, Citing& citing) {
  const std::vector<EnsembleMember>& members = content.run.config.ensemble;
  if (members.empty()) return;
  std::vector<std::int64_t> seeds;
  for (const EnsembleMember& one : members) seeds.push_back(one.seed);
  const Ensemble* const mean = face<Ensemble>(*content.run.estimator);
  const double width = mean == nullptr ? 1 : mean->width();
  citing.say(
      fmt::format("So were {} estimators trained, with the seeds {}; the posterior is the mean of their "
                  "densities {}{}.",
                  members.size(), fmt::join(seeds, ", "), citing.cite("ensembles"),
                  width == 1 ? ""
                             : fmt::format(", recalibrated on held-out sets: {} about its mean by a factor of {:.3g}",
                                           width < 1 ? "narrowed" : "widened", width)));
}

void say_tests(const ReportContent& content, Citing& citing) {
  if (!content.metrics) {
    citing.say("Its calibration at this N was not measured.");
    return;
  }
  const EvaluationRow& row = content.metrics->rows.front();
  citing.say(fmt::format("On {} further simulated sets of N = {} ", count_text(row.sets), count_text(content.n())) +
             (std::isfinite(row.nll)
                  ? fmt::format("its negative log posterior density of the true values was {} nat",
                                with_error_text(row.nll, row.nll_se, 3)) +
                        (std::isfinite(row.gap) ? fmt::format(", {} above that of the exact posterior on the same sets",
                                                              with_error_text(row.gap, row.gap_se, 4))
                                                : "") +
                        fmt::format("; ranks of the true values among {} posterior samples were tested for location, "
                                    "width and uniformity {}.",
                                    count_text(row.samples), citing.cite("ranks"))
                  : fmt::format("the squared error of a posterior sample was {:.4g} per pixel, of the posterior mean "
                                "{:.4g}, of the prior's mean {:.4g}.",
                                row.mse, row.mse_posterior, row.mse_prior)));
}

}  // namespace

PageSection methods_section(const ReportContent& content) {
  const TaskInfo& info = content.info();
  const RunConfig& config = content.run.config;
  Citing citing;
  std::vector<std::string> labels;
  for (const Target& target : info.targets) labels.push_back(target.title());
  citing.say(
      fmt::format("We inferred {} from a set of N = {} observations by amortized simulation-based inference with "
                  "PAIRS {}, as implemented in Pairs Studio {}.",
                  labels.empty() ? std::string("the target image") : fmt::format("{}", fmt::join(labels, " and ")),
                  count_text(content.n()), citing.cite("pairs"), kVersion));
  // Works are numbered in the order of the text.
  const std::string embedder = network_words(content.run.estimator->embedder().describe(), citing);
  const std::string mean = citing.cite("sets");
  const std::string head = network_words(shown_head(content).describe(), citing);
  citing.say(
      fmt::format("Each observation is embedded by {} into {} numbers, whose mean over the set {}{} is what the "
                  "posterior is conditioned on; the posterior is modeled by {}.",
                  embedder, one_of_ensemble(content.run.estimator).embedding_size(), mean,
                  config.estimator.encoding == "none" ? "" : ", with an encoding of N next to it,", head));
  if (const std::string given = given_text(content.set().task(), content.set().latents().given); !given.empty())
    citing.say(fmt::format("It is also conditioned on the conditions of the set: {}.", given));
  say_training(content, citing);
  say_ensemble(content, citing);
  if (content.answer.refined_first())
    citing.say(fmt::format(
        "The posterior shown was refined for this set: its targets and nuisances were sampled by {} from their prior "
        "times a learned density of each observation, with {} effective samples{}.",
        content.answer.refined->sequential ? "sequential Monte Carlo" : "importance",
        count_text(std::llround(content.answer.refined->effective)),
        content.answer.refined->sequential ? ""
                                           : fmt::format(" and a Pareto k of {:.2f}", content.answer.refined->shape)));
  say_tests(content, citing);
  PageSection section{
      "methods", "Methods", {PageText{"To be pasted and adapted; every statement follows from the actual run."}}};
  section.blocks.push_back(PageText{citing.text()});
  section.blocks.push_back(PageReferences{citing.references()});
  return section;
}

namespace {

// The option that names which posterior comes first, unless it is the usual one.
std::string source_words(const ReportQuestion& question) {
  return question.asked.source == SourceWish::best ? ""
                                                   : fmt::format(" --source {}", source_word(question.asked.source));
}

}  // namespace

std::string figure_command_of(const ReportContent& content, const std::string& figure) {
  const ReportQuestion& question = content.question;
  const bool predictive = figure == "predictive";
  // That figure uses one posterior sample, by the first seed.
  if (predictive && (question.asked.seed != PredictiveOptions().seed || question.asked.set.camera)) return "";
  const std::string interval = predictive || question.asked.interval == IntervalKind::central
                                   ? ""
                                   : fmt::format(" --interval {}", interval_word(question.asked.interval));
  const std::string machine = question.device == "auto" ? "" : " --device " + shell_word(question.device);
  return fmt::format("pairs --batch figure {} {}{} --n {}{}{}{} --out {}.svg", figure,
                     shell_word(content.question.asked.run), set_arguments(question.asked.set, SetCommand::figure),
                     content.n(), predictive ? "" : source_words(question), interval, machine, figure);
}

std::vector<ReportCommand> report_commands(const ReportContent& content) {
  const ReportQuestion& question = content.question;
  const std::string run = shell_word(content.question.asked.run);
  std::string machine = question.device == "auto" ? "" : " --device " + shell_word(question.device);
  const std::string interval = question.asked.interval == IntervalKind::central
                                   ? ""
                                   : fmt::format(" --interval {}", interval_word(question.asked.interval));
  const std::string size = fmt::format(" --n {}", content.n()), source = source_words(question),
                    force = question.force ? " --force" : "";
  std::string derive;
  for (const std::string& one : question.asked.derived) derive += " --derive=" + shell_word(one);
  const std::string samples = derive + fmt::format(" --samples {} --seed {}", question.draws, question.asked.seed);
  const std::string predictive = content.predictive   ? fmt::format(" --predictive {}", content.predictive->test.sets)
                                 : question.sets == 0 ? " --predictive 0"
                                                      : "";
  std::string prior;
  const PriorTexts texts = prior_texts(question.asked.prior);
  for (const std::string& one : texts.now) prior += " --prior=" + shell_word(one);
  for (const std::string& one : texts.learned) prior += " --training-prior=" + shell_word(one);
  const std::string local = question.local_test > 0 ? fmt::format(" --local-test {}", question.local_test) : "";
  const std::string singles = question.observations ? " --observations" : "";
  const std::string confidence = question.confidence > 0 ? fmt::format(" --confidence {}", question.confidence) : "";
  const std::string sets = question.sets < 0 ? "" : fmt::format(" --sets {}", question.sets);
  std::string noted = question.test_seed ? fmt::format(" --test-seed {}", *question.test_seed) : "";
  for (const std::string& note : question.notes) noted += " --note=" + shell_word(note);
  std::vector<ReportCommand> out;
  out.push_back({"the posterior's numbers and samples",
                 fmt::format("pairs --batch infer {}{}{}{}{}{}{}{}{} --out {}", run,
                             set_arguments(question.asked.set, SetCommand::infer), size + source, samples, predictive,
                             prior + local + (question.observations ? singles + " observations.csv" : ""), interval,
                             force, machine, content.ours.empty() ? "posterior" : "samples.csv")});
  if (!content.answer.numbers.empty())
    out.push_back({"the posterior's figure", figure_command_of(content, "posterior")});
  if (content.metrics) {
    const std::array<std::string, 4> values = evaluation_texts(options_of(*content.metrics));
    std::string words;
    for (std::size_t i = 0; i < values.size(); ++i) words += fmt::format(" {} {}", kEvaluationArguments[i], values[i]);
    out.push_back({"its calibration at this N",
                   fmt::format("pairs --batch evaluate {}{}{}{} --out evaluation.json", run, words, force, machine)});
  }
  if (question.confidence > 0)
    out.push_back(
        {"its confidence intervals", fmt::format("pairs --batch frequentist {}{}{} --toys {} --null-toys {}{}", run,
                                                 set_arguments(question.asked.set, SetCommand::infer), size,
                                                 question.confidence, null_toys_of(question.confidence), machine)});
  out.push_back({"this report", fmt::format("pairs --batch report {}{}{}{}{}{}{}{}{} --out report{}", run,
                                            set_arguments(question.asked.set, SetCommand::infer), size + source,
                                            samples, prior + local + singles + confidence, sets + noted, interval,
                                            force, machine, question.ending)});
  return out;
}

PageSection commands_section(const ReportContent& content) {
  PageSection section{"commands", "Reproduce", {}};
  std::string lines;
  for (const ReportCommand& one : report_commands(content)) lines += fmt::format("# {}\n{}\n", one.gives, one.command);
  section.blocks.push_back(PageLines{lines});
  PageFacts facts;
  facts.facts = {{"program", fmt::format("Pairs Studio {}", kVersion)},
                 {"weights", fmt::format("{} (checksum {})", run_words(content), weights_checksum(content.run))},
                 {"computed by", numerics_fingerprint(choose_device(content.question.device))}};
  section.blocks.push_back(facts);
  section.blocks.push_back(
      PageText{"The same program, weights, data and device give the same numbers to the last digit; "
               "another processor or number of threads changes the last digits."});
  return section;
}

}  // namespace pairs

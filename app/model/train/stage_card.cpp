#include "app/model/train/stage_card.h"

#include <algorithm>

#include "app/model/train/run_history.h"

namespace pairs::model {
namespace {

constexpr const char* kStageTitles[kStages] = {"Pretrain", "Cache", "Finetune", "Likelihood"};
constexpr const char* kWhats[kStages] = {
    "Embedder and head learn together on small sets.",
    "Every finetuning set goes through the frozen embedder once; sums of its embeddings are kept.",
    "The head alone learns sets of every size from the cache.",
    "Networks learn the likelihood of one observation, by which posteriors are refined.",
};

}  // namespace

StageCard empty_card(int k) {
  StageCard card;
  card.title = kStageTitles[k];
  card.what = kWhats[k];
  return card;
}

void fill_card(StageCard& card, int k, const RunView& run, Activity state, const SessionProgress* session) {
  const bool own = session != nullptr;
  const StageRecord& record = run.stages[static_cast<std::size_t>(k)];
  const bool done[kStages] = {run.pretrained, run.cached, run.finished, run.learned};
  const int current = own ? session->stage : run.current;
  const auto& config = run.config;
  card.exact = run.exact[static_cast<std::size_t>(k)];
  card.train = record.last.train;
  card.validation = record.last.validation;
  if (record.begun) card.elapsed = record.before + record.seconds;
  const bool heads = config && many_heads(*config, static_cast<Stage>(k));
  if (heads) card.head = record.head;
  const bool likelihood = k == kLikelihoodStage;
  if (likelihood ? !run.no_likelihood.empty() : config && k > 0 && !pairs::strategy(config->strategy).stages_2_and_3) {
    card.state = StageState::unneeded;
    return;
  }
  if (record.begun && record.epochs > 0 && record.steps > 0) {
    card.done = record.last.step;
    card.total = record.epochs * record.steps;
    card.unit = "steps";
    const double part = static_cast<double>(card.done) / static_cast<double>(card.total);
    card.share = config ? stage_share(*config, static_cast<Stage>(k), record.head, part) : part;
  }
  if (done[k] || (!likelihood && (own || state == Activity::elsewhere) && k < current)) {
    card.state = StageState::done;
    card.share = 1;
    return;
  }
  if (own && k == current) {
    const bool held = state == Activity::paused;
    card.state = held ? StageState::paused : StageState::running;
    card.elapsed = record.before + session->elapsed;
    if (std::isfinite(session->share)) card.share = session->share;
    if (session->progress) {
      const Progress& p = *session->progress;
      const bool renewing = k == 2 && p.stage == Stage::cache;
      if (static_cast<int>(p.stage) != k && !renewing) return;
      card.done = p.done;
      card.total = p.total;
      card.unit = renewing ? "sets of the cache renewed" : p.unit;
      if (!held && !renewing) {
        card.rate = p.rate;
        card.sets_per_second = p.sets_per_second;
        if (p.rate > 0) {
          card.eta = p.eta_seconds;
          if (heads)
            card.eta += static_cast<double>(config->cache.sizes.size() - 1 - head_place(*config, session->head)) *
                        static_cast<double>(p.total) / p.rate;
        }
      }
      if (std::isfinite(p.loss)) card.train = p.loss;
      if (std::isfinite(p.validation)) card.validation = p.validation;
    }
    return;
  }
  if (state == Activity::elsewhere && k == current && record.running) {
    card.state = StageState::running;
    card.rate = record.rate;
    if (config && std::isfinite(record.rate)) {
      const std::int64_t batch = k == 0 ? config->pretrain.batch : config->finetune.batch;
      if (!likelihood) card.sets_per_second = record.rate * static_cast<double>(batch);
      if (card.total > 0) card.eta = static_cast<double>(card.total - card.done) / record.rate;
    }
    return;
  }
  if (k == current && (state == Activity::failed || (!likelihood && !run.error.empty())))
    card.state = StageState::failed;
}

}  // namespace pairs::model

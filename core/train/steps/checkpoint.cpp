#include "core/train/steps/checkpoint.h"

#include <ATen/core/grad_mode.h>

#include <sstream>

#include "core/base/files/safetensors.h"
#include "core/base/gpu/devices.h"
#include "core/base/text/error.h"
#include "core/base/text/log.h"
#include "core/train/run/run.h"

namespace pairs {
namespace {

// A double written so that it reads back bit for bit.
std::string exact_text(double value) {
  return fmt::format("{:a}", value);
}

// Several doubles, separated by blanks.
std::string exact_texts(const std::vector<double>& values) {
  std::string out;
  for (const double value : values) out += (out.empty() ? "" : " ") + exact_text(value);
  return out;
}

std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> out;
  std::istringstream in(text);
  for (std::string one; in >> one;) out.push_back(std::stod(one));
  return out;
}

}  // namespace

void assign(const TensorMap& target, const TensorMap& values) {
  at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : target) tensor.detach().copy_(values.at(name));
}

Checkpoint::Checkpoint(const Problem& problem, const RunConfig& config, std::filesystem::path file)
    : problem_(problem), file_(std::move(file)), numerics_(numerics_fingerprint(problem.device)), config_(config) {}

void Checkpoint::save(const Position& at, const TensorMap& best, const WeightAverage& average,
                      const AdamW& adam) const {
  TensorFile content;
  for (const auto& [name, tensor] : problem_.parameters) content.tensors["live." + name] = tensor;
  for (const auto& [name, tensor] : best) content.tensors["best." + name] = tensor;
  for (const auto& [name, tensor] : average.values()) content.tensors["average." + name] = tensor;
  for (const auto& [name, tensor] : adam.state()) content.tensors["adam." + name] = tensor;
  content.metadata = {{"format", "pairs-resume-1"},
                      {"stage", stage_name(problem_.stage)},
                      {"head_n", std::to_string(problem_.head_n)},
                      {"numerics", numerics_},
                      {"training_settings", training_settings(config_)},
                      {"epoch", std::to_string(at.epoch)},
                      {"step", std::to_string(at.step)},
                      {"sum", exact_text(at.sum)},
                      {"parts", exact_texts(at.parts)},
                      {"best", exact_text(at.best)},
                      {"best_epoch", std::to_string(at.best_epoch)},
                      {"last_train", exact_text(at.last_train)},
                      {"seconds", exact_text(at.seconds)},
                      {"first", exact_text(at.first)},
                      {"last_validation", exact_text(at.last_validation)}};
  write_safetensors(file_, content);
}

bool Checkpoint::load(Position& at, TensorMap& best, const WeightAverage& average, AdamW& adam,
                      std::string& warning) const {
  if (!std::filesystem::exists(file_)) return false;
  const TensorFile content = [&] {
    try {
      return read_safetensors(file_);
    } catch (const Error& error) {
      fail("{}; or remove it, to start the stage again", error.what());
    }
  }();
  const auto meta = [&](const char* key) -> const std::string& {
    const auto it = content.metadata.find(key);
    PAIRS_CHECK(it != content.metadata.end(),
                "{} is not a checkpoint of this program: it lacks \"{}\"; remove it to "
                "start the stage again",
                file_.string(), key);
    return it->second;
  };
  PAIRS_CHECK(meta("format") == "pairs-resume-1", "{} has an unknown format \"{}\"; remove it to start the stage again",
              file_.string(), meta("format"));
  if (meta("stage") != stage_name(problem_.stage) || meta("head_n") != std::to_string(problem_.head_n)) return false;
  const std::string changed = changed_setting(meta("training_settings"), config_, Stage::finetune, file_.string());
  PAIRS_CHECK(changed.empty(), "{} as {} states now; put it back, or start a new run", changed,
              (file_.parent_path() / run_file::config).string());
  if (const std::string edited = edited_settings(meta("training_settings"), config_, Stage::finetune, file_.string());
      !edited.empty())
    spdlog::warn("{} was changed since {} was saved, when it stated {}",
                 (file_.parent_path() / run_file::config).string(), file_.filename().string(), edited);
  TensorMap live, moments, averages;
  for (const auto& [name, tensor] : content.tensors) {
    if (name.starts_with("live.")) live[name.substr(5)] = tensor;
    if (name.starts_with("best.")) best[name.substr(5)] = tensor;
    if (name.starts_with("average.")) averages[name.substr(8)] = tensor;
    if (name.starts_with("adam.")) moments[name.substr(5)] = tensor;
  }
  for (const auto& [name, tensor] : problem_.parameters)
    for (const TensorMap* part : {&live, &best, &averages}) {
      if ((part == &best && best.empty()) || (part == &averages && !average.on())) continue;
      const auto it = part->find(name);
      PAIRS_CHECK(it != part->end() && it->second.sizes() == tensor.sizes(),
                  "{} does not fit this run's network (tensor {}); remove it to start the stage again", file_.string(),
                  name);
    }
  try {
    at.epoch = std::stoll(meta("epoch"));
    at.step = std::stoll(meta("step"));
    at.sum = std::stod(meta("sum"));
    at.parts = numbers_of(meta("parts"));
    at.best = std::stod(meta("best"));
    at.best_epoch = std::stoll(meta("best_epoch"));
    at.last_train = std::stod(meta("last_train"));
    at.seconds = std::stod(meta("seconds"));
    at.first = std::stod(meta("first"));
    at.last_validation = std::stod(meta("last_validation"));
  } catch (const std::logic_error&) {
    fail("{} holds a counter that cannot be read; remove it to start the stage again", file_.string());
  }
  const bool possible = at.parts.size() <= kLossParts && at.epoch >= 0 && at.epoch <= problem_.epochs && at.step >= 0 &&
                        at.step <= problem_.steps && at.best_epoch <= at.epoch && at.seconds >= 0;
  PAIRS_CHECK(possible,
              "{} stands at step {} of epoch {}, which its stage does not have; remove it to start the stage "
              "again",
              file_.string(), at.step, at.epoch);
  assign(problem_.parameters, live);
  assign(average.values(), averages);
  adam.load(moments);
  if (meta("numerics") != numerics_)
    warning = fmt::format(
        "This run was begun on \"{}\" and continues on \"{}\": its weights will not be bit-identical "
        "to an uninterrupted run",
        meta("numerics"), numerics_);
  return true;
}

}  // namespace pairs

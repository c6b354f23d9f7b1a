#include "core/train/events.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/base/error.h"

namespace pairs {
namespace {

// Whether `later` begins or resumes a stage and so tells `earlier` again.
bool tells_again(const Event& later, const Event& earlier) {
  const auto head = [](const Event& e) { return e.values.value("n", std::int64_t{0}); };
  if (later.type != "resumed" && later.type != "stage-started") return false;
  if (earlier.stage != later.stage) return false;
  return earlier.type == "stage-done" ||
         (earlier.type == "loss" && earlier.epoch >= later.epoch && head(earlier) == head(later));
}

}  // namespace

const char* stage_name(Stage stage) {
  switch (stage) {
    case Stage::pretrain:
      return "pretrain";
    case Stage::cache:
      return "cache";
    case Stage::finetune:
      return "finetune";
    case Stage::evaluate:
      return "evaluate";
  }
  return "";
}

nlohmann::json to_json(const Event& event) {
  nlohmann::json line = {{"type", event.type},
                         {"stage", stage_name(event.stage)},
                         {"step", event.step},
                         {"epoch", event.epoch},
                         {"seconds", event.seconds}};
  for (const auto& [key, value] : event.values.items()) line[key] = value;
  return line;
}

std::string log_line(const Event& event) {
  return to_json(event).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool parse_event(const std::string& text, Event& event) {
  nlohmann::json line = nlohmann::json::parse(text, nullptr, false);
  if (line.is_discarded() || !line.is_object()) return false;
  event = {};
  try {
    const std::string stage = line.value("stage", "");
    for (Stage s : {Stage::pretrain, Stage::cache, Stage::finetune, Stage::evaluate})
      if (stage == stage_name(s)) event.stage = s;
    event.type = line.value("type", "");
    event.step = line.value("step", std::int64_t{0});
    event.epoch = line.value("epoch", std::int64_t{0});
    event.seconds = line.value("seconds", 0.0);
    (void)line.value("n", std::int64_t{0});  // tells_again reads it
  } catch (const nlohmann::json::exception&) {
    return false;
  }
  for (const char* key : {"type", "stage", "step", "epoch", "seconds"}) line.erase(key);
  event.values = std::move(line);
  return true;
}

std::vector<Event> read_events(const std::string& file) {
  std::error_code error;
  PAIRS_CHECK(!std::filesystem::exists(file, error) || std::filesystem::is_regular_file(file, error),
              "The event log {} is a pipe or a device; remove it", file);
  std::ifstream in(file);
  PAIRS_CHECK(in.good(), "The event log {} cannot be read; is this a run folder?", file);
  std::vector<Event> events;
  std::string text;
  Event event;
  while (std::getline(in, text)) {
    if (!parse_event(text, event)) continue;
    if (event.type == "resumed" || event.type == "stage-started")
      std::erase_if(events, [&](const Event& earlier) { return tells_again(event, earlier); });
    events.push_back(std::move(event));
  }
  return events;
}

void EventQueue::push(Event event) {
  const std::lock_guard lock(mutex_);
  events_.push_back(std::move(event));
}

std::vector<Event> EventQueue::drain() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

}  // namespace pairs

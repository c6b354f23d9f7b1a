#include "core/train/events.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/train/event_values.h"

namespace pairs {
namespace {

constexpr std::int64_t kMostBytes = 16 << 20;  // of a log, from its end
constexpr std::size_t kLongestLine = 64 << 10;
constexpr std::pair<EventType, const char*> kTypes[] = {
    {EventType::started_from, "started-from"},
    {EventType::prepared, "prepared"},
    {EventType::stage_started, "stage-started"},
    {EventType::resumed, "resumed"},
    {EventType::lesson, "lesson"},
    {EventType::loss, "loss"},
    {EventType::warning, "warning"},
    {EventType::error, "error"},
    {EventType::stage_done, "stage-done"},
    {EventType::taken, "taken"},
    {EventType::stopped, "stopped"},
    {EventType::done, "done"},
    {EventType::row, "row"},
};

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

const char* event_type_name(EventType type) {
  for (const auto& [known, name] : kTypes)
    if (known == type) return name;
  return "";
}

nlohmann::json to_json(const Event& event) {
  nlohmann::json line = {{"type", event_type_name(event.type)},
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
  nlohmann::json line = parse_json(text);
  if (!line.is_object()) return false;
  event = {};
  try {
    const std::string stage = line.value("stage", "");
    for (Stage s : {Stage::pretrain, Stage::cache, Stage::finetune, Stage::evaluate})
      if (stage == stage_name(s)) event.stage = s;
    const std::string type = line.value("type", "");
    const auto known =
        std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto& one) { return type == one.second; });
    if (known == std::end(kTypes)) return false;
    event.type = known->first;
    event.step = line.value("step", std::int64_t{0});
    event.epoch = line.value("epoch", std::int64_t{0});
    event.seconds = line.value("seconds", 0.0);
    (void)line.value("n", std::int64_t{0});  // read_events reads it
  } catch (const nlohmann::json::exception&) {
    return false;
  }
  for (const char* key : {"type", "stage", "step", "epoch", "seconds"}) line.erase(key);
  event.values = std::move(line);
  return true;
}

bool follow_events(const std::filesystem::path& file, std::int64_t& offset, const std::function<void(Event&)>& take,
                   const std::function<void()>& pause) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (opened < 0 || ::fstat(opened, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const auto size = static_cast<std::int64_t>(status.st_size);
  bool torn = size - offset > kMostBytes;  // passes over what is left of a line
  if (torn) offset = size - kMostBytes;
  std::string block(256 << 10, '\0'), line;
  Event event;
  for (std::int64_t at = offset; at < size;) {
    const auto wanted = std::min<std::int64_t>(static_cast<std::int64_t>(block.size()), size - at);
    const ssize_t got = ::pread(opened, block.data(), static_cast<std::size_t>(wanted), at);
    if (got <= 0) break;
    std::string_view bytes(block.data(), static_cast<std::size_t>(got));
    for (std::size_t end = bytes.find('\n'); end != bytes.npos; end = bytes.find('\n')) {
      if (line.size() + end > kLongestLine) torn = true;
      if (!torn) line += bytes.substr(0, end);
      bytes.remove_prefix(end + 1);
      offset = at + got - static_cast<std::int64_t>(bytes.size());
      if (!torn && parse_event(line, event)) take(event);
      torn = false;
      line.clear();
    }
    torn |= line.size() + bytes.size() > kLongestLine;
    if (torn)
      line.clear();
    else
      line += bytes;
    at += got;
    if (pause) pause();
  }
  return true;
}

std::vector<Event> read_events(const std::string& file) {
  std::error_code error;
  PAIRS_CHECK(!std::filesystem::exists(file, error) || std::filesystem::is_regular_file(file, error),
              "The event log {} is a pipe or a device; remove it", file);
  // By what may be told again: the places of each head's losses, whose epochs ascend, and of the stages' ends.
  std::map<std::pair<Stage, std::int64_t>, std::vector<std::size_t>> losses;
  std::map<Stage, std::vector<std::size_t>> ends;
  std::vector<Event> events;
  std::vector<bool> dropped;
  std::int64_t offset = 0;
  const bool read = follow_events(file, offset, [&](Event& event) {
    std::vector<std::size_t>& told = losses[{event.stage, event.values.value("n", std::int64_t{0})}];
    if (begins_stage(event)) {
      for (; !told.empty() && events[told.back()].epoch >= event.epoch; told.pop_back()) dropped[told.back()] = true;
      for (const std::size_t end : std::exchange(ends[event.stage], {})) dropped[end] = true;
    }
    if (event.type == EventType::loss) told.push_back(events.size());
    if (event.type == EventType::stage_done) ends[event.stage].push_back(events.size());
    events.push_back(std::move(event));
    dropped.push_back(false);
  });
  PAIRS_CHECK(read, "The event log {} cannot be read; is this a run folder?", file);
  std::size_t at = 0;
  std::erase_if(events, [&](const Event&) { return dropped[at++]; });
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

#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pairs {

enum class Stage { pretrain, cache, finetune, likelihood, evaluate };
const char* stage_name(Stage stage);

// Names in the log have hyphens: "stage-started". taken: stages copied from another run (stage_sharing.h); row: of an
// evaluation; damaged: a line of the log that was changed, cut or lost; only readers produce it.
enum class EventType {
  started_from,
  prepared,
  stage_started,
  resumed,
  lesson,
  loss,
  warning,
  error,
  stage_done,
  taken,
  stopped,
  done,
  row,
  damaged
};
const char* event_type_name(EventType type);

// An event that must not be lost: one line of events.jsonl.
struct Event {
  EventType type = EventType::warning;
  Stage stage = Stage::pretrain;
  std::int64_t step = 0, epoch = 0;
  double seconds = 0;  // time of work on the stage, without pauses and the time between two sessions
  nlohmann::json values =
      nlohmann::json::object();  // loss: {"train", "validation", "rate"}; lesson, warning, error: {"text"}; ...
};
nlohmann::json to_json(const Event& event);
// The event's line in events.jsonl without a checksum; bytes that are not UTF-8 are replaced.
std::string log_line(const Event& event);
// Appends an event to a log (append_line). Each line ends with a checksum ("check") that continues that of the line
// before, so that a changed, cut or removed line is detected.
void append_event(const std::filesystem::path& log, const Event& event);
// The lines of a complete log that holds only these events.
std::string log_text(const std::vector<Event>& events);
// A log's text whose lines `change` rewrites, without their checksums; these are made again. Throws Error, naming
// `where`, if a line does not fit its checksum.
std::string changed_log(const std::string& text, const std::string& where,
                        const std::function<std::string(std::string)>& change);
// Parses a line of events.jsonl; false if it is incomplete or its type is unknown.
bool parse_event(const std::string& line, Event& event);
// Reads events.jsonl within the limits of follow_events; drops a torn last line. Also drops what a later start of the
// same stage repeats: losses from the epoch where it resumed, or all of them if it started over, and its end.
std::vector<Event> read_events(const std::string& file);
// Reads the events after byte `offset`, which moves to the end of the last complete line. In a larger file only the
// last 16 MiB count, and lines beyond 64 KiB are skipped. A line that does not match its checksum, lacks one although
// earlier lines have one, is not JSON, or holds impossible numbers becomes an event "damaged". Logs of earlier versions
// have no checksums. `pause` is called between blocks and may throw. Returns false if the file cannot be read.
bool follow_events(const std::filesystem::path& file, std::int64_t& offset, const std::function<void(Event&)>& take,
                   const std::function<void()>& pause = {});

// The worker's current progress, which clients may skip. Immutable once published.
struct Progress {
  Stage stage = Stage::pretrain;
  std::int64_t done = 0, total = 0;  // steps, or sets for the cache
  std::string unit;                  // "steps", "sets"
  double rate = 0;                   // unit per second, recent
  double sets_per_second = 0;
  double eta_seconds = 0;               // until this stage ends
  double loss = NAN, validation = NAN;  // latest; NaN if none
};

// Ordered queue from the worker to one client; push never blocks for long.
class EventQueue {
 public:
  void push(Event event);
  std::vector<Event> drain();

 private:
  std::mutex mutex_;
  std::vector<Event> events_;
};

}  // namespace pairs

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

enum class Stage { pretrain, cache, finetune, evaluate };
const char* stage_name(Stage stage);

// In the log with hyphens: "stage-started". taken: stages that another run had done (stage_sharing.h); row: of an
// evaluation; damaged: a line of the log that was changed, cut or lost, which readers find and nobody writes.
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

// Something that must not be lost: one line of events.jsonl.
struct Event {
  EventType type = EventType::warning;
  Stage stage = Stage::pretrain;
  std::int64_t step = 0, epoch = 0;
  double seconds = 0;  // of work on the stage: pauses, and the time between two sessions, left out
  nlohmann::json values =
      nlohmann::json::object();  // loss: {"train", "validation", "rate"}; lesson, warning, error: {"text"}; ...
};
nlohmann::json to_json(const Event& event);
// Its line in events.jsonl without a checksum; bytes that are not UTF-8 are replaced.
std::string log_line(const Event& event);
// Appends an event to a log (append_line). Each line ends with a checksum ("check") that continues the line's before,
// so that a line which was changed, cut or taken away is noticed.
void append_event(const std::filesystem::path& log, const Event& event);
// The lines of a whole log that holds these events alone.
std::string log_text(const std::vector<Event>& events);
// The event that a line of events.jsonl tells; false when it is not a whole one, or of a type
// that is not known.
bool parse_event(const std::string& line, Event& event);
// Reads events.jsonl within the limits of follow_events; a torn last line is dropped. So is what a later start of the
// same stage told again: losses from the epoch where it resumed, all of them where it began anew, and its end.
std::vector<Event> read_events(const std::string& file);
// Takes the events that stand behind byte `offset`, which moves behind the last whole line. However large the file is,
// only its last 16 MiB count, and no lines beyond 64 KiB. A line that does not fit its checksum, that lacks one behind
// lines that have one, that is no JSON, or that holds impossible numbers is taken as an event "damaged". Logs of
// earlier versions have no checksums. `pause` is called between blocks and may throw. False when this is no file that
// can be read.
bool follow_events(const std::filesystem::path& file, std::int64_t& offset, const std::function<void(Event&)>& take,
                   const std::function<void()>& pause = {});

// What may be skipped: where the worker is now. Immutable once published.
struct Progress {
  Stage stage = Stage::pretrain;
  std::int64_t done = 0, total = 0;  // steps, or sets for the cache
  std::string unit;                  // "steps", "sets"
  double rate = 0;                   // unit per second, recent
  double sets_per_second = 0;
  double eta_seconds = 0;               // of this stage
  double loss = NAN, validation = NAN;  // latest; NaN when none
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

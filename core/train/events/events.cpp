#include "core/train/events/events.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/files/descriptor.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/json.h"
#include "core/train/events/event_values.h"

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
    {EventType::damaged, "damaged"},
};

constexpr std::string_view kCheckKey = R"(,"check":")", kCheckEnd = R"("})";
constexpr std::size_t kCheckDigits = 8;
constexpr double kLargestCount = 1e18, kLargestLoss = 1e30;  // numbers that training can reach

// A line of a log: what its checksum covers, and the checksum; none in logs of earlier versions.
struct LogLine {
  std::string_view body;
  std::optional<std::uint32_t> check;
  // The state that the next line's checksum continues.
  std::uint32_t state() const { return check ? *check : checksum(body); }
};

LogLine log_line_of(std::string_view line) {
  constexpr std::size_t length = kCheckKey.size() + kCheckDigits + kCheckEnd.size();
  if (line.size() < length || !line.ends_with(kCheckEnd)) return {line, {}};
  const std::string_view seal = line.substr(line.size() - length), digits = seal.substr(kCheckKey.size(), kCheckDigits);
  std::uint32_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  const bool lower = digits.find_first_not_of("0123456789abcdef") == digits.npos;
  if (!seal.starts_with(kCheckKey) || !lower || read.ec != std::errc() || read.ptr != digits.data() + digits.size())
    return {line, {}};
  return {line.substr(0, line.size() - length), value};
}

// The line with its checksum, continuing the given state.
std::string sealed(const Event& event, std::uint32_t& state) {
  std::string line = log_line(event);
  line.pop_back();  // the brace
  state = checksum(line, state);
  return line + std::string(kCheckKey) + fmt::format("{:08x}", state) + std::string(kCheckEnd);
}

// The last complete line that ends before byte `end` of an open file; nothing if there is none of at most kLongestLine.
std::optional<std::string> line_before(int file, std::int64_t end) {
  const std::int64_t first = std::max<std::int64_t>(0, end - static_cast<std::int64_t>(kLongestLine) - 2);
  std::string bytes(static_cast<std::size_t>(end - first), '\0');
  if (bytes.empty() || ::pread(file, bytes.data(), bytes.size(), first) != static_cast<ssize_t>(bytes.size()))
    return std::nullopt;
  const std::size_t last = bytes.rfind('\n');
  if (last == bytes.npos) return std::nullopt;
  const std::size_t before = last == 0 ? bytes.npos : bytes.rfind('\n', last - 1);
  if (before == bytes.npos && first > 0) return std::nullopt;
  const std::size_t begin = before == bytes.npos ? 0 : before + 1;
  if (last - begin > kLongestLine) return std::nullopt;
  return bytes.substr(begin, last - begin);
}

// Whether an event's numbers are possible in training.
bool possible(const Event& event) {
  if (event.step < 0 || event.epoch < 0 || !(event.seconds >= 0 && event.seconds < kLargestCount)) return false;
  for (const char* key : {"n", "epochs", "steps", "sets", "refreshes", "embedded", "simulations", "gflop",
                          "gflop_with_cache", "rate", "prior_gain_se", "stage_seconds"})
    if (const double value = event_number(event, key, 0); !(value >= 0 && value < kLargestCount)) return false;
  for (const char* key : {"train", "validation", "loss", "prior_gain"})
    if (const double value = event_number(event, key, 0); !(std::fabs(value) < kLargestLoss)) return false;
  for (const char* key : {"held_n", "held"})
    for (const double value : event_numbers(event, key))
      if (!(value >= 0 && value < kLargestCount)) return false;
  for (const double value : event_numbers(event, "train_parts"))
    if (!(std::fabs(value) < kLargestLoss)) return false;
  return true;
}

// Checks the lines of a log in order for damage.
class LineCheck {
 public:
  // Starts after a line; nothing if there is none, or it is unknown.
  explicit LineCheck(const std::optional<std::string>& before, bool first) {
    if (first) state_ = 0;
    if (before) pass(log_line_of(*before));
  }
  // Lines were skipped.
  void skip() { state_.reset(); }
  // Whether the line is undamaged.
  bool sound(const std::string& line) {
    const LogLine parts = log_line_of(line);
    const bool fits = parts.check ? !state_ || checksum(parts.body, *state_) == *parts.check : !checked_;
    pass(parts);
    return fits;
  }

 private:
  void pass(const LogLine& line) {
    state_ = line.state();
    checked_ = checked_ || line.check.has_value();
  }
  std::optional<std::uint32_t> state_;  // nothing: unknown
  bool checked_ = false;                // a line had a checksum, so that all later lines must have one
};

Event damage(const char* what) {
  Event event;
  event.type = EventType::damaged;
  event.values = {{"text", what}};
  return event;
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
    case Stage::likelihood:
      return "likelihood";
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

void append_event(const std::filesystem::path& log, const Event& event) {
  std::uint32_t state = 0;
  {
    const Descriptor opened(::open(log.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    struct stat status {};
    if (opened >= 0 && ::fstat(opened, &status) == 0 && S_ISREG(status.st_mode))
      if (const auto before = line_before(opened, static_cast<std::int64_t>(status.st_size)))
        state = log_line_of(*before).state();
  }
  append_line(log, sealed(event, state));
}

std::string log_text(const std::vector<Event>& events) {
  std::string text;
  std::uint32_t state = 0;
  for (const Event& event : events) text += sealed(event, state) + "\n";
  return text;
}

std::string changed_log(const std::string& text, const std::string& where,
                        const std::function<std::string(std::string)>& change) {
  std::string out;
  std::uint32_t before = 0, state = 0;
  bool checked = false;  // a line had a checksum, so that all later lines must have one
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == text.npos) return out + text.substr(at);  // a torn last line
    const std::string line = text.substr(at, end - at);
    const LogLine parts = log_line_of(line);
    if (parts.check ? checksum(parts.body, before) != *parts.check : checked)
      fail("{} is damaged: a line does not fit its checksum; restore it from a copy", where);
    before = parts.state();
    checked = checked || parts.check.has_value();
    std::string now = change(std::string(parts.body));
    state = parts.check ? checksum(now, state) : checksum(now);
    if (parts.check) now += std::string(kCheckKey) + fmt::format("{:08x}", state) + std::string(kCheckEnd);
    out += now + "\n";
    at = end + 1;
  }
  return out;
}

bool parse_event(const std::string& text, Event& event) {
  nlohmann::json line = parse_json(text);
  if (!line.is_object()) return false;
  event = {};
  try {
    const std::string stage = line.value("stage", "");
    for (Stage s : {Stage::pretrain, Stage::cache, Stage::finetune, Stage::evaluate, Stage::likelihood})
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
  for (const char* key : {"type", "stage", "step", "epoch", "seconds", "check"}) line.erase(key);
  event.values = std::move(line);
  return true;
}

bool follow_events(const std::filesystem::path& file, std::int64_t& offset, const std::function<void(Event&)>& take,
                   const std::function<void()>& pause) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (opened < 0 || ::fstat(opened, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const auto size = static_cast<std::int64_t>(status.st_size);
  bool torn = size - offset > kMostBytes;  // skips the rest of a line
  if (torn) offset = size - kMostBytes;
  char before = '\n';
  torn |= offset > 0 && ::pread(opened, &before, 1, offset - 1) == 1 && before != '\n';
  LineCheck check(torn ? std::nullopt : line_before(opened, offset), offset == 0);
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
      if (torn) {
        check.skip();
      } else if (!check.sound(line)) {
        take(event = damage("a line does not fit its checksum: it was changed, or lines before it were lost"));
      } else if (parse_event(line, event)) {
        if (!possible(event)) event = damage("a line holds numbers that no training comes to");
        take(event);
      } else if (!log_line_of(line).check) {  // later versions may have more types
        take(event = damage("a line is no event"));
      }
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
  // Entries that may be repeated: the positions of each head's losses, whose epochs ascend, and of the stages' ends.
  std::map<std::pair<Stage, std::int64_t>, std::vector<std::size_t>> losses;
  std::map<Stage, std::vector<std::size_t>> ends;
  std::vector<Event> events;
  std::vector<bool> dropped;
  std::int64_t offset = 0;
  const bool read = follow_events(file, offset, [&](Event& event) {
    std::vector<std::size_t>& reported = losses[{event.stage, event.values.value("n", std::int64_t{0})}];
    if (begins_stage(event)) {
      for (; !reported.empty() && events[reported.back()].epoch >= event.epoch; reported.pop_back())
        dropped[reported.back()] = true;
      for (const std::size_t end : std::exchange(ends[event.stage], {})) dropped[end] = true;
    }
    if (event.type == EventType::loss) reported.push_back(events.size());
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

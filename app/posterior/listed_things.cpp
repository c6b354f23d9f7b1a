#include "app/posterior/listed_things.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "core/base/error.h"
#include "core/base/face.h"
#include "core/base/files.h"
#include "core/base/text.h"

namespace pairs {
namespace {

constexpr std::uint64_t kListBytes = 64 << 20;
// That a path lists things is judged by so much of it, since it may be anything.
constexpr std::size_t kJudgedBytes = 1 << 16, kJudgedEntries = 10000;
constexpr std::size_t kNameLength = 300;

ListedThing listed(std::string text, const std::string& name) {
  std::string shown = printable(name.empty() ? text : name, kNameLength);
  return {std::move(text), std::move(shown)};
}

// All of a line, or where that is no thing its first word, which the rest calls by a name.
ListedThing thing_of_line(const Things& known, const std::string& line) {
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::size_t name = std::min(line.find_first_not_of(" \t", end), line.size());
  if (!known.is_thing(line) && known.is_thing(line.substr(0, end)))
    return listed(line.substr(0, end), line.substr(name));
  return listed(line, "");
}

using Walk = std::filesystem::recursive_directory_iterator;
constexpr auto kSkipClosed = std::filesystem::directory_options::skip_permission_denied;

bool is_thing_file(const Things& known, const std::filesystem::directory_entry& entry) {
  std::error_code error;
  return entry.is_regular_file(error) && known.is_thing(entry.path().string());
}

std::vector<ListedThing> things_below(const Things& known, const std::filesystem::path& folder) {
  std::vector<std::string> texts;
  for (const auto& entry : Walk(folder, kSkipClosed))
    if (is_thing_file(known, entry)) texts.push_back(entry.path().string());
  std::sort(texts.begin(), texts.end());
  std::vector<ListedThing> things;
  for (std::string& text : texts) {
    const std::string name = std::filesystem::path(text).lexically_relative(folder).string();
    things.push_back(listed(std::move(text), name));
  }
  return things;
}

std::vector<ListedThing> lines_of(const Things& known, const std::string& content) {
  std::vector<ListedThing> things;
  if (content.find('\0') != content.npos) return things;  // no text
  for (std::size_t at = 0; at < content.size();) {
    const std::size_t end = std::min(content.find('\n', at), content.size());
    std::string line = content.substr(at, end - at);
    line.erase(std::min(line.find_last_not_of(" \t\r") + 1, line.size()));
    if (!line.empty() && !line.starts_with("# ")) things.push_back(thing_of_line(known, line));
    at = end + 1;
  }
  return things;
}

bool mostly_things(const Things& known, const std::vector<ListedThing>& things) {
  const auto named =
      std::count_if(things.begin(), things.end(), [&](const ListedThing& one) { return known.is_thing(one.text); });
  return 2 * static_cast<std::size_t>(named) >= things.size();
}

class ThingStream final : public SetStream {
 public:
  ThingStream(const Task& task, std::vector<ListedThing> things, std::uint64_t seed)
      : task_(task), things_(std::move(things)), seed_(seed) {}

  bool slow() const override { return true; }
  std::int64_t count() const override { return static_cast<std::int64_t>(things_.size()); }
  bool next(ComingSet& set) override {
    if (at_ == things_.size()) return false;
    const ListedThing& listed = things_[at_++];
    const TaskInfo& info = task_.info();
    set.name = listed.name;
    set.bytes = static_cast<std::int64_t>(sizeof(float) * info.observation_numbers()) * info.max_n;
    set.read = [this, &text = listed.text] {
      ThingSet thing = face<Things>(task_)->read_thing(text, 0, seed_);
      ReadSet read;
      read.marks = marks_of(thing);
      read.x = std::move(thing.x);
      read.held = read.x.count();
      read.warnings = std::move(thing.warnings);
      read.given = thing.latents.given;
      return read;
    };
    return true;
  }

 private:
  const Task& task_;
  std::vector<ListedThing> things_;
  std::uint64_t seed_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<ListedThing> listed_things(const Things& known, const std::filesystem::path& path) {
  std::error_code error;
  std::vector<ListedThing> things;
  if (std::filesystem::is_directory(path, error)) {
    things = things_below(known, path);
  } else {
    things = lines_of(known, read_file(path, kListBytes));
    if ((things.empty() || !mostly_things(known, things)) && known.is_thing(path.string()))
      things = {listed(path.string(), "")};
  }
  if (things.empty())
    fail_usage("{} names no {}: give {}", printable(path.string(), kNameLength), known.thing(), known.thing_help());
  return things;
}

bool lists_things(const Task& task, const std::filesystem::path& path) {
  const Things* const known = face<Things>(task);
  std::error_code error;
  if (!known) return false;
  if (std::filesystem::is_directory(path, error)) {
    std::size_t seen = 0;
    for (const auto& entry : Walk(path, kSkipClosed, error)) {
      if (is_thing_file(*known, entry)) return true;
      if (++seen == kJudgedEntries) break;
    }
    return false;
  }
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string content(kJudgedBytes, '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<std::size_t>(file.gcount()));
  if (content.size() == kJudgedBytes) content.erase(std::min(content.rfind('\n'), content.size()));
  const std::vector<ListedThing> lines = lines_of(*known, content);
  return lines.size() > 1 && mostly_things(*known, lines);
}

std::unique_ptr<SetStream> open_things(const Task& task, const std::filesystem::path& path, std::uint64_t seed) {
  return std::make_unique<ThingStream>(task, listed_things(*face<Things>(task), path), seed);
}

}  // namespace pairs

#include "app/posterior/set/listed_things.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string_view>
#include <utility>

#include "core/base/fields/face.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

constexpr std::uint64_t kListBytes = 64 << 20;
// The number of bytes from which to judge whether a path lists items, since it may be anything.
constexpr std::size_t kJudgedBytes = 1 << 16, kJudgedEntries = 10000;
constexpr std::size_t kNameLength = 300;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

ListedThing listed(std::string text, const std::string& name) {
  std::string shown = printable(name.empty() ? text : name, kNameLength);
  return {std::move(text), std::move(shown)};
}

// The whole line or, if that is not an item, its first word, which the rest names.
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

ThingList things_below(const Things& known, const std::filesystem::path& folder) {
  std::vector<std::string> texts;
  ThingList list;
  const auto relative = [&](const std::filesystem::path& path) { return path.lexically_relative(folder).string(); };
  for (const auto& entry : Walk(folder, kSkipClosed)) {
    std::error_code error;
    if (is_thing_file(known, entry))
      texts.push_back(entry.path().string());
    else if (!entry.is_directory(error))
      list.left_out.push_back(relative(entry.path()));
  }
  std::sort(texts.begin(), texts.end());
  std::sort(list.left_out.begin(), list.left_out.end());
  for (std::string& text : texts) {
    const std::string name = relative(text);
    std::vector<NamedThing> held;
    try {
      held = known.things_in(text, std::numeric_limits<std::size_t>::max());
    } catch (const Error&) {
      // Reading the file reports its error.
    }
    if (held.size() < 2) {
      list.things.push_back(listed(std::move(text), name));
      continue;
    }
    for (NamedThing& one : held) {
      const std::string own = fmt::format("{}, {}", name, one.name.empty() ? one.text : one.name);
      list.things.push_back(listed(std::move(one.text), own));
    }
  }
  return list;
}

std::vector<ListedThing> lines_of(const Things& known, const std::string& content) {
  std::vector<ListedThing> things;
  if (content.find('\0') != content.npos) return things;  // no text
  std::int64_t number = 0;
  for (std::size_t at = content.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0; at < content.size();) {
    ++number;
    const std::size_t end = std::min(content.find('\n', at), content.size());
    std::string line = content.substr(at, end - at);
    line.erase(std::min(line.find_last_not_of(" \t\r") + 1, line.size()));
    if (!line.empty() && !line.starts_with("# ")) {
      things.push_back(thing_of_line(known, line));
      things.back().line = number;
    }
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
  ThingStream(const Task& task, ThingList list, std::uint64_t seed, std::string up)
      : task_(task),
        things_(std::move(list.things)),
        left_out_(std::move(list.left_out)),
        seed_(seed),
        up_(std::move(up)) {}

  bool slow() const override { return true; }
  std::int64_t count() const override { return static_cast<std::int64_t>(things_.size()); }
  bool next(ComingSet& set) override {
    if (at_ == things_.size()) return false;
    const ListedThing& listed = things_[at_++];
    const TaskInfo& info = task_.info();
    set.name = listed.name;
    set.bytes = static_cast<std::int64_t>(sizeof(float) * info.observation_numbers()) * info.max_n;
    set.read = [this, &listed] {
      ThingSet thing = read_listed(listed);
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

  std::vector<std::string> left_out() const override { return left_out_; }

 private:
  ThingSet read_listed(const ListedThing& listed) const {
    try {
      return face<Things>(task_)->read_thing(listed.text, 0, seed_, up_);
    } catch (const Error& error) {
      if (listed.line == 0) throw;
      throw prefixed(fmt::format("line {}", listed.line), error);
    }
  }

  const Task& task_;
  std::vector<ListedThing> things_;
  std::vector<std::string> left_out_;
  std::uint64_t seed_;
  std::string up_;
  std::size_t at_ = 0;
};

}  // namespace

ThingList listed_things(const Things& known, const std::filesystem::path& path) {
  std::error_code error;
  ThingList list;
  if (std::filesystem::is_directory(path, error)) {
    list = things_below(known, path);
  } else {
    for (NamedThing& one : known.things_in(path, std::numeric_limits<std::size_t>::max()))
      list.things.push_back(listed(std::move(one.text), one.name));
    if (list.things.empty()) {
      const std::string content = read_file(path, kListBytes);
      list.things = lines_of(known, content);
      const bool blank = content.find_first_not_of(" \t\r\n") == content.npos;
      if (!blank && (list.things.empty() || !mostly_things(known, list.things)) && known.is_thing(path.string()))
        list.things = {listed(path.string(), "")};
    }
  }
  if (list.things.empty())
    fail_usage("{} names no {}: give {}", printable(path.string(), kNameLength), known.thing(), known.thing_help());
  return list;
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
  if (const std::size_t held = known->things_in(path, 2).size(); held > 0) return held > 1;
  std::ifstream file(path, std::ios::binary);
  std::string content(kJudgedBytes, '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<std::size_t>(file.gcount()));
  if (content.size() == kJudgedBytes) content.erase(std::min(content.rfind('\n'), content.size()));
  const std::vector<ListedThing> lines = lines_of(*known, content);
  return lines.size() > 1 && mostly_things(*known, lines);
}

std::string listed_thing(const Things& known, const std::filesystem::path& path, const std::string& member) {
  const ThingList list = listed_things(known, path);
  std::vector<std::string> called;
  for (const ListedThing& one : list.things)
    if ((one.name == member || one.text == member) && std::find(called.begin(), called.end(), one.text) == called.end())
      called.push_back(one.text);
  const std::string words = printable(path.string(), kNameLength), name = printable(member, kNameLength);
  if (called.empty()) fail_usage("{} names no {} called {}", words, known.thing(), name);
  if (called.size() > 1)
    fail_usage("{} calls {} items {}; name the one by its own text, e.g. {}", words, called.size(), name,
               printable(called.front(), kNameLength));
  return called.front();
}

std::unique_ptr<SetStream> open_things(const Task& task, const std::filesystem::path& path, std::uint64_t seed,
                                       const std::string& up) {
  return std::make_unique<ThingStream>(task, listed_things(*face<Things>(task), path), seed, up);
}

}  // namespace pairs

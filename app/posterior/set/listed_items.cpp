#include "app/posterior/set/listed_items.h"

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

ListedItem listed(std::string text, const std::string& name) {
  std::string shown = printable(name.empty() ? text : name, kNameLength);
  return {std::move(text), std::move(shown)};
}

// The whole line or, if that is not an item, its first word, which the rest names.
ListedItem item_of_line(const Items& known, const std::string& line) {
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::size_t name = std::min(line.find_first_not_of(" \t", end), line.size());
  if (!known.is_item(line) && known.is_item(line.substr(0, end))) return listed(line.substr(0, end), line.substr(name));
  return listed(line, "");
}

using Walk = std::filesystem::recursive_directory_iterator;
constexpr auto kSkipClosed = std::filesystem::directory_options::skip_permission_denied;

bool is_item_file(const Items& known, const std::filesystem::directory_entry& entry) {
  std::error_code error;
  return entry.is_regular_file(error) && known.is_item(entry.path().string());
}

ItemList items_below(const Items& known, const std::filesystem::path& folder) {
  std::vector<std::string> texts;
  ItemList list;
  const auto relative = [&](const std::filesystem::path& path) { return path.lexically_relative(folder).string(); };
  for (const auto& entry : Walk(folder, kSkipClosed)) {
    std::error_code error;
    if (is_item_file(known, entry))
      texts.push_back(entry.path().string());
    else if (!entry.is_directory(error))
      list.left_out.push_back(relative(entry.path()));
  }
  std::sort(texts.begin(), texts.end());
  std::sort(list.left_out.begin(), list.left_out.end());
  for (std::string& text : texts) {
    const std::string name = relative(text);
    std::vector<NamedItem> held;
    try {
      held = known.items_in(text, std::numeric_limits<std::size_t>::max());
    } catch (const Error&) {
      // Reading the file reports its error.
    }
    if (held.size() < 2) {
      list.items.push_back(listed(std::move(text), name));
      continue;
    }
    for (NamedItem& one : held) {
      const std::string own = fmt::format("{}, {}", name, one.name.empty() ? one.text : one.name);
      list.items.push_back(listed(std::move(one.text), own));
    }
  }
  return list;
}

std::vector<ListedItem> lines_of(const Items& known, const std::string& content) {
  std::vector<ListedItem> items;
  if (content.find('\0') != content.npos) return items;  // no text
  std::int64_t number = 0;
  for (std::size_t at = content.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0; at < content.size();) {
    ++number;
    const std::size_t end = std::min(content.find('\n', at), content.size());
    std::string line = content.substr(at, end - at);
    line.erase(std::min(line.find_last_not_of(" \t\r") + 1, line.size()));
    if (!line.empty() && !line.starts_with("# ")) {
      items.push_back(item_of_line(known, line));
      items.back().line = number;
    }
    at = end + 1;
  }
  return items;
}

bool mostly_items(const Items& known, const std::vector<ListedItem>& items) {
  const auto named =
      std::count_if(items.begin(), items.end(), [&](const ListedItem& one) { return known.is_item(one.text); });
  return 2 * static_cast<std::size_t>(named) >= items.size();
}

class ItemStream final : public SetStream {
 public:
  ItemStream(const Task& task, ItemList list, std::uint64_t seed, std::string up)
      : task_(task),
        items_(std::move(list.items)),
        left_out_(std::move(list.left_out)),
        seed_(seed),
        up_(std::move(up)) {}

  bool slow() const override { return true; }
  std::int64_t count() const override { return static_cast<std::int64_t>(items_.size()); }
  bool next(ComingSet& set) override {
    if (at_ == items_.size()) return false;
    const ListedItem& listed = items_[at_++];
    const TaskInfo& info = task_.info();
    set.name = listed.name;
    set.bytes = static_cast<std::int64_t>(sizeof(float) * info.observation_numbers()) * info.max_n;
    set.read = [this, &listed] {
      ItemSet item = read_listed(listed);
      ReadSet read;
      read.marks = marks_of(item);
      read.x = std::move(item.x);
      read.held = read.x.count();
      read.warnings = std::move(item.warnings);
      read.given = item.latents.given;
      return read;
    };
    return true;
  }

  std::vector<std::string> left_out() const override { return left_out_; }

 private:
  ItemSet read_listed(const ListedItem& listed) const {
    try {
      return face<Items>(task_)->read_item(listed.text, 0, seed_, up_);
    } catch (const Error& error) {
      if (listed.line == 0) throw;
      throw prefixed(fmt::format("line {}", listed.line), error);
    }
  }

  const Task& task_;
  std::vector<ListedItem> items_;
  std::vector<std::string> left_out_;
  std::uint64_t seed_;
  std::string up_;
  std::size_t at_ = 0;
};

}  // namespace

ItemList listed_items(const Items& known, const std::filesystem::path& path) {
  std::error_code error;
  ItemList list;
  if (std::filesystem::is_directory(path, error)) {
    list = items_below(known, path);
  } else {
    for (NamedItem& one : known.items_in(path, std::numeric_limits<std::size_t>::max()))
      list.items.push_back(listed(std::move(one.text), one.name));
    if (list.items.empty()) {
      const std::string content = read_file(path, kListBytes);
      list.items = lines_of(known, content);
      const bool blank = content.find_first_not_of(" \t\r\n") == content.npos;
      if (!blank && (list.items.empty() || !mostly_items(known, list.items)) && known.is_item(path.string()))
        list.items = {listed(path.string(), "")};
    }
  }
  if (list.items.empty())
    fail_usage("{} names no {}: give {}", printable(path.string(), kNameLength), known.item(), known.item_help());
  return list;
}

bool lists_items(const Task& task, const std::filesystem::path& path) {
  const Items* const known = face<Items>(task);
  std::error_code error;
  if (!known) return false;
  if (std::filesystem::is_directory(path, error)) {
    std::size_t seen = 0;
    for (const auto& entry : Walk(path, kSkipClosed, error)) {
      if (is_item_file(*known, entry)) return true;
      if (++seen == kJudgedEntries) break;
    }
    return false;
  }
  if (!std::filesystem::is_regular_file(path, error)) return false;
  if (const std::size_t held = known->items_in(path, 2).size(); held > 0) return held > 1;
  std::ifstream file(path, std::ios::binary);
  std::string content(kJudgedBytes, '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<std::size_t>(file.gcount()));
  if (content.size() == kJudgedBytes) content.erase(std::min(content.rfind('\n'), content.size()));
  const std::vector<ListedItem> lines = lines_of(*known, content);
  return lines.size() > 1 && mostly_items(*known, lines);
}

std::string listed_item(const Items& known, const std::filesystem::path& path, const std::string& member) {
  const ItemList list = listed_items(known, path);
  std::vector<std::string> called;
  for (const ListedItem& one : list.items)
    if ((one.name == member || one.text == member) && std::find(called.begin(), called.end(), one.text) == called.end())
      called.push_back(one.text);
  const std::string words = printable(path.string(), kNameLength), name = printable(member, kNameLength);
  if (called.empty()) fail_usage("{} names no {} called {}", words, known.item(), name);
  if (called.size() > 1)
    fail_usage("{} calls {} items {}; name the one by its own text, e.g. {}", words, called.size(), name,
               printable(called.front(), kNameLength));
  return called.front();
}

std::unique_ptr<SetStream> open_items(const Task& task, const std::filesystem::path& path, std::uint64_t seed,
                                      const std::string& up) {
  return std::make_unique<ItemStream>(task, listed_items(*face<Items>(task), path), seed, up);
}

}  // namespace pairs

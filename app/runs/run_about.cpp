#include "app/runs/run_about.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <sstream>

#include "app/text/words.h"
#include "core/base/fields/fields.h"
#include "core/base/files/descriptor.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLongestText = 2000, kLongestTag = 40;  // bytes
constexpr const char* kFilterMarks = " \t\n,\":;=<>!'";

// The file stores tags as one line of words.
struct AboutFile {
  RunAbout about;
  std::string tags;

  std::vector<Field> fields() {
    return {{"name", &about.name, "What people call the run"},
            {"note", &about.note, "Free text"},
            {"tags", &tags, "Words, with blanks between them"},
            {"archived", &about.archived, "Kept, and left out of lists"}};
  }
};

// "05:23" for a folder "TASK-20261126-052311" or "TASK-20261126-052311-2"; "" for other names.
std::string stamped_time(const std::string& folder, const std::string& task) {
  constexpr std::string_view kForm = "-dddddddd-dddddd";
  if (!folder.starts_with(task) || folder.size() < task.size() + kForm.size()) return "";
  const std::string stamp = folder.substr(task.size());
  for (std::size_t i = 0; i < kForm.size(); ++i)
    if (kForm[i] == '-' ? stamp[i] != '-' : stamp[i] < '0' || stamp[i] > '9') return "";
  return stamp.substr(10, 2) + ":" + stamp.substr(12, 2);
}

// The largest number in names "TASK quick #3 …" in this folder of runs.
int last_number(const fs::path& runs, const std::string& head) {
  int last = 0;
  std::error_code error;
  for (fs::directory_iterator at(runs, error), end; !error && at != end; at.increment(error)) {
    const std::string name = read_about(at->path()).name;
    int number = 0;
    if (name.starts_with(head) &&
        std::from_chars(name.data() + head.size(), name.data() + name.size(), number).ec == std::errc())
      last = std::max(last, number);
  }
  return last;
}

}  // namespace

void name_new_run(const fs::path& folder, const RunConfig& config) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  const std::string time = stamped_time(whole.filename().string(), config.task);
  std::error_code error;
  if (time.empty() || fs::exists(whole / kAboutFile, error)) return;
  const std::string head = fmt::format("{} {} #", config.task, config.preset);
  RunAbout about;
  const std::string mean =
      config.ensemble.empty() ? "" : fmt::format(", mean of {}", counted(config.ensemble.size(), "run"));
  about.name =
      fmt::format("{}{} · {}{} · {}", head, last_number(whole.parent_path(), head) + 1, config.strategy, mean, time);
  write_about(whole, about);
}

bool RunAbout::tagged(std::string_view tag) const {
  return std::any_of(tags.begin(), tags.end(), [&](const std::string& one) { return same_word(one, tag); });
}

RunAbout load_about(const fs::path& folder) {
  AboutFile file;
  std::error_code error;
  if (!fs::exists(folder / kAboutFile, error)) return {};
  read_toml_file(folder / kAboutFile, file.fields());
  std::istringstream words(file.tags);
  for (std::string tag; words >> tag;)
    if (!file.about.tagged(tag)) file.about.tags.push_back(tag);
  return file.about;
}

RunAbout read_about(const fs::path& folder) {
  try {
    return load_about(folder);
  } catch (const std::exception&) {
    return {};
  }
}

RunAbout change_about(const fs::path& folder, const std::function<void(RunAbout&)>& change) {
  // Locks the folder itself, so that no lock file remains; on a file system without folder locks, the last writer wins.
  const Descriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (lock >= 0 && ::flock(lock, LOCK_EX) != 0 && errno == EINTR) {
  }
  RunAbout about = load_about(folder);
  change(about);
  write_about(folder, about);
  return about;
}

void write_about(const fs::path& folder, const RunAbout& about) {
  AboutFile file{about, fmt::format("{}", fmt::join(about.tags, " "))};
  write_file(folder / kAboutFile, write_toml(file.fields()));
}

void check_tag(const std::string& tag) {
  if (tag.empty()) fail_usage("A tag is a word; this one is empty");
  if (tag.size() > kLongestTag)
    fail_usage("The tag {} is longer than {} bytes; choose a shorter word", printable(tag), kLongestTag);
  if (tag != printable(tag)) fail_usage("The tag {} holds what is no text; use letters and digits", printable(tag));
  if (const auto at = tag.find_first_of(kFilterMarks); at != tag.npos)
    fail_usage("The tag {} holds \"{}\"; a tag is one word, such as paper or wide-prior", printable(tag),
               printable(tag.substr(at, 1)));
  if (tag.front() == '-') fail_usage("The tag {} begins with -, which means \"not\" in a filter", printable(tag));
}

void change_tags(RunAbout& about, const std::vector<std::string>& add, const std::vector<std::string>& remove) {
  for (const std::string& tag : add) check_tag(tag);
  for (const std::string& tag : remove)
    std::erase_if(about.tags, [&](const std::string& one) { return same_word(one, tag); });
  for (const std::string& tag : add)
    if (!about.tagged(tag)) about.tags.push_back(tag);
}

std::string tidy_text(std::string text, bool lines) {
  if (text.size() > kLongestText) {
    std::size_t end = kLongestText;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text.resize(end);
  }
  if (!lines) std::replace(text.begin(), text.end(), '\n', ' ');
  const auto first = text.find_first_not_of(" \t\n"), last = text.find_last_not_of(" \t\n");
  return first == text.npos ? "" : text.substr(first, last - first + 1);
}

}  // namespace pairs

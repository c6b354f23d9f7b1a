#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pairs::model {

enum class Level { info, warning, error };

struct Message {
  Level level = Level::info;
  std::string where;                // what spoke: "train", "posterior", ...
  std::string text;                 // one sentence
  std::int64_t count = 1;           // how often in a row
  double time = 0;                  // seconds since the program started, of the last
  std::filesystem::path file = {};  // that it says was saved; "": it says something else
  bool exported = false;            // whether a person chose its place, where the next may go
};

// The log drawer's messages: the last 2,000, equal ones in a row counted as one.
class Messages {
 public:
  void add(Level level, std::string where, std::string text);
  void info(std::string where, std::string text) { add(Level::info, std::move(where), std::move(text)); }
  void warning(std::string where, std::string text) { add(Level::warning, std::move(where), std::move(text)); }
  void error(std::string where, std::string text) { add(Level::error, std::move(where), std::move(text)); }
  // Tells of a file that was written, where it is.
  void saved(const std::filesystem::path& file, bool exported = true);
  void clear() { all_.clear(); }

  const std::deque<Message>& all() const { return all_; }
  // Those that hold `filter` (any case) and are at least as grave as `least`, newest last.
  std::vector<const Message*> matching(std::string_view filter, Level least) const;
  // For the clipboard: a line each.
  std::string text(std::string_view filter, Level least) const;
  // Errors and warnings since they were last looked at.
  std::int64_t unseen() const { return unseen_; }
  void mark_seen() { unseen_ = 0; }

 private:
  std::deque<Message> all_;
  std::int64_t unseen_ = 0;
};

}  // namespace pairs::model

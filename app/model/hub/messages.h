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
  std::string where;                // the source: "train", "posterior", ...
  std::string text;                 // one sentence
  std::int64_t count = 1;           // number of consecutive repetitions
  double time = 0;                  // of the last one, in seconds since the program started
  std::filesystem::path file = {};  // the file that was saved; "" for other messages
  bool exported = false;            // whether the user chose its folder, which is then remembered
};

// The messages of the log drawer: the last 2,000, with consecutive equal ones counted as one.
class Messages {
 public:
  void add(Level level, std::string where, std::string text);
  void info(std::string where, std::string text) { add(Level::info, std::move(where), std::move(text)); }
  void warning(std::string where, std::string text) { add(Level::warning, std::move(where), std::move(text)); }
  void error(std::string where, std::string text) { add(Level::error, std::move(where), std::move(text)); }
  // Reports a file that was written, and where.
  void saved(const std::filesystem::path& file, bool exported = true);
  void clear() { all_.clear(); }

  const std::deque<Message>& all() const { return all_; }
  // The messages that contain `filter` (ignoring case) and are at least as severe as `least`, newest last.
  std::vector<const Message*> matching(std::string_view filter, Level least) const;
  // For the clipboard: one line per message.
  std::string text(std::string_view filter, Level least) const;
  // Errors and warnings since they were last looked at.
  std::int64_t unseen() const { return unseen_; }
  void mark_seen() { unseen_ = 0; }

 private:
  std::deque<Message> all_;
  std::int64_t unseen_ = 0;
};

}  // namespace pairs::model

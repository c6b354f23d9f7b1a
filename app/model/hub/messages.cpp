#include "app/model/hub/messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/model/hub/program_time.h"
#include "app/text/words.h"
#include "core/base/text/text.h"

namespace pairs::model {
namespace {

constexpr std::size_t kKept = 2000;

const char* name_of(Level level) {
  return level == Level::error ? "error" : level == Level::warning ? "warning" : "info";
}

}  // namespace

void Messages::add(Level level, std::string where, std::string text) {
  if (level != Level::info) ++unseen_;
  if (!all_.empty() && all_.back().level == level && all_.back().where == where && all_.back().text == text) {
    ++all_.back().count;
    all_.back().time = program_seconds();
    return;
  }
  all_.push_back({level, std::move(where), std::move(text), 1, program_seconds(), {}});
  if (all_.size() > kKept) all_.pop_front();
}

void Messages::saved(const std::filesystem::path& file, bool exported) {
  std::error_code error;
  std::filesystem::path whole = std::filesystem::absolute(file, error).lexically_normal();
  if (error) whole = file;
  info("saved", "Saved " + printable(whole.string(), 1000));
  all_.back().file = std::move(whole);
  all_.back().exported = exported;
}

std::vector<const Message*> Messages::matching(std::string_view filter, Level least) const {
  std::vector<const Message*> found;
  for (const Message& message : all_)
    if (message.level >= least &&
        (filter.empty() || holds_words(message.text, filter) || holds_words(message.where, filter)))
      found.push_back(&message);
  return found;
}

std::string Messages::text(std::string_view filter, Level least) const {
  std::string lines;
  for (const Message* message : matching(filter, least)) {
    lines += fmt::format("{}  {:<7}  {}: {}", wall_time(message->time, true), name_of(message->level), message->where,
                         message->text);
    lines += message->count > 1 ? fmt::format(" ({} times)\n", message->count) : "\n";
  }
  return lines;
}

}  // namespace pairs::model

#include "tasks/program_table.h"

#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "tasks/own/program/worker.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

constexpr double kMostSeconds = 60;         // for an answer
constexpr std::size_t kMostText = 1 << 20;  // bytes of the description of the file, and of error messages
constexpr std::int64_t kRowsAtOnce = 1 << 16;
constexpr std::size_t kMostColumns = 1 << 14;

// The whole numbers of a line after its first word; none if the line has another form.
std::vector<std::int64_t> numbers_behind(std::string_view line, std::string_view word) {
  std::vector<std::int64_t> all;
  if (!line.starts_with(word)) return all;
  line.remove_prefix(word.size());
  while (!line.empty()) {
    if (line.front() != ' ') return {};
    line.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc()) return {};
    all.push_back(value);
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  }
  return all;
}

class ProgramTable final : public TableFile {
 public:
  ProgramTable(const std::vector<std::string>& command, const fs::path& folder, const fs::path& path)
      : TableFile(printable(path.string(), 300)),
        program_(printable(fmt::format("{}", fmt::join(command, " ")), 200)),
        worker_(command, folder) {
    worker_.send("pairs 1 read\n");
    if (const std::string greeting = line(); greeting != "pairs 1")
      complain(fmt::format("begins with '{}' where 'pairs 1' belongs", printable(greeting)));
    const std::string name = fs::absolute(path).string();
    worker_.send(fmt::format("open {} {}\n{}", ++id_, name.size(), name));
    take_head(answer(kMostText));
  }

 private:
  [[noreturn]] void complain(const std::string& what) {
    const std::string words = worker_.last_words();
    fail("{}: its reader {} {}{}", where(), program_, what, words.empty() ? "" : "; its last words:\n  " + words);
  }

  // Waits until enough bytes have arrived, or the program has ended.
  template <class Enough>
  void wait_until(const Enough& enough) {
    const Stopwatch watch;
    while (!enough()) {
      if (watch.seconds() > kMostSeconds) complain(fmt::format("has not answered for {} s", kMostSeconds));
      pollfd ends[] = {{worker_.output(), POLLIN, 0},
                       {worker_.errors(), POLLIN, 0},
                       {worker_.sending() ? worker_.input() : -1, POLLOUT, 0}};
      ::poll(ends, 3, 100);
      worker_.flush();
      if (ends[1].revents != 0) worker_.listen();
      if (!worker_.receive() && !enough()) complain(worker_.end_text());
    }
  }
  std::string line() {
    constexpr std::size_t kLongest = 200;
    wait_until([&] {
      const std::string_view said = worker_.received();
      return said.find('\n') != said.npos || said.size() > kLongest;
    });
    const std::string_view said = worker_.received();
    const std::size_t end = said.find('\n');
    if (end == said.npos || end > kLongest)
      complain(fmt::format("wrote '{}' where a line of the protocol belongs", printable(said.substr(0, kLongest))));
    std::string text(said.substr(0, end));
    worker_.take(end + 1);
    return text;
  }
  std::string bytes(std::int64_t count) {
    wait_until([&] { return worker_.received().size() >= static_cast<std::size_t>(count); });
    std::string text(worker_.received().substr(0, static_cast<std::size_t>(count)));
    worker_.take(static_cast<std::size_t>(count));
    return text;
  }

  // The program's answer to the request id_, of at most `most` bytes.
  std::string answer(std::size_t most) {
    const std::string head = line();
    const auto good = numbers_behind(head, "answer"), bad = numbers_behind(head, "error");
    if (bad.size() == 3 && bad[0] == id_ && bad[2] >= 0 && bad[2] <= static_cast<std::int64_t>(kMostText))
      fail("{}: its reader {} reports: {}", where(), program_, printable(bytes(bad[2]), 500));
    if (good.size() != 2 || good[0] != id_)
      complain(fmt::format("wrote '{}' where 'answer {} BYTES' belongs; what it prints must go to standard error",
                           printable(head), id_));
    if (good[1] < 0 || good[1] > static_cast<std::int64_t>(most))
      complain(fmt::format("answers with {} bytes where at most {} belong", good[1], most));
    return bytes(good[1]);
  }

  // Parses the number of rows, then names of columns, one per line.
  void take_head(const std::string& text) {
    std::size_t from = text.find('\n');
    const auto rows = numbers_behind(" " + text.substr(0, from), "");
    if (rows.size() != 1 || rows[0] < 0) complain("does not begin its answer with the number of rows");
    rows_ = rows[0];
    while (from != text.npos && from + 1 < text.size()) {
      const std::size_t end = text.find('\n', from + 1);
      columns_.push_back({text.substr(from + 1, (end == text.npos ? text.size() : end) - from - 1)});
      from = end;
    }
    if (columns_.empty() || columns_.size() > kMostColumns)
      complain(fmt::format("announces {} columns; 1 to {} can be read", columns_.size(), kMostColumns));
    PAIRS_CHECK(rows_ > 0, "{} holds no rows, as its reader {} reports; give at least one", where(), program_);
  }

  void read_rows(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) override {
    for (std::int64_t done = 0; done < count; done += kRowsAtOnce) {
      const std::int64_t rows = std::min(kRowsAtOnce, count - done);
      const std::size_t size = static_cast<std::size_t>(rows) * places.size() * sizeof(double);
      worker_.send(fmt::format("rows {} {} {} {}\n", ++id_, first + done, rows, fmt::join(places, " ")));
      const std::string numbers = answer(size);
      if (numbers.size() != size)
        complain(fmt::format("answers with {} bytes where {} rows of {} numbers as float64, {} bytes, belong",
                             numbers.size(), rows, places.size(), size));
      std::memcpy(out + static_cast<std::size_t>(done) * places.size(), numbers.data(), size);
    }
  }

  std::string program_;
  own::Worker worker_;
  std::int64_t id_ = 0;
};

}  // namespace

std::vector<std::string> words_of_command(const std::string& command) {
  std::vector<std::string> words;
  bool within = false;
  char quote = 0;
  for (std::size_t k = 0; k < command.size(); ++k) {
    const char c = command[k];
    if (quote == 0 && (c == ' ' || c == '\t')) {
      within = false;
      continue;
    }
    if (!within) words.emplace_back();
    within = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && k + 1 < command.size()) {
      words.back() += command[++k];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) fail_usage("The command {} opens a quote that it does not close", printable(command, 200));
  if (words.empty() || words.front().empty())
    fail_usage("The command of a reader is empty; name a program, as in \"python3 read.py\"");
  return words;
}

std::unique_ptr<TableFile> open_with_program(const std::vector<std::string>& command, const fs::path& folder,
                                             const fs::path& path) {
  try {
    return std::make_unique<ProgramTable>(command, folder, path);
  } catch (const Error& error) {
    // A failure to start is not about the file.
    const std::string where = printable(path.string(), 300);
    if (std::string_view(error.what()).starts_with(where)) throw;
    throw prefixed(where + ": its reader", error);
  }
}

std::unique_ptr<TableFile> open_table_by(const std::string& reader, const fs::path& path, const TableChoice& choice) {
  return reader.empty() ? open_table(path, choice)
                        : open_with_program(words_of_command(reader), fs::current_path(), path);
}

}  // namespace pairs

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pairs::own {

// A process of a user's program, with pipes to its standard input and output; its standard error is kept. It runs under
// pairs-keeper, so that it and everything that it started, including other sessions, end with the object, with the
// program itself, and with this process, however it ends.
class Worker {
 public:
  // Starts the program in `folder`. Throws Error if that fails.
  Worker(const std::vector<std::string>& command, const std::filesystem::path& folder);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  int input() const { return in_; }
  int output() const { return out_; }
  int errors() const { return err_; }

  // Queues bytes for the program, to be written by flush().
  void send(std::string bytes);
  bool sending() const { return sent_ < outgoing_.size(); }
  // Writes what the program accepts now, without waiting. Nothing is written to a program that has ended.
  void flush();

  // Reads the available output, without waiting, at most `most` bytes; false if the program has closed its output.
  bool receive(std::size_t most = 1 << 22);
  // Output that has been read but not taken.
  std::string_view received() const { return std::string_view(incoming_).substr(taken_); }
  void take(std::size_t bytes);

  // Keeps the end of its standard error; false if that is closed.
  bool listen();
  // Its last lines, joined; "" if there are none. Waits a moment for them, however much is still coming.
  std::string last_words();
  // Waits a moment for its end and describes it: "ended with exit code 3", "was killed by signal 11".
  std::string end_text();

 private:
  // Whether the keeper has ended; its status is the program's.
  bool reaped();

  pid_t keeper_ = -1;
  bool reaped_ = false;
  int status_ = 0;
  int in_ = -1, out_ = -1, err_ = -1;
  int link_ = -1;  // the keeper ends the program when this is closed
  std::vector<char> buffer_;
  std::string outgoing_, incoming_, errors_text_;
  std::size_t sent_ = 0, taken_ = 0;
  std::size_t heard_ = 0;  // number of bytes from standard error
};

}  // namespace pairs::own

#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/model/files/folder_listing.h"

namespace pairs::model {

// The desktop's own file dialogs: the FileChooser of the XDG desktop portal (org.freedesktop.portal.Desktop) on the
// session's D-Bus. A thread speaks with it; nothing here waits.
class Portal {
 public:
  struct Question {
    bool save = false, folder = false;  // else a file to open
    std::string title, accept;          // accept: what its button says
    std::filesystem::path start;        // the folder it begins in
    std::string name;                   // of the file to save
    std::vector<FileFilter> filters;    // the first is chosen
    std::string window;                 // that it belongs to: "x11:ID" of the window's, "" where unknown
  };
  enum class End { chosen, cancelled, failed };
  struct Answer {
    End end = End::cancelled;
    std::filesystem::path path;
    std::string problem;  // where it failed: a sentence
  };

  // `wake` asks for a frame, from any thread.
  explicit Portal(std::function<void()> wake);
  ~Portal();
  Portal(const Portal&) = delete;
  Portal& operator=(const Portal&) = delete;

  // Begins to look whether there is one; once is enough.
  void look();
  bool looking() const;
  bool there() const;

  // Shows the dialog. One at a time: an earlier one is withdrawn. The number is that of take() and withdraw().
  std::uint64_t ask(Question question);
  // How it ended, once it has.
  std::optional<Answer> take(std::uint64_t number);
  // Closes the dialog of a question to which nobody wants the answer any more.
  void withdraw(std::uint64_t number);

 private:
  void loop(std::stop_token token);

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool wanted_ = false, looked_ = false, there_ = false;
  std::uint64_t newest_ = 0, answered_ = 0;  // numbers of questions
  std::optional<Question> question_;         // the newest, until it is taken up
  std::optional<Answer> answer_;             // of answered_
  int signal_ = -1;                          // an eventfd: the thread is to look at the above
  std::jthread thread_;                      // last: ends first
};

// The path of a "file://" address of this machine; nothing for other addresses.
std::optional<std::filesystem::path> path_of_address(const std::string& address);

}  // namespace pairs::model

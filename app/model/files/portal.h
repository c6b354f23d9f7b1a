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
// session's D-Bus. A thread communicates with it; no call here blocks.
class Portal {
 public:
  struct Question {
    bool save = false, folder = false;  // neither: open a file
    std::string title, accept;          // accept: the label of its button
    std::filesystem::path start;        // the initial folder
    std::string name;                   // suggested name of a file to save
    std::vector<FileFilter> filters;    // the first is the default
    std::string window;                 // the parent window, "x11:ID"; "" if unknown
  };
  enum class End { chosen, canceled, failed };
  struct Answer {
    End end = End::canceled;
    std::filesystem::path path;
    std::string problem;  // why it failed: a sentence
  };

  // `wake` requests a frame, from any thread.
  explicit Portal(std::function<void()> wake);
  ~Portal();
  Portal(const Portal&) = delete;
  Portal& operator=(const Portal&) = delete;

  // Starts to check whether a portal exists; one call suffices.
  void look();
  bool looking() const;
  bool there() const;

  // Shows the dialog and withdraws an earlier one. Returns the number for take() and withdraw().
  std::uint64_t ask(Question question);
  // The result, once the dialog has closed.
  std::optional<Answer> take(std::uint64_t number);
  // Closes a dialog whose answer is no longer needed.
  void withdraw(std::uint64_t number);

 private:
  void loop(std::stop_token token);

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool wanted_ = false, looked_ = false, there_ = false;
  std::uint64_t newest_ = 0, answered_ = 0;  // numbers of questions
  std::optional<Question> question_;         // the newest, until the thread starts it
  std::optional<Answer> answer_;             // the answer to question answered_
  int signal_ = -1;                          // an eventfd that wakes the thread
  std::jthread thread_;                      // last: ends first
};

// The path of a "file://" address of this machine; none for other addresses.
std::optional<std::filesystem::path> path_of_address(const std::string& address);

}  // namespace pairs::model

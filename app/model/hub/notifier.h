#pragma once

#include <functional>
#include <string>

namespace pairs::model {

// Shows desktop notifications of finished work while the window is not in focus.
class Notifier {
 public:
  using Show = std::function<bool(const std::string& title, const std::string& text)>;
  // `show` may take seconds: a background thread calls it.
  explicit Notifier(Show show);
  Notifier();  // uses notify_desktop

  bool on = true;       // the user's setting
  bool focused = true;  // whether the window had the focus when last checked

  void report(const std::string& title, const std::string& text) const;

 private:
  Show show_;
};

}  // namespace pairs::model

#pragma once

#include <functional>
#include <string>

namespace pairs::model {

// Tells the desktop of what came to an end while nobody looked at the window.
class Notifier {
 public:
  using Show = std::function<bool(const std::string& title, const std::string& text)>;
  // `show` may take seconds: it is called on a thread of the background.
  explicit Notifier(Show show);
  Notifier();  // with notify_desktop

  bool on = true;       // as the settings have it
  bool focused = true;  // whether the window was what a person worked with when that was last seen

  void tell(const std::string& title, const std::string& text) const;

 private:
  Show show_;
};

}  // namespace pairs::model

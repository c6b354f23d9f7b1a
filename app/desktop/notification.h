#pragma once

#include <string>

namespace pairs {

// Shows a notification on the user's desktop, outside of any window (org.freedesktop.Notifications on the session's
// D-Bus). Returns false if there is no such bus or service. Waits for at most a few seconds.
bool notify_desktop(const std::string& title, const std::string& text);

}  // namespace pairs

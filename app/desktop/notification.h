#pragma once

#include <string>

namespace pairs {

// Shows a few words on the person's desktop, outside of any window (org.freedesktop.Notifications on the session's
// D-Bus). False where there is no such bus or nobody shows them. Waits for at most a few seconds.
bool notify_desktop(const std::string& title, const std::string& text);

}  // namespace pairs

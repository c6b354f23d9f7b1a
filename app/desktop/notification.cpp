#include "app/desktop/notification.h"

#include <systemd/sd-bus.h>

#include <cstdint>
#include <memory>

#include "core/base/text/text.h"

namespace pairs {
namespace {

constexpr const char *kService = "org.freedesktop.Notifications", *kPath = "/org/freedesktop/Notifications";
constexpr std::uint64_t kMostMicroseconds = 3'000'000;
constexpr std::size_t kMostText = 600;

struct CloseBus {
  void operator()(sd_bus* bus) const { sd_bus_close_unref(bus); }
};

// The desktop may interpret a text as markup.
std::string plain_text(const std::string& text) {
  std::string plain;
  for (const char c : printable(text, kMostText))
    plain += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return plain;
}

}  // namespace

bool notify_desktop(const std::string& title, const std::string& text) {
  sd_bus* opened = nullptr;
  if (sd_bus_open_user(&opened) < 0) return false;
  const std::unique_ptr<sd_bus, CloseBus> bus(opened);
  sd_bus_set_method_call_timeout(bus.get(), kMostMicroseconds);
  // Sends the program's name and icon; replaces no other notification, with no buttons or hints and the default
  // duration.
  return sd_bus_call_method(bus.get(), kService, kPath, kService, "Notify", nullptr, nullptr, "susssasa{sv}i",
                            "Pairs Studio", 0u, "pairs-studio", printable(title, kMostText).c_str(),
                            plain_text(text).c_str(), 0, 0, -1) >= 0;
}

}  // namespace pairs

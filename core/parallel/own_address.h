#pragma once

#include <cstdint>
#include <string>

namespace pairs {

// A rank's way to the first one: the address of its own from which it goes, and the first one's as it sees it.
struct RouteToFirst {
  std::string own, first;
};

// Asks the system; nothing is sent. Throws Error where the host's name has no address, or nothing leads there.
RouteToFirst route_to(const std::string& host, std::uint16_t port);

// Whether the first rank takes connections there now; asks for two seconds at most.
bool accepts_connections(const std::string& host, std::uint16_t port);

// Throws a usage Error where ranks cannot meet at a host: an address of IPv6, or a name that this machine knows no
// address of IPv4 for. Where the name service does not answer it is asked again, for ten seconds.
void check_meeting_host(const std::string& host);

// Whether a host's name or address means the machine itself whoever uses it.
bool is_loopback(const std::string& host);

}  // namespace pairs

#pragma once

#include <cstdint>
#include <string>

namespace pairs {

// A rank's route to the first rank: its own address on that route, and the first rank's address as seen from here.
struct RouteToFirst {
  std::string own, first;
};

// Queries the system; nothing is sent. Throws Error if the host's name has no address, or there is no route.
RouteToFirst route_to(const std::string& host, std::uint16_t port);

// Whether the first rank currently accepts connections there; waits for at most two seconds.
bool accepts_connections(const std::string& host, std::uint16_t port);

// Throws a usage Error if ranks cannot meet at a host: an IPv6 address, or a name without an IPv4 address known to this
// machine. If the name service does not respond, repeats the query for ten seconds.
void check_meeting_host(const std::string& host);

// Whether a host's name or address refers to the local machine on every machine.
bool is_loopback(const std::string& host);

}  // namespace pairs

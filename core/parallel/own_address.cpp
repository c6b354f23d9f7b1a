#include "core/parallel/own_address.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

#include "core/base/files/descriptor.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

std::string numeric(const sockaddr_storage& address, socklen_t size) {
  char text[NI_MAXHOST] = {};
  const int code =
      ::getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  PAIRS_CHECK(code == 0, "The system does not give an address as text: {}", ::gai_strerror(code));
  return text;
}

}  // namespace

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

void check_meeting_host(const std::string& host) {
  if (host.find(':') != host.npos)
    fail_usage("The ranks cannot meet at {}: they use IPv4; give its name, or an address of that kind",
               printable(host, 300));
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_STREAM;
  int code = 0;
  for (int attempt = 0; attempt < 10; ++attempt) {
    code = ::getaddrinfo(host.c_str(), nullptr, &wanted, &found);
    if (code == 0) return ::freeaddrinfo(found);
    if (code != EAI_AGAIN) break;
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  fail_usage("The ranks cannot meet at {}: this machine knows no address of that name ({})", printable(host, 300),
             ::gai_strerror(code));
}

bool accepts_connections(const std::string& host, std::uint16_t port) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) return false;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> list(found, ::freeaddrinfo);
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    const Descriptor socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (socket < 0) continue;
    if (::connect(socket, one->ai_addr, one->ai_addrlen) == 0) return true;
    pollfd wait{socket, POLLOUT, 0};
    int problem = errno;
    socklen_t size = sizeof problem;
    if (problem == EINPROGRESS && ::poll(&wait, 1, 2000) == 1 &&
        ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &problem, &size) == 0 && problem == 0)
      return true;
  }
  return false;
}

RouteToFirst route_to(const std::string& host, std::uint16_t port) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_DGRAM;
  const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  PAIRS_CHECK(code == 0, "The first rank's host \"{}\" has no address here: {}; name another with --rendezvous",
              printable(host, 300), ::gai_strerror(code));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> list(found, ::freeaddrinfo);
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    const Descriptor socket(::socket(one->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    if (socket < 0 || ::connect(socket, one->ai_addr, one->ai_addrlen) != 0 ||
        ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) != 0)
      continue;
    sockaddr_storage first{};
    std::memcpy(&first, one->ai_addr, one->ai_addrlen);
    return {numeric(own, size), numeric(first, one->ai_addrlen)};
  }
  fail("Nothing leads from this machine to the first rank's host \"{}\": {}; name another address with --rendezvous",
       printable(host, 300), std::strerror(errno));
}

}  // namespace pairs

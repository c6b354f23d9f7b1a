#include "core/parallel/rendezvous.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>
#include <vector>

#include "core/base/files/descriptor.h"
#include "core/base/text/error.h"
#include "core/base/text/log.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/parallel/own_address.h"
#include "core/parallel/rendezvous_store.h"

namespace pairs {
namespace {

constexpr std::chrono::seconds kPatience(120);

// A listening socket and its address.
struct Listener {
  int socket = -1;
  std::string host;
  std::uint16_t port = 0;
};

// The IPv4 addresses of a host that this machine knows, those that other machines can reach first.
std::vector<in_addr> addresses_of(const std::string& host) {
  std::vector<in_addr> all;
  if (is_loopback(host)) return {in_addr{htonl(INADDR_LOOPBACK)}};
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_STREAM;
  if (::getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> list(found, ::freeaddrinfo);
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next)
    all.push_back(reinterpret_cast<const sockaddr_in*>(one->ai_addr)->sin_addr);
  // A machine may know itself only by a loopback address (127.0.1.1), where others cannot find it.
  std::erase_if(all, [](const in_addr& one) { return ntohl(one.s_addr) >> 24 == 127; });
  return all;
}

// Listens at one address; on failure the socket is -1 and errno is set.
Listener listen_at(in_addr where, std::uint16_t port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr = where;
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  if (socket < 0 || ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(socket, plain, size) != 0 || ::listen(socket, 1024) != 0 || ::getsockname(socket, plain, &size) != 0)
    return {};
  char text[INET_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
  const bool everywhere = where.s_addr == htonl(INADDR_ANY);
  return {socket.release(), everywhere ? "127.0.0.1" : text, ntohs(address.sin_port)};
}

// Listens at the address that the host names, and at no other. If this machine does not have that address (behind a
// router, or with a name that only it knows), listens at all its addresses and reports this.
Listener listening_socket(const std::string& host, std::uint16_t port) {
  Listener made;
  int problem = EADDRNOTAVAIL;
  for (const in_addr& one : addresses_of(host)) {
    made = listen_at(one, port);
    if (made.socket >= 0) return made;
    if (errno != EADDRNOTAVAIL) problem = errno;
  }
  if (problem == EADDRNOTAVAIL) {
    made = listen_at(in_addr{htonl(INADDR_ANY)}, port);
    problem = errno;
    if (made.socket >= 0)
      spdlog::warn("This machine has no address that {} names: the first rank listens at all that it has",
                   printable(host, 300));
  }
  PAIRS_CHECK(made.socket >= 0, "The first rank cannot listen at {}:{}: {}; choose another port with --rendezvous",
              host, port, std::strerror(problem));
  return made;
}

c10d::TCPStoreOptions store_options(std::uint16_t port) {
  c10d::TCPStoreOptions options;
  options.port = port;
  options.waitWorkers = false;
  options.timeout = kPatience;
  return options;
}

[[noreturn]] void nobody_answers(const Rendezvous::Parts& at, const std::string& why) {
  fail(
      "Nobody answers at {}:{}, where the ranks meet ({}); start the first rank, or name its address with "
      "--rendezvous HOST:PORT",
      at.host, at.port, why);
}

}  // namespace

void Rendezvous::Parts::await_listener(const std::function<bool()>& stop) const {
  const Stopwatch watch;
  while (file.empty() && !listening && !accepts_connections(host, port)) {
    if (stop && stop()) throw Stopped();
    if (watch.seconds() > std::chrono::duration<double>(kPatience).count()) nobody_answers(*this, "no connection");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

c10::intrusive_ptr<c10d::Store> Rendezvous::Parts::connect() const {
  if (!file.empty()) return c10::make_intrusive<c10d::FileStore>(file.string(), -1);
  try {
    c10::intrusive_ptr<c10d::Store> store = c10::make_intrusive<c10d::TCPStore>(host, store_options(port));
    if (!attempt.empty()) store = c10::make_intrusive<c10d::PrefixStore>(attempt, store);
    return store;
  } catch (const std::exception& error) {
    nobody_answers(*this, sentence(error));
  }
}

Rendezvous Rendezvous::listen(const std::string& host, std::uint16_t port) {
  auto parts = std::make_shared<Parts>();
  const Listener made = listening_socket(host, port);
  // The store takes over the socket.
  c10d::TCPStoreOptions options = store_options(made.port);
  options.isServer = true;
  options.masterListenFd = made.socket;
  // This process reaches itself whatever its name is for others.
  parts->host = made.host;
  parts->called = host;
  parts->port = made.port;
  parts->listening = c10::make_intrusive<c10d::TCPStore>(parts->host, options);
  return Rendezvous(std::move(parts));
}

Rendezvous Rendezvous::join(const std::string& host, std::uint16_t port) {
  auto parts = std::make_shared<Parts>();
  parts->host = host;
  parts->port = port;
  return Rendezvous(std::move(parts));
}

Rendezvous Rendezvous::served(const std::string& host, std::uint16_t port, const std::string& attempt) {
  Rendezvous out = join(host, port);
  out.parts_->attempt = attempt;
  return out;
}

Rendezvous Rendezvous::in_file(const std::filesystem::path& file) {
  auto parts = std::make_shared<Parts>();
  parts->file = file;
  return Rendezvous(std::move(parts));
}

std::string Rendezvous::name() const {
  if (!parts_->file.empty()) return parts_->file.string();
  return fmt::format("{}:{}", parts_->called.empty() ? parts_->host : parts_->called, parts_->port);
}

std::uint16_t Rendezvous::port() const {
  return parts_->port;
}

HostPort host_port(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  HostPort out;
  if (colon != text.npos && colon > 0) {
    out.host = text.substr(0, colon);
    const char *begin = text.data() + colon + 1, *end = text.data() + text.size();
    const auto read = std::from_chars(begin, end, out.port);
    if (read.ec == std::errc() && read.ptr == end && begin != end && out.port > 0) return out;
  }
  fail_usage("\"{}\" is no address of a rendezvous: write HOST:PORT, with a port from 1 to 65535",
             printable(text, 300));
}

}  // namespace pairs

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace pairs {

// Where the ranks of one run find each other: an address at which the first rank listens or, for ranks on one machine,
// a file.
class Rendezvous {
 public:
  // For the first rank: listens at `port` (0: any free one) of the address that `host` names, and at no other one if
  // this machine has that address. Throws Error if the port is taken.
  static Rendezvous listen(const std::string& host, std::uint16_t port);
  // For the other ranks. Does not connect yet.
  static Rendezvous join(const std::string& host, std::uint16_t port);
  // For all ranks if their launcher serves the address (torchrun); `attempt` separates them from ranks of other
  // attempts.
  static Rendezvous served(const std::string& host, std::uint16_t port, const std::string& attempt);
  // For ranks on one machine that share a file, which must not exist when the first rank arrives: only users who may
  // open it can join.
  static Rendezvous in_file(const std::filesystem::path& file);

  // The readable name of the place: HOST:PORT, or the file.
  std::string name() const;
  std::uint16_t port() const;

  // Its implementation (rendezvous_store.h).
  struct Parts;
  const Parts& parts() const { return *parts_; }

 private:
  explicit Rendezvous(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
  std::shared_ptr<Parts> parts_;
};

// Splits "HOST:PORT"; throws a usage error for any other text.
struct HostPort {
  std::string host;
  std::uint16_t port = 0;
};
HostPort host_port(const std::string& text);

}  // namespace pairs

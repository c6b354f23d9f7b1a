#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace pairs {

// Where the ranks of one run find each other: an address at which the first of them listens, or, for ranks of one
// machine, a file.
class Rendezvous {
 public:
  // The first rank's: listens at `port` (0: any free one) of the address that `host` names, and at no other one where
  // this machine has that.
  // Throws Error where the port is taken.
  static Rendezvous listen(const std::string& host, std::uint16_t port);
  // Another rank's. Nothing is connected yet.
  static Rendezvous join(const std::string& host, std::uint16_t port);
  // Of all ranks where their launcher serves the address (torchrun); what ranks of other attempts told is left aside by
  // `attempt`.
  static Rendezvous served(const std::string& host, std::uint16_t port, const std::string& attempt);
  // Of ranks of one machine that share a file, which must not be there when the first comes: nobody reaches it who may
  // not open it.
  static Rendezvous in_file(const std::filesystem::path& file);

  // What people call the place: HOST:PORT, or the file.
  std::string name() const;
  std::uint16_t port() const;

  // What stands behind it (rendezvous_store.h).
  struct Parts;
  const Parts& parts() const { return *parts_; }

 private:
  explicit Rendezvous(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
  std::shared_ptr<Parts> parts_;
};

// "HOST:PORT" taken apart; a usage error where it is none.
struct HostPort {
  std::string host;
  std::uint16_t port = 0;
};
HostPort host_port(const std::string& text);

}  // namespace pairs

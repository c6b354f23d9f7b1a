#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace pairs {

// Where the ranks of one run find each other: an address at which the first of them listens, or, for ranks that are
// threads of one process, a file.
class Rendezvous {
 public:
  // The first rank's: listens at `port` (0: any free one), for other machines unless `host` is this one's loopback.
  // Throws Error where the port is taken.
  static Rendezvous listen(const std::string& host, std::uint16_t port);
  // Another rank's. Nothing is connected yet.
  static Rendezvous join(const std::string& host, std::uint16_t port);
  // Of all ranks where their launcher serves the address (torchrun); what ranks of other attempts told is left aside by
  // `attempt`.
  static Rendezvous served(const std::string& host, std::uint16_t port, const std::string& attempt);
  // Of ranks that share a file, which must not be there when the first comes.
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

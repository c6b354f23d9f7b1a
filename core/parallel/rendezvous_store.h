#pragma once

#include <functional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/parallel/rendezvous.h"

// What files of core/parallel see of a rendezvous beside its name: LibTorch's stores, whose headers are large.
namespace pairs {

struct Rendezvous::Parts {
  std::string host;    // at which this process reaches it
  std::string called;  // by which people know the host; empty: by that
  std::uint16_t port = 0;
  std::string attempt;                        // of a launcher that serves the address; empty: the first rank does
  std::filesystem::path file;                 // empty: at an address
  c10::intrusive_ptr<c10d::Store> listening;  // the first rank's, which serves all others

  // Waits until the first rank listens. Throws Error where it does not within two minutes, Stopped where `stop` says
  // so.
  void await_listener(const std::function<bool()>& stop) const;
  // A connection of its own, which others need not wait for. Throws Error where nobody answers within two minutes.
  c10::intrusive_ptr<c10d::Store> connect() const;
};

}  // namespace pairs

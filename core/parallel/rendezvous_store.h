#pragma once

#include <functional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/parallel/rendezvous.h"

// The part of a rendezvous that is visible within core/parallel: LibTorch's stores, whose headers are large.
namespace pairs {

struct Rendezvous::Parts {
  std::string host;    // the name under which this process reaches it
  std::string called;  // the readable name of the host; empty: the same
  std::uint16_t port = 0;
  std::string attempt;                        // of a launcher that serves the address; empty: the first rank does
  std::filesystem::path file;                 // empty: it is an address
  c10::intrusive_ptr<c10d::Store> listening;  // the first rank's store, which serves all others

  // Waits until the first rank listens. Throws Error if it does not within two minutes, Stopped once `stop` returns
  // true.
  void await_listener(const std::function<bool()>& stop) const;
  // Opens a connection of its own, so that others need not wait for it. Throws Error if there is no response within two
  // minutes.
  c10::intrusive_ptr<c10d::Store> connect() const;
};

}  // namespace pairs

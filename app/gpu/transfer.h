#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace pairs::gpu {

// A page or file requested from a server by HTTP or HTTPS.
struct Transfer {
  std::string address;
  std::uint64_t from = 0;      // number of bytes already present: only the rest is requested
  std::string accept = "*/*";  // the Accept header
  // Called before the first byte; goes_on: the data continue at `from`, while servers may also send everything.
  std::function<void(bool goes_on)> begins;
  // Called with the bytes as they arrive. An exception ends the transfer and is rethrown.
  std::function<void(std::string_view bytes)> receives;
  // Called several times a second; true ends the transfer.
  std::function<bool()> stopped;
};

// How a transfer ended.
struct TransferEnd {
  std::string problem;        // why it is incomplete, without a full stop; "" if complete
  std::string address;        // final address after redirections
  bool nothing_more = false;  // the server has no bytes from `from` on (HTTP 416)
  bool broke = false;         // the connection failed, perhaps temporarily
  bool stopped = false;       // `stopped` said so
};

// Performs the transfer and waits. Throws Stopped once `stopped` returns true, and Error if the program lacks its
// network library (libpairs_transfer.so, which the first call opens).
TransferEnd transfer(const Transfer& asked);

// The exports of libpairs_transfer.so: pairs_transfer, and pairs_transfer_version, which returns the version of this
// interface.
using TransferFunction = void(const Transfer& asked, TransferEnd& end);
inline constexpr int kTransferVersion = 1;

}  // namespace pairs::gpu

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace pairs::gpu {

// A page or file that is asked of a server, over HTTP or HTTPS.
struct Transfer {
  std::string address;
  std::uint64_t from = 0;      // so many bytes are there already: the rest is asked for
  std::string accept = "*/*";  // the header of that name
  // Called before the first byte: whether what follows goes on at `from`; servers may send all of it instead.
  std::function<void(bool goes_on)> begins;
  // Called with the bytes as they come. What it throws ends the transfer and is thrown again.
  std::function<void(std::string_view bytes)> receives;
  // Asked several times a second; true ends it.
  std::function<bool()> stopped;
};

// How a transfer ended.
struct TransferEnd {
  std::string problem;        // why not all of it came, without a full stop; "" when all did
  std::string address;        // that answered, after redirections
  bool nothing_more = false;  // the server has no bytes from `from` on (HTTP 416)
  bool broke = false;         // the connection failed, which may pass
  bool stopped = false;       // `stopped` said so
};

// Asks for it and waits. Throws Stopped when `stopped` said so, and Error where this program has no part that speaks
// with servers (libpairs_transfer.so, which is opened by the first call).
TransferEnd transfer(const Transfer& asked);

// What libpairs_transfer.so exports: pairs_transfer, and pairs_transfer_version, which returns the number of this
// interface.
using TransferFunction = void(const Transfer& asked, TransferEnd& end);
inline constexpr int kTransferVersion = 1;

}  // namespace pairs::gpu

#pragma once

#include <cstdint>

namespace pairs {

// A pseudo-random permutation of [0, n) at one position, a pure function of (key, n, position). For fewer than 4,096
// elements every order is equally likely (Fisher and Yates; Durstenfeld 1964), from a table that each thread keeps for
// the last few (key, n). For more it is a four-round Feistel network, without a table, on the smallest even power of
// two that holds n, walked until it lands inside.
std::uint64_t permuted(std::uint64_t key, std::uint64_t n, std::uint64_t position);

}  // namespace pairs

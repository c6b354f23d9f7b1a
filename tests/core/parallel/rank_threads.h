#pragma once

#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/text/error.h"
#include "core/parallel/ranks.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {

// What became of a rank.
struct RankEnd {
  std::string error;  // "" when it ended well
  bool stopped = false;
  double seconds = 0;
};

inline Ranks::Options quick_ranks() {
  Ranks::Options options;
  options.times = {std::chrono::milliseconds(50), std::chrono::milliseconds(1500)};
  options.meeting = std::chrono::milliseconds(10000);
  return options;
}

// Does the work of one rank and returns what it throws and whether the rank sent the others its reason for leaving.
inline RankEnd end_of(const std::function<void()>& work) {
  RankEnd end;
  const auto begin = std::chrono::steady_clock::now();
  try {
    work();
  } catch (const Stopped&) {
    end.stopped = true;
  } catch (const std::exception& error) {
    end.error = error.what();
  }
  end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return end;
}

// Ranks that are threads of this process and meet in a file, each with its own connections.
inline std::vector<RankEnd> as_ranks(int size, const std::function<void(Ranks&)>& work,
                                     const Ranks::Options& options = quick_ranks()) {
  const TemporaryFolder folder;
  std::vector<RankEnd> ends(static_cast<std::size_t>(size));
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size; ++rank)
      threads.emplace_back([&, rank] {
        ends[static_cast<std::size_t>(rank)] = end_of([&] {
          Ranks ranks({rank, size}, Rendezvous::in_file(folder / "meeting"), options);
          work(ranks);
        });
      });
  }
  return ends;
}

}  // namespace pairs

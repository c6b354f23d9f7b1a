#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/parallel/rank_watch.h"
#include "core/parallel/rendezvous.h"

namespace pairs {

class GlooGroup;

// Which of a run's processes this is, counted from 0, and how many they are.
struct RankPlace {
  int rank = 0, size = 1;
};

// Another rank is lost, so that this one cannot go on.
class RankLost : public Error {
 public:
  using Error::Error;
};

// The processes that train one run together. All ranks make the same calls in the same order. Where one of them is lost
// (RankWatch) the others' calls throw RankLost, with a sentence that names it; where one was asked to stop outside of
// what they do together, Stopped.
class Ranks {
 public:
  struct Options {
    RankWatch::Times times;
    std::chrono::milliseconds meeting{300000};  // for all ranks to come
    std::chrono::milliseconds silence{25000};   // for the first rank to answer while they meet
    std::chrono::milliseconds disk{60000};      // for a shared disk to show one machine's files to the others
    std::string program;                        // what must be the same everywhere, "version 0.1.0"
    std::function<bool()> stop;                 // asked while they come; ends with Stopped
    // Asked while ranks wait for each other: what this process knows of another rank's end, in words that begin a
    // sentence; "": nothing.
    std::function<std::string()> known_end;
  };
  // Waits until all ranks have come to the rendezvous. Throws Error naming those that have not, a rank that came twice,
  // one of another number of ranks or another version of the program, and a first rank that stands still.
  Ranks(const RankPlace& place, const Rendezvous& meeting, const Options& options);
  // Of a rank that is done: where all others are done, too, or it has told them that it leaves.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return place_.rank; }
  int size() const { return place_.size; }
  // Whether it is the first, which alone writes the run's folder.
  bool leads() const { return place_.rank == 0; }
  // How people call a rank: "rank 1 (node7, process 123)".
  const std::string& name(int rank) const { return names_[static_cast<std::size_t>(rank)]; }

  // The vectors [n] of all ranks, of one type on the CPU: [size, n]. `stop`: this rank was asked to stop, which all
  // know from here on (all_stop).
  torch::Tensor gather(const torch::Tensor& own, bool stop = false);
  // How many rounds of gather_pair bring what all ranks have to each: log2(size), where that is a power of two.
  int rounds() const;
  // The vectors of this rank and of its partner in a round, the rank whose number differs in that binary digit, in the
  // order of their numbers: [2, n], on the CPU or on the device of connect_devices. A wish to stop is known to all
  // after the last round.
  torch::Tensor gather_pair(int round, const torch::Tensor& own, bool stop = false);
  // The texts of all ranks.
  std::vector<std::string> gather_text(const std::string& own);
  // Waits for all.
  void meet();

  // Which of the ranks of its machine this one is, counted from 0.
  int place_on_machine();
  // Prepares rounds of gather_pair for tensors of the device that this rank trains on. Ranks with a GPU each use NCCL;
  // where two share one, or NCCL cannot be had, what they send goes by way of the machine's memory: the same values.
  // Throws Error where some ranks train on a GPU and others on the CPU.
  void connect_devices(const torch::Device& device);
  // That device; nothing before connect_devices.
  const std::optional<torch::Device>& device() const { return device_; }
  // How tensors of GPUs travel, for people: "over NCCL", or by way of memory and why; "" before connect_devices, and on
  // the CPU.
  const std::string& route_of_gpus() const { return route_of_gpus_; }

  // Whether some rank said in the last gather, or before, that it was asked to stop: the same on all ranks.
  bool all_stop() const { return all_stop_; }
  // Throws as the calls above where another rank is lost.
  void check() const;
  // Tells the others that this rank leaves: why, in a sentence; empty: it was asked to stop.
  void leave(const std::string& why);

  // While one lives, ranks stop together: a wish to stop counts once all know of it.
  class Together {
   public:
    explicit Together(Ranks* ranks, bool together = true);
    ~Together();
    Together(const Together&) = delete;
    Together& operator=(const Together&) = delete;

   private:
    Ranks* ranks_;
    bool before_ = false;
  };
  bool together() const { return together_; }

  std::chrono::milliseconds disk_patience() const { return disk_; }
  // Bytes that this rank has sent so far.
  std::int64_t bytes_sent() const { return bytes_sent_; }

 private:
  struct Links;
  struct Meeting;
  torch::Tensor exchange(GlooGroup& group, int members, const torch::Tensor& own);
  // The vectors [n] of all members by an exchange of vectors that are one longer.
  using Exchange = std::function<torch::Tensor(const torch::Tensor&)>;
  torch::Tensor gather_by(const Exchange& exchange, const torch::Tensor& own, bool stop);
  std::string obstacle_to_nccl(const torch::Device& device);
  void pair_by_nccl(const torch::Device& device);
  [[noreturn]] void lost(const RankLoss& loss) const;

  RankPlace place_;
  std::vector<std::string> names_;
  std::unique_ptr<Links> links_;
  bool all_stop_ = false, together_ = false;
  std::int64_t bytes_sent_ = 0;
  std::optional<torch::Device> device_;
  std::string route_of_gpus_;
  std::chrono::milliseconds disk_;
  std::function<std::string()> known_end_;
};

}  // namespace pairs

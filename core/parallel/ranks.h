#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text/error.h"
#include "core/parallel/rank_watch.h"
#include "core/parallel/rendezvous.h"

namespace pairs {

class GlooGroup;

// The number of this process among a run's processes, counted from 0, and the number of processes.
struct RankPlace {
  int rank = 0, size = 1;
};

// Another rank is lost, so that this one cannot continue.
class RankLost : public Error {
 public:
  using Error::Error;
};

// The processes that train one run together. All ranks make the same calls in the same order. If one of them is lost
// (RankWatch), the others' calls throw RankLost with a sentence that names it; if one was asked to stop outside of
// their joint work, they throw Stopped.
class Ranks {
 public:
  struct Options {
    RankWatch::Times times;
    std::chrono::milliseconds meeting{300000};  // for all ranks to arrive
    std::chrono::milliseconds silence{25000};   // for the first rank to respond while they meet
    std::chrono::milliseconds disk{60000};      // for a shared disk to show one machine's files to the others
    std::string program;                        // must be equal on all ranks, "version 0.1.0"
    std::function<bool()> stop;                 // called while waiting for ranks; ends with Stopped
    // Called while ranks wait for each other: what this process knows about another rank's end, as the beginning of a
    // sentence; "": nothing.
    std::function<std::string()> known_end;
  };
  // Waits until all ranks have come to the rendezvous. Throws Error naming missing ranks, a rank that came twice, one
  // with another number of ranks or another version of the program, or a first rank that hangs.
  Ranks(const RankPlace& place, const Rendezvous& meeting, const Options& options);
  // Ends the connection, once all others are done, too, or this rank has notified them that it leaves.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return place_.rank; }
  int size() const { return place_.size; }
  // Whether it is the first rank, which alone writes the run's folder.
  bool leads() const { return place_.rank == 0; }
  // The readable name of a rank: "rank 1 (node7, process 123)".
  const std::string& name(int rank) const { return names_[static_cast<std::size_t>(rank)]; }

  // Gathers the vectors [n] of all ranks, of one type on the CPU: [size, n]. `stop`: this rank was asked to stop, which
  // all know from here on (all_stop).
  torch::Tensor gather(const torch::Tensor& own, bool stop = false);
  // How many rounds of gather_pair distribute all vectors to all ranks: log2(size), if that is a power of two.
  int rounds() const;
  // Gathers the vectors of this rank and of its partner in a round, the rank whose number differs in that binary digit,
  // in the order of their numbers: [2, n], on the CPU or on the device of connect_devices. All ranks know of a stop
  // request after the last round.
  torch::Tensor gather_pair(int round, const torch::Tensor& own, bool stop = false);
  // Gathers the texts of all ranks.
  std::vector<std::string> gather_text(const std::string& own);
  // Waits for all ranks.
  void meet();

  // The number of this rank among those of its machine, counted from 0.
  int place_on_machine();
  // Prepares rounds of gather_pair for tensors on the device that this rank trains on. Ranks with one GPU each use
  // NCCL; if two share one, or NCCL is not available, data goes through the machine's memory, with the same values.
  // Throws Error if some ranks train on a GPU and others on the CPU.
  void connect_devices(const torch::Device& device);
  // The device of connect_devices; nothing before.
  const std::optional<torch::Device>& device() const { return device_; }
  // How tensors of GPUs are transferred, in words: "over NCCL", or through memory and why; "" before connect_devices,
  // and on the CPU.
  const std::string& route_of_gpus() const { return route_of_gpus_; }

  // Whether some rank had been asked to stop as of the last gather: the same on all ranks.
  bool all_stop() const { return all_stop_; }
  // Throws like the calls above if another rank is lost.
  void check() const;
  // Notifies the others that this rank leaves, and why, in a sentence; empty: it was asked to stop.
  void leave(const std::string& why);

  // While one exists, ranks stop together: a stop request counts once all know of it.
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
  // Gathers the vectors [n] of all members by an exchange of vectors with one more element.
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

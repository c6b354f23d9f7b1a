#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace pairs {

// Generates random tensors on the CPU, a pure function of a training step's key.
using MakeDraw = std::function<std::vector<torch::Tensor>(std::uint64_t key)>;

// The random tensors of a training step, such as dropout masks and noise: make(key), on `device`. All random numbers of
// a loss come from here, so that a recorded step (ops::WorkGraph) can be repeated with new ones (DrawList).
std::vector<torch::Tensor> drawn(std::uint64_t key, const torch::Device& device, const MakeDraw& make);

// A step's random tensors in the order of their use: the tensors on the device, and how their values are generated.
class DrawList {
 public:
  // While it exists, every drawn() of this thread is appended to the list.
  class Taking {
   public:
    explicit Taking(DrawList& list);
    ~Taking();
    Taking(const Taking&) = delete;
    Taking& operator=(const Taking&) = delete;
  };
  // While it exists, drawn() of this thread returns the list's tensors in order, ignoring its key. Throws Error if more
  // are requested than the list holds.
  class Giving {
   public:
    explicit Giving(DrawList& list);
    ~Giving();
    Giving(const Giving&) = delete;
    Giving& operator=(const Giving&) = delete;
  };

  // Fills the tensors with the random numbers of another step.
  void redraw(std::uint64_t key);

 private:
  struct Entry {
    MakeDraw make;
    std::vector<torch::Tensor> values;
  };
  std::vector<Entry> entries_;
  std::size_t next_ = 0;  // the next entry to return
  friend std::vector<torch::Tensor> drawn(std::uint64_t key, const torch::Device& device, const MakeDraw& make);
};

}  // namespace pairs

#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace pairs {

// Makes the values of a draw on the CPU, a pure function of a training step's key.
using MakeDraw = std::function<std::vector<torch::Tensor>(std::uint64_t key)>;

// What a training step draws, dropout's masks and noise: make(key), on `device`. Everything that a loss draws comes
// from here, so that a step that is recorded and repeated (ops::WorkGraph) can be given new draws (DrawList).
std::vector<torch::Tensor> drawn(std::uint64_t key, const torch::Device& device, const MakeDraw& make);

// The draws of a step in the order in which it asks for them: the tensors on the device that hold them, and how their
// values are made.
class DrawList {
 public:
  // While it lives, every drawn() of this thread is appended to the list.
  class Taking {
   public:
    explicit Taking(DrawList& list);
    ~Taking();
    Taking(const Taking&) = delete;
    Taking& operator=(const Taking&) = delete;
  };
  // While it lives, drawn() of this thread answers with the list's tensors, in their order, whatever its key. Throws
  // Error where more is asked for than the list holds.
  class Giving {
   public:
    explicit Giving(DrawList& list);
    ~Giving();
    Giving(const Giving&) = delete;
    Giving& operator=(const Giving&) = delete;
  };

  // Fills the tensors with the draws of another step.
  void redraw(std::uint64_t key);

 private:
  struct Entry {
    MakeDraw make;
    std::vector<torch::Tensor> values;
  };
  std::vector<Entry> entries_;
  std::size_t next_ = 0;  // that is given
  friend std::vector<torch::Tensor> drawn(std::uint64_t key, const torch::Device& device, const MakeDraw& make);
};

}  // namespace pairs

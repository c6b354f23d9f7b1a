#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "core/estimator.h"

namespace pairs {

// Embeddings of every member of a task's pools (Task::pool_size), each computed once by a frozen embedder and kept in a
// file: the sets of stage 2 are means of them, so that augmentation passes and large sets need no further embedding
// (paper, appendix "3D Object Properties": five passes an image).
class EmbeddedPool {
 public:
  // Whether sets of stage 2 are drawn from pools; the query may prepare the task's data.
  static bool serves(const Task& task);

  // Embeds the members that are not yet in the file, `chunk` at a time (0: the estimator's default), and maps it.
  // Creates the file if needed; each embedding has a checksum. Throws Stopped between chunks once `stop()` returns
  // true; Error if the file belongs to another embedder or task.
  EmbeddedPool(const std::filesystem::path& file, Estimator& estimator, std::int64_t chunk,
               const std::function<bool()>& stop,
               const std::function<void(std::int64_t done, std::int64_t total)>& progress);
  ~EmbeddedPool();
  EmbeddedPool(const EmbeddedPool&) = delete;
  EmbeddedPool& operator=(const EmbeddedPool&) = delete;

  std::int64_t members() const { return members_; }  // of all pools
  // Embeddings [M, l] float32 on the CPU of the observations of some ranges, purpose finetune or finetune_validation;
  // row k of `latents` belongs to ranges[k].
  torch::Tensor embeddings(const Latents& latents, std::uint64_t seed, Purpose purpose,
                           std::span<const SetRange> ranges) const;

 private:
  std::shared_ptr<const Task> task_;
  void* map_ = nullptr;
  std::size_t bytes_ = 0;
  std::int64_t members_ = 0, training_ = 0;
  torch::Tensor table_;  // [members, l], in place: first those for finetune, then those for finetune_validation
};

}  // namespace pairs

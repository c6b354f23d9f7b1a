#pragma once

#include <torch/types.h>

#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "core/parallel/rendezvous.h"

namespace pairs {

// LibTorch's Gloo process group: the connections over which ranks exchange tensors of the CPU.
class GlooGroup {
 public:
  // Connects this member of a group of that name, whose others reach it at `address`, with all others; every member
  // does so at the same time. Throws Error where they do not find each other within 20 s.
  GlooGroup(const Rendezvous& meeting, const std::string& name, int member, int size, const std::string& address);
  ~GlooGroup();
  GlooGroup(const GlooGroup&) = delete;
  GlooGroup& operator=(const GlooGroup&) = delete;

  // Begins to send `own` [n] to all members, in whose order all [size * n], of the same type, is filled. `done` is
  // called once, on another thread, with what went wrong, or null; until then both tensors must live. Every member
  // calls it with the same n, one call at a time.
  void gather(const torch::Tensor& own, const torch::Tensor& all, std::function<void(std::exception_ptr)> done);

  // For ranks whose others are gone: gives the connections up without waiting for what is still under way.
  void abandon();

 private:
  struct Group;
  std::unique_ptr<Group> group_;
};

}  // namespace pairs

#pragma once

#include <torch/types.h>

#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "core/parallel/rendezvous.h"

namespace pairs {

// LibTorch's Gloo process group: the connections over which ranks exchange CPU tensors.
class GlooGroup {
 public:
  // Connects this member with all other members of the group of that name, which reach it at `address`; every member
  // calls this at the same time. Throws Error if they do not find each other within 20 s.
  GlooGroup(const Rendezvous& meeting, const std::string& name, int member, int size, const std::string& address);
  ~GlooGroup();
  GlooGroup(const GlooGroup&) = delete;
  GlooGroup& operator=(const GlooGroup&) = delete;

  // Starts to send `own` [n] to all members and to fill `all` [size * n], of the same type, in the order of the
  // members. `done` is called once, on another thread, with an exception or null; until then both tensors must stay
  // alive. Every member makes the call with the same n, one call at a time.
  void gather(const torch::Tensor& own, const torch::Tensor& all, std::function<void(std::exception_ptr)> done);

  // For ranks whose partners are gone: drops the connections without waiting for pending transfers.
  void abandon();

 private:
  struct Group;
  std::unique_ptr<Group> group_;
};

}  // namespace pairs

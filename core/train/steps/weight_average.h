#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pairs {

// Exponential moving average of the weights during optimization, on the same device. A decay of 0 turns it off: it then
// holds nothing and does nothing.
class WeightAverage {
 public:
  // Starts from the parameters' current values.
  WeightAverage(const std::map<std::string, torch::Tensor>& parameters, double decay);

  bool on() const { return decay_ > 0; }
  // Adds the parameters after step `step` (0, 1, ...): average += (1 - d) (parameters - average) with d = min(decay, (1
  // + step) / (10 + step)), so that the initial weights soon lose their influence.
  void update(std::int64_t step);

  // The averages by name (the tensors themselves, not copies); empty if off.
  const std::map<std::string, torch::Tensor>& values() const { return average_; }

  // While it exists, the parameters hold their averages; afterwards their previous values. Does nothing if off.
  class InPlace {
   public:
    explicit InPlace(const WeightAverage& average);
    ~InPlace();
    InPlace(const InPlace&) = delete;
    InPlace& operator=(const InPlace&) = delete;

   private:
    const WeightAverage& average_;
    std::map<std::string, torch::Tensor> own_;
  };

 private:
  double decay_;
  std::map<std::string, torch::Tensor> parameters_, average_;
};

}  // namespace pairs

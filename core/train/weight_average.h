#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pairs {

// Exponential moving average of the weights that an optimiser moves, beside them on their device. Off for a decay of 0:
// then it holds nothing and does nothing.
class WeightAverage {
 public:
  // Starts at the parameters' present values.
  WeightAverage(const std::map<std::string, torch::Tensor>& parameters, double decay);

  bool on() const { return decay_ > 0; }
  // Takes in the parameters after step `step` (0, 1, ...): average += (1 - d) (parameters - average) with
  // d = min(decay, (1 + step) / (10 + step)), so that the initial weights soon count for nothing.
  void update(std::int64_t step);

  // The averages by name (the tensors themselves, not copies); empty when off.
  const std::map<std::string, torch::Tensor>& values() const { return average_; }

  // While it lives the parameters hold their averages; afterwards what they held before. Does nothing when off.
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

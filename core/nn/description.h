#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace pairs {

// What a network is, told by itself.
struct NetworkDescription {
  std::vector<std::string> lines;               // for people: what it is, then its layers
  std::map<std::string, std::string> settings;  // those that matter, by the last word of their key
  double parameters = 0;                        // trainable numbers
  double flops = 0;                             // of one forward pass for one item
  std::string words = {};                       // in a sentence: "a convolutional network"
  std::string work = {};                        // where it comes from, as a reference; "" where that needs none
};

// With the parameters counted from the module.
NetworkDescription described(const torch::nn::Module& network, std::vector<std::string> lines,
                             std::map<std::string, std::string> settings, double flops, std::string words,
                             std::string work = {});

// "2 → 128 → 128".
std::string widths_text(std::span<const std::int64_t> widths);

}  // namespace pairs

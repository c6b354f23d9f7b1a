#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace pairs {

// A network's description of itself.
struct NetworkDescription {
  std::vector<std::string> lines;               // readable: what it is, then its layers
  std::map<std::string, std::string> settings;  // the ones with an effect, by the last word of their key
  double parameters = 0;                        // number of trainable values
  double flops = 0;                             // of one forward pass for one item
  std::string words = {};                       // its name within a sentence: "a convolutional network"
  std::string work = {};                        // the publication it comes from; "" if it needs none
};

// Counts the parameters of the module.
NetworkDescription described(const torch::nn::Module& network, std::vector<std::string> lines,
                             std::map<std::string, std::string> settings, double flops, std::string words,
                             std::string work = {});

// "2 → 128 → 128".
std::string widths_text(std::span<const std::int64_t> widths);

}  // namespace pairs

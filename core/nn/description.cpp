#include "core/nn/description.h"

#include <fmt/ranges.h>

namespace pairs {

NetworkDescription described(const torch::nn::Module& network, std::vector<std::string> lines,
                             std::map<std::string, std::string> settings, double flops, std::string words,
                             std::string work) {
  double parameters = 0;
  for (const torch::Tensor& p : network.parameters()) parameters += static_cast<double>(p.numel());
  return {std::move(lines), std::move(settings), parameters, flops, std::move(words), std::move(work)};
}

std::string widths_text(std::span<const std::int64_t> widths) {
  return fmt::format("{}", fmt::join(widths, " → "));
}

}  // namespace pairs

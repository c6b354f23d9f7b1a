#include "app/posterior/question/other_given.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include "core/given.h"

namespace pairs {

std::string other_given_text(const Task& task, const torch::Tensor& reported, const torch::Tensor& taken) {
  if (!reported.defined() || !taken.defined() || at::equal(reported, taken)) return "";
  return fmt::format("The file states that {}, and {} is taken instead", given_text(task, reported),
                     given_text(task, taken));
}

}  // namespace pairs

#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/batch/batch.h"
#include "tasks/registry.h"

namespace pairs::batch {

struct Answer {
  int code;
  std::string out, err;
};

// Runs `pairs --batch` with these words.
inline Answer run_words(std::vector<std::string> words) {
  words.insert(words.begin(), {"pairs", "--batch"});
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const int code = run_program(built_in_tasks(), static_cast<int>(arguments.size()), arguments.data());
  std::string out = ::testing::internal::GetCapturedStdout();
  return {code, out, ::testing::internal::GetCapturedStderr()};
}

}  // namespace pairs::batch

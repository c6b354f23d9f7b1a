#pragma once

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/batch/parts/command.h"
#include "core/base/text/error.h"
#include "tasks/registry.h"

namespace pairs::batch {

struct Acted {
  int code = 0;
  nlohmann::json document;
  std::string text, err;  // err: the sentence of an error, or what was said on stderr
};

// What a command's action answers to these words, with these tasks: run_words() takes those that are built in.
inline Acted act(Action (*add)(CLI::App&, const Catalog&), std::vector<std::string> words,
                 const Catalog& tasks = built_in_tasks()) {
  CLI::App app;
  const Action action = add(app, tasks);
  words.insert(words.begin(), "command");
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  app.parse(static_cast<int>(arguments.size()), arguments.data());
  Acted out;
  ::testing::internal::CaptureStderr();
  try {
    const Result result = action();
    out.code = result.exit_code;
    out.document = result.document;
    out.text = result.text;
    out.err = ::testing::internal::GetCapturedStderr();
  } catch (const Error& error) {
    ::testing::internal::GetCapturedStderr();
    out.code = error.kind() == ErrorKind::usage ? 2 : 1;
    out.err = error.what();
  }
  return out;
}

}  // namespace pairs::batch

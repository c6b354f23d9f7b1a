#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "app/queue/queue.h"
#include "core/base/files/files.h"
#include "core/train/run/run.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {

// A folder of runs with runs and studies that wait to be trained.
class QueuedFolders : public ::testing::Test {
 protected:
  QueuedFolders() { std::filesystem::create_directories(runs_); }
  std::filesystem::path run(const std::string& name) {
    RunConfig config;
    config.tasks = built_in_tasks();
    config.task = "bump-hunt";
    return create_run(config, runs_ / name);
  }
  std::filesystem::path study(const std::string& name) {
    std::filesystem::create_directories(runs_ / name);
    write_file(runs_ / name / (name + ".toml"),
               "title = \"A study\"\ntasks = [\"bump-hunt\"]\nstrategies = [\"pairs\", \"n1\"]\n[set]\n"
               "pretrain.epochs = 1\n");
    return runs_ / name;
  }
  std::string add(const std::filesystem::path& folder) { return queue_.add(item_of(folder)); }
  // Names in order.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const QueueItem& item : queue_.read().items) all.push_back(item.name());
    return all;
  }
  // A program in place of ours that runs these lines of shell.
  std::filesystem::path program(const std::string& lines) {
    write_file(folder_ / "program", "#!/bin/sh\n" + lines + "\n");
    ::chmod((folder_ / "program").c_str(), 0755);
    return folder_ / "program";
  }

  TemporaryFolder folder_;
  std::filesystem::path runs_ = folder_ / "runs";
  Queue queue_{runs_};
};

}  // namespace pairs

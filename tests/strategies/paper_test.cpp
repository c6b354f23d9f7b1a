#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "core/base/files/files.h"
#include "core/base/text/text.h"
#include "core/train/settings/config.h"
#include "tasks/registry.h"

// docs/reference/paper-presets.md lists where the presets `paper` depart from the paper. This test holds the values
// that the paper prints (appendix, Experiment Details), so that neither can change alone.

namespace pairs {
namespace {

struct Printed {
  const char* task;
  std::vector<std::pair<std::string, std::string>> values;
};

const std::vector<Printed> kPaper = {
    {"circle",
     {{"encoding", "linear"},
      {"restrict", "false"},
      {"embedder.kind", "cnn"},
      {"embedder.channels", "[64, 128, 256, 256]"},
      {"embedder.kernels", "[5, 5, 3, 3]"},
      {"embedder.size", "10"},
      {"head.kind", "umnn"},
      {"head.transforms", "1"},
      {"head.conditioner", "[128, 128]"},
      {"head.conditioner_size", "32"},
      {"head.integrand", "[64, 64, 64]"},
      {"pretrain.sizes", "[1, 2]"},
      {"pretrain.budget", "100000"},
      {"pretrain.batch", "100"},
      {"pretrain.rate", "3e-4"},
      {"pretrain.weight_decay", "1e-4"},
      {"pretrain.rotate", "true"},
      {"cache.sizes", "[10, 100, 1000]"},
      {"cache.sets", "[5000]"},
      {"finetune.epochs", "200"},
      {"finetune.batch", "50"},
      {"finetune.rate", "1e-4"},
      {"evaluate.sizes", "[1, 2, 5, 10, 25, 50, 100, 250, 500, 1000]"},
      {"evaluate.sets", "[500]"},
      {"evaluate.samples", "1500"},
      {"pretrain.patience", "15"},
      {"finetune.patience", "15"}}},
    {"digits",
     {{"encoding", "linear"},
      {"restrict", "false"},
      {"embedder.kind", "resnet"},
      {"embedder.channels", "[64, 64, 128, 256]"},
      {"embedder.projection", "[256]"},
      {"embedder.dropout", "0.1"},
      {"embedder.size", "256"},
      {"head.kind", "umnn"},
      {"head.transforms", "2"},
      {"head.conditioner", "[256, 256]"},
      {"head.conditioner_size", "64"},
      {"head.integrand", "[128, 128, 128]"},
      {"pretrain.sizes", "[1, 2]"},
      {"pretrain.budget", "250000"},
      {"pretrain.batch", "256"},
      {"pretrain.rate", "1e-4"},
      {"pretrain.weight_decay", "1e-4"},
      {"pretrain.warmup", "0.05"},
      {"pretrain.clip", "1"},
      {"pretrain.patience", "100"},
      {"cache.sizes", "[10, 100, 1000]"},
      {"cache.sets", "[50000]"},
      {"finetune.epochs", "400"},
      {"finetune.batch", "50"},
      {"finetune.rate", "3e-4"},
      {"finetune.clip", "1"},
      {"finetune.patience", "50"},
      {"evaluate.sizes", "[1, 2, 5, 10, 25, 50, 100, 250, 500, 1000]"},
      {"evaluate.sets", "[500]"},
      {"evaluate.samples", "500"}}},
    {"objects",
     {{"encoding", "log"},
      {"restrict", "false"},
      {"task.side", "224"},
      {"task.crop_least", "0.35"},
      {"task.crop_most", "0.5"},
      {"task.passes", "5"},
      {"task.views", "17"},
      {"embedder.kind", "resnet"},
      {"embedder.channels", "[64, 64, 128, 256, 512]"},
      {"embedder.blocks", "2"},
      {"embedder.stem_kernel", "7"},
      {"embedder.size", "16"},
      {"head.kind", "umnn"},
      {"head.transforms", "2"},
      {"head.conditioner", "[128, 128]"},
      {"head.conditioner_size", "32"},
      {"head.integrand", "[64, 64, 64]"},
      {"pretrain.sizes", "[1, 2]"},
      {"pretrain.budget", "200000"},
      {"pretrain.batch", "200"},
      {"pretrain.rate", "1e-3"},
      {"pretrain.clip", "1"},
      {"pretrain.patience", "15"},
      {"cache.sizes", "[12, 40, 80]"},
      {"cache.sets", "[100000]"},
      {"finetune.epochs", "200"},
      {"finetune.batch", "64"},
      {"finetune.rate", "1e-4"},
      {"finetune.patience", "15"},
      {"evaluate.sizes", "[1, 2, 4, 6, 8, 12, 20, 40, 80]"},
      {"evaluate.sets", "[5000]"},
      {"evaluate.samples", "500"}}},
    {"molecules",
     {{"encoding", "log"},
      {"embedder.kind", "schnet"},
      {"embedder.hidden", "128"},
      {"embedder.interactions", "5"},
      {"embedder.gaussians", "50"},
      {"embedder.cutoff", "10"},
      {"embedder.size", "128"},
      {"head.kind", "umnn"},
      {"head.transforms", "1"},
      {"head.conditioner", "[256, 256]"},
      {"head.conditioner_size", "32"},
      {"head.integrand", "[128, 128, 128]"},
      {"pretrain.sizes", "[1, 2]"},
      {"pretrain.epochs", "200"},
      {"pretrain.steps", "500"},
      {"pretrain.batch", "128"},
      {"pretrain.rate", "1e-4"},
      {"pretrain.weight_decay", "1e-5"},
      {"pretrain.clip", "1"},
      {"pretrain.warmup", "0.05"},
      {"pretrain.patience", "30"},
      {"finetune.epochs", "30"},
      {"finetune.batch", "128"},
      {"finetune.rate", "3e-4"},
      {"finetune.clip", "1"},
      {"finetune.warmup", "0.05"},
      {"finetune.patience", "15"},
      {"evaluate.sizes", "[1, 2, 5, 10, 20, 50, 100, 200]"},
      {"evaluate.samples", "500"}}},
    {"novel-view", {{"encoding", "log"},          {"task.size", "64"},
                    {"task.spheres", "3"},        {"task.noise", "0.03"},
                    {"task.map", "direction"},    {"task.frame", "world"},
                    {"embedder.size", "256"},     {"head.kind", "flow-matching"},
                    {"head.channels", "192"},     {"head.blocks", "3"},
                    {"head.time_size", "256"},    {"head.given_size", "64"},
                    {"head.steps", "50"},         {"head.solver", "euler"},
                    {"pretrain.sizes", "[1, 2]"}, {"pretrain.budget", "100000"},
                    {"pretrain.epochs", "200"},   {"pretrain.batch", "64"},
                    {"pretrain.rate", "3e-4"},    {"pretrain.clip", "1"},
                    {"pretrain.patience", "30"},  {"finetune.epochs", "100"},
                    {"finetune.batch", "64"},     {"finetune.rate", "1e-4"},
                    {"finetune.patience", "20"},  {"evaluate.sizes", "[1, 2, 5, 10, 25, 50, 100]"},
                    {"evaluate.sets", "[500]"}}},
    {"gaussian",
     {{"encoding", "none"},
      {"restrict", "false"},
      {"embedder.layers", "[128, 128]"},
      {"embedder.size", "128"},
      {"head.kind", "spline"},
      {"head.transforms", "3"},
      {"head.context_layers", "3"},
      {"pretrain.sizes", "[2]"},
      {"pretrain.epochs", "512"},
      {"pretrain.steps", "256"},
      {"pretrain.batch", "1024"},
      {"pretrain.rate", "3e-4"},
      {"pretrain.floor", "0"},
      {"finetune.heads", "per-n"},
      {"finetune.epochs", "512"},
      {"finetune.steps", "256"},
      {"finetune.batch", "1024"},
      {"finetune.rate", "3e-4"},
      {"finetune.floor", "0"},
      {"cache.sizes", "[2, 100, 1000, 10000, 100000]"}}},
    {"bump-hunt",
     {{"embedder.layers", "[128, 128]"},
      {"embedder.size", "128"},
      {"head.kind", "spline"},
      {"head.transforms", "3"},
      {"head.context_layers", "3"},
      {"pretrain.epochs", "200"},
      {"pretrain.steps", "1024"},
      {"pretrain.batch", "2048"},
      {"pretrain.rate", "1e-3"},
      {"finetune.epochs", "100"},
      {"finetune.steps", "8192"},
      {"finetune.batch", "128"},
      {"cache.sizes", "[100]"}}},
};

std::string text_of(const std::vector<Field>& all, const std::string& key) {
  const auto field = std::find_if(all.begin(), all.end(), [&](const Field& one) { return one.key == key; });
  return field == all.end() ? "no such setting" : field_text(*field);
}

// Objects and molecules need libraries that not every build has.
bool known(const std::string& task) {
  const std::vector<std::string> all = built_in_tasks()->names();
  return std::find(all.begin(), all.end(), task) != all.end();
}

// As field_text would write `value`, whichever way it is written here.
std::string written(RunConfig config, const std::string& key, const std::string& value) {
  const std::vector<Field> all = fields(config);
  set_field(all, key + "=" + value);
  return text_of(all, key);
}

// Rows of the page whose first cell names a setting: by task, the value that the page gives for our preset.
std::map<std::string, std::map<std::string, std::string>> departures() {
  std::map<std::string, std::map<std::string, std::string>> rows;
  std::istringstream page(read_file(std::string(PAIRS_SOURCE_DIR) + "/docs/reference/paper-presets.md"));
  std::string task;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) {
      const auto open = line.find("(`");
      task = open == line.npos ? "" : line.substr(open + 2, line.find('`', open + 2) - open - 2);
    }
    if (task.empty() || !line.starts_with("| `")) continue;
    const auto end = line.find('`', 3);
    const auto cell = line.find("| ", end) + 2;
    rows[task][line.substr(3, end - 3)] = line.substr(cell, line.find(" |", cell) - cell);
  }
  return rows;
}

TEST(PaperPresets, HoldWhatThePaperPrintsOrSayWhyNot) {
  const auto reported = departures();
  for (const Printed& paper : kPaper) {
    if (!known(paper.task)) continue;
    RunConfig config = load_preset(built_in_tasks(), built_in_tasks()->make(paper.task)->info(), "paper", "pairs", {});
    const std::vector<Field> all = fields(config);
    for (const auto& [key, value] : paper.values) {
      const std::string here = text_of(all, key);
      const bool same = here == written(config, key, value);
      const bool excused = reported.contains(paper.task) && reported.at(paper.task).contains(key);
      EXPECT_TRUE(same || excused) << paper.task << ": " << key << " is " << here << " and the paper prints " << value
                                   << "; say why in docs/reference/paper-presets.md";
    }
  }
}

TEST(PaperPresets, FollowThePageThatTellsOfThem) {
  const auto reported = departures();
  EXPECT_EQ(reported.size(), kPaper.size()) << "a section for each task";
  for (const auto& [task, rows] : reported) {
    if (!known(task)) continue;
    RunConfig config = load_preset(built_in_tasks(), built_in_tasks()->make(task)->info(), "paper", "pairs", {});
    const std::vector<Field> all = fields(config);
    for (const auto& [key, value] : rows)
      EXPECT_EQ(text_of(all, key), written(config, key, value))
          << task << ": " << key << " in docs/reference/paper-presets.md";
  }
}

}  // namespace
}  // namespace pairs

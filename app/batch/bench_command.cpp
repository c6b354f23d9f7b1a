#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/batch/arguments.h"
#include "app/batch/command.h"
#include "app/batch/drive.h"
#include "app/batch/numbers.h"
#include "app/text/table.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "core/nn/adamw.h"
#include "core/report/number_text.h"
#include "core/train/cache_writer.h"
#include "core/train/stage_tools.h"
#include "tasks/benchmarks.h"
#include "tasks/registry.h"

namespace pairs::batch {
namespace {

constexpr std::uint64_t kBenchSeed = 1;

struct BenchArguments {
  std::int64_t threads = 0;
  double seconds = 1.0;  // a row
};

// Median seconds of each call, taken in turns after one round to warm up; `seconds` in all, three rounds at least.
std::vector<double> median_seconds(const std::vector<std::function<void()>>& calls, double seconds) {
  for (const auto& call : calls) call();
  std::vector<std::vector<double>> times(calls.size());
  const Stopwatch all;
  while (times[0].size() < 3 || (all.seconds() < seconds && times[0].size() < 2000)) {
    if (!keep_going()) throw Stopped();
    for (std::size_t k = 0; k < calls.size(); ++k) {
      const Stopwatch one;
      calls[k]();
      times[k].push_back(one.seconds());
    }
  }
  std::vector<double> medians;
  for (auto& one : times) {
    const auto middle = one.begin() + static_cast<std::ptrdiff_t>(one.size() / 2);
    std::nth_element(one.begin(), middle, one.end());
    medians.push_back(*middle);
  }
  return medians;
}

// The best float32 matrix-product rate of this process: MKL (at::mm) and oneDNN, 2048³ and 2048 × 128 × 128.
double gemm_gflops(double seconds) {
  at::NoGradGuard no_grad;
  using Fused = torch::Tensor(const torch::Tensor&, const torch::Tensor&, const std::optional<torch::Tensor>&,
                              c10::string_view, c10::List<std::optional<at::Scalar>>, std::optional<c10::string_view>);
  const auto schema = c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
  double best = 0;
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{2048, 2048}, {2048, 128}}) {
    const torch::Tensor a = torch::full({m, n}, 0.5f), b = torch::full({n, n}, 0.25f);
    const double flop = 2.0 * static_cast<double>(m * n * n);
    torch::Tensor out = torch::empty({m, n});
    // The fastest call: what the machine can do, not what it does on average.
    const auto rate = [&](const std::function<void()>& call) {
      call();
      double least = 1e300;
      const Stopwatch all;
      for (int k = 0; k < 5 || (all.seconds() < seconds / 4 && k < 5000); ++k) {
        const Stopwatch one;
        call();
        least = std::min(least, one.seconds());
      }
      best = std::max(best, flop / least * 1e-9);
    };
    rate([&] { at::mm_out(out, a, b); });
    if (schema) {
      const auto op = schema->typed<Fused>();
      rate([&] { out = op.call(a, b, std::nullopt, "none", c10::List<std::optional<at::Scalar>>(), std::nullopt); });
    }
  }
  return best;
}

struct Row {
  std::string name;
  double seconds, items, gflop;  // one call; gflop 0 where a rate means nothing
};

// The preset small of a task with its networks as they are drawn.
struct SmallTask {
  SmallTask(const std::string& name, std::vector<std::string> settings) {
    settings.emplace_back("device=cpu");
    config = load_preset(make_task(name)->info(), "small", "pairs", settings);
    task = make_task(name, config.task_options());
  }
  RunConfig config;
  std::shared_ptr<const Task> task;
};

// One step of stage 1 as the stage runs it: simulate, embed, pool, loss, backward, AdamW.
Row pretraining(const BenchArguments& arguments, const std::string& name, std::int64_t batch) {
  const SmallTask small(name, {});
  Estimator estimator(small.task, small.config.estimator, kBenchSeed);
  const SetSource source(small.task, kBenchSeed, small.config.pretrain.sizes, 0, batch);
  std::map<std::string, torch::Tensor> parameters = estimator.embedder_parameters();
  parameters.merge(estimator.head_parameters());
  AdamW adam(parameters, {});
  estimator.train(true);
  std::int64_t step = 0;
  const auto call = [&] {
    pretrain_loss(estimator, source.training(0, step++ * batch, batch, std::int64_t{1} << 30, torch::kCPU))
        .total()
        .backward();
    adam.step(1e-4);
    adam.zero_grad();
  };
  const double mean_n = 1.5, sets = static_cast<double>(batch);
  return {"pretrain/" + name, median_seconds({call}, arguments.seconds)[0], sets,
          3e-9 * sets * (mean_n * estimator.embedder_flops() + estimator.head_flops())};
}

// Stage 3 on a small cache of its own; a step includes drawing from the cache.
class Finetuning {
 public:
  Finetuning(const std::string& task, const std::vector<std::string>& settings)
      : small_(task, settings),
        estimator_(small_.task, small_.config.estimator, kBenchSeed),
        groups_(plan_groups(small_.config.cache, law() == SizeLaw::list, small_.task->stored())) {
    const auto file = folder_ / "aggregates.cache";
    write_cache(
        file, estimator_, groups_, kBenchSeed, 0, 0, [] { return !keep_going(); }, [](const CacheProgress&) {});
    cache_ = std::make_unique<AggregateCache>(file, estimator_, kBenchSeed, 0);
    prepare_finetuning(estimator_, small_.config, *cache_);
    adam_ = std::make_unique<AdamW>(estimator_.head_parameters(), AdamW::Options());
    estimator_.train(true);
  }
  // A step on sets of size n, or of the law's sizes for n = 0.
  std::function<void()> step(std::int64_t n) {
    return
        [this, sampler = AggregateSampler(groups_, law(), n, kBenchSeed), position = std::uint64_t{0}]() mutable {
          AggregateBatch batch = sampler.draw(*cache_, false, position++, kBatch);
          cache_->recall(batch);
          finetune_loss(estimator_, 0, batch).total().backward();
          adam_->step(1e-4);
          adam_->zero_grad();
        };
  }
  const std::vector<std::int64_t>& sizes() const { return small_.config.cache.sizes; }
  Row row(const std::string& name, double seconds) {
    return {name, seconds, kBatch, 3e-9 * kBatch * estimator_.head_flops()};
  }

 private:
  static constexpr std::int64_t kBatch = 128;
  SizeLaw law() const { return size_law(small_.config.finetune.law); }

  SmallTask small_;
  Estimator estimator_;
  std::vector<CacheGroup> groups_;
  ScratchFolder folder_;
  std::unique_ptr<AggregateCache> cache_;
  std::unique_ptr<AdamW> adam_;
};

Row finetuning(const BenchArguments& arguments, const std::string& task, const std::vector<std::string>& settings) {
  Finetuning stage(task, settings);
  return stage.row("finetune/" + task, median_seconds({stage.step(0)}, arguments.seconds)[0]);
}

// The same step at both ends of N, taken in turns so that a busy machine slows both alike.
std::vector<Row> finetuning_at(const BenchArguments& arguments, const std::string& task,
                               const std::vector<std::string>& settings) {
  Finetuning stage(task, settings);
  const std::int64_t least = stage.sizes().front(), most = stage.sizes().back();
  const std::vector<double> seconds = median_seconds({stage.step(least), stage.step(most)}, 2 * arguments.seconds);
  return {stage.row(fmt::format("finetune/N={}", least), seconds[0]),
          stage.row(fmt::format("finetune/N={}", most), seconds[1])};
}

Observations first_set(const Task& task, std::int64_t count) {
  const std::int64_t indices[] = {0};
  const SetRange ranges[] = {{0, 0, count}};
  return task.observe(task.latents(kBenchSeed, Purpose::check, indices), kBenchSeed, Purpose::check, ranges,
                      torch::kCPU);
}

Row embedding(const BenchArguments& arguments, const Benchmark& benchmark) {
  const SmallTask small(benchmark.task, benchmark.settings);
  Estimator estimator(small.task, small.config.estimator, kBenchSeed);
  estimator.train(false);
  const Observations x = first_set(*small.task, benchmark.count);
  const auto count = static_cast<double>(benchmark.count);
  return {"embed/" + benchmark.task, median_seconds({[&] { estimator.embed(x); }}, arguments.seconds)[0], count,
          1e-9 * count * estimator.embedder_flops()};
}

Row sampling(const BenchArguments& arguments, const Benchmark& benchmark) {
  const SmallTask small(benchmark.task, benchmark.settings);
  Estimator estimator(small.task, small.config.estimator, kBenchSeed);
  estimator.train(false);
  const bool stepped = estimator.head(100).stepped_sampler() != nullptr;
  const std::int64_t sets = stepped ? 1 : 100;
  const torch::Tensor aggregates = torch::zeros({sets, estimator.embedding_size()}, torch::kFloat64);
  const torch::Tensor n = torch::full({sets}, 100, torch::kInt64);
  const std::int64_t indices[] = {0};
  const torch::Tensor given = small.task->latents(kBenchSeed, Purpose::check, indices).given;
  const double seconds =
      median_seconds({[&] { estimator.sample(aggregates, n, benchmark.count, 1, given); }}, arguments.seconds)[0];
  const auto samples = static_cast<double>(sets * benchmark.count);
  if (!stepped) return {"sample/" + benchmark.task, seconds, samples, 0};
  // In as many steps of the velocity as the preset has.
  const auto steps = small.config.estimator.head.steps;
  return {fmt::format("sample/{} ({} steps)", benchmark.task, steps), seconds, samples,
          1e-9 * samples * static_cast<double>(steps) * estimator.head_flops()};
}

Row exact_posterior(const BenchArguments& arguments, const Benchmark& benchmark) {
  const auto task = make_task(benchmark.task);
  const Observations x = first_set(*task, benchmark.count);
  const auto call = [&] {
    const auto reference = task->reference("exact");
    reference->add(x);
    reference->mean();
  };
  return {"exact/" + benchmark.task, median_seconds({call}, arguments.seconds)[0], 1, 0};
}

std::vector<Row> measure(const BenchArguments& arguments, const Benchmark& benchmark) {
  switch (benchmark.step) {
    case Benchmark::Step::pretrain:
      return {pretraining(arguments, benchmark.task, benchmark.count)};
    case Benchmark::Step::finetune:
      return {finetuning(arguments, benchmark.task, benchmark.settings)};
    case Benchmark::Step::finetune_at:
      return finetuning_at(arguments, benchmark.task, benchmark.settings);
    case Benchmark::Step::embed:
      return {embedding(arguments, benchmark)};
    case Benchmark::Step::sample:
      return {sampling(arguments, benchmark)};
    case Benchmark::Step::exact:
      return {exact_posterior(arguments, benchmark)};
  }
  fail("There is no such step");
}

Result bench(const BenchArguments& arguments) {
  set_threads(arguments.threads);
  const double gemm = gemm_gflops(2 * arguments.seconds);
  Result result;
  result.document = {
      {"device", "cpu"}, {"threads", at::get_num_threads()}, {"gemm_gflops", gemm}, {"rows", nlohmann::json::array()}};
  Table table({{"step", false}, {"ms"}, {"items / s"}, {"GFLOP"}, {"GFLOP / s"}, {"of GEMM"}});
  std::vector<Row> rows;
  for (const Benchmark& benchmark : benchmarks())
    for (Row& row : measure(arguments, benchmark)) rows.push_back(std::move(row));
  for (const Row& row : rows) {
    const double rate = row.gflop / row.seconds;
    nlohmann::json line = {{"name", row.name}, {"ms", 1e3 * row.seconds}, {"items_per_s", row.items / row.seconds}};
    if (row.gflop > 0) {
      line["gflop"] = row.gflop;
      line["fraction_of_gemm"] = rate / gemm;
    }
    result.document["rows"].push_back(line);
    table.add({row.name, number_text(1e3 * row.seconds, 3),
               count_text(static_cast<std::int64_t>(row.items / row.seconds)),
               row.gflop > 0 ? number_text(row.gflop, 4) : "–", row.gflop > 0 ? number_text(rate, 1) : "–",
               row.gflop > 0 ? fmt::format("{:.0f} %", 100 * rate / gemm) : "–"});
  }
  result.text = fmt::format("CPU, {}, best float32 GEMM {:.0f} GFLOP/s\n\n{}", counted(at::get_num_threads(), "thread"),
                            gemm, table.text());
  return result;
}

}  // namespace

Action add_bench(CLI::App& app) {
  const auto arguments = std::make_shared<BenchArguments>();
  app.add_option("--threads", arguments->threads, "CPU threads, 0 = all cores")
      ->type_name("N")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  app.add_option("--seconds", arguments->seconds,
                 "Time that a row is repeated for; a call to warm up and three more are the least")
      ->type_name("S")
      ->check(number(0.05, 600.0))
      ->capture_default_str();
  app.footer(
      "Whole steps as the stages run them, on the CPU: median time, and the rate beside the best float32 matrix "
      "product\nof the same process and threads (MKL or oneDNN). Example:\n  pairs --batch bench --json");
  return [arguments] { return bench(*arguments); };
}

}  // namespace pairs::batch

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "app/kinds/observed.h"
#include "app/kinds/sample_plot.h"
#include "app/kinds/samples_figure.h"
#include "app/kinds/target_room.h"
#include "app/kinds/thumbnail.h"
#include "core/base/fields/face.h"
#include "core/base/files/npz.h"
#include "core/base/text/error.h"
#include "tasks/parts/bodies.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/sets/saved_observations.h"
#include "tests/core/train/toy_row_task.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

Observations rows_of(const Task& task, std::int64_t n) {
  const std::vector<std::int64_t> index = {0};
  const SetRange range[] = {{0, 0, n}};
  return task.observe(task.latents(3, Purpose::check, index), 3, Purpose::check, range, torch::kCPU);
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Every face of every task's room, so that a task of a new kind cannot be half drawn.
TEST(Rooms, EveryTaskHasAllFaces) {
  std::vector<std::shared_ptr<const Task>> tasks = {std::make_shared<ToyRowTask>()};
  for (const std::string& name : built_in_tasks()->names()) tasks.push_back(built_in_tasks()->make(name));
  for (const auto& task : tasks) {
    const TaskInfo& info = task->info();
    SCOPED_TRACE(info.title);
    const ObservationRoom& room = room_of(info);
    EXPECT_FALSE(room.name().empty());
    EXPECT_FALSE(room.shape_text(info).empty());
    EXPECT_FALSE(room.columns_text(info).empty());
    const SampleAmounts a = room.amounts();
    for (const std::int64_t amount :
         {a.drawn, a.drawn_first, a.figure, a.shown, a.live, a.embedded_first, a.embedded, a.timed})
      EXPECT_GT(amount, 0);
    EXPECT_LE(a.drawn_first, a.drawn);
    const Figure figure = samples_figure(*task, 0);
    EXPECT_EQ(figure.plots.size(), 3u);
    for (const Plot& plot : figure.plots)
      EXPECT_TRUE(!plot.bars.empty() || !plot.scatters.empty() || !plot.pictures.empty());
    const Thumbnail picture = draw_thumbnail(*task);
    EXPECT_EQ(picture.rgba.size(), static_cast<std::size_t>(4 * picture.width * picture.height));
    std::int64_t drawn = 0;
    for (std::size_t i = 3; i < picture.rgba.size(); i += 4) drawn += picture.rgba[i] > 0;
    EXPECT_GT(drawn, 100) << "not an empty picture";
    const Observations x = rows_of(*task, 5);
    EXPECT_EQ(room.difference(x, x), 0);

    const TargetRoom& target = target_room_of(info);
    EXPECT_FALSE(target.name().empty());
    EXPECT_FALSE(target.columns_text(info).empty());
    EXPECT_GT(target.draws(), 1);
    Table table(target.report_columns(IntervalKind::central));
    const SampleReport report =
        target.report(info, torch::rand({4, info.target_size()}, torch::kFloat64),
                      std::vector<TargetNumbers>(info.targets.size()), IntervalKind::central, table);
    EXPECT_FALSE(table.empty());
    EXPECT_TRUE(report.arrays.contains("samples"));
    EXPECT_EQ(report.pictures.empty(), !target.in_folder());
  }
}

TEST(Rooms, RaggedRowsAreReadAsTheyWereWritten) {
  const TemporaryFolder folder;
  const ToyRowTask task;
  const Observations x = rows_of(task, 30);
  save_observations(folder / "set.npz", x);
  const Observed all = read_observed(folder / "set.npz", task.info()),
                 some = read_observed(folder / "set.npz", task.info(), 7);
  EXPECT_TRUE(torch::equal(all.x.rows(), x.rows()));
  EXPECT_TRUE(torch::equal(all.x.offsets(), x.offsets()));
  EXPECT_EQ(some.held, 30);
  EXPECT_EQ(some.x.count(), 7);
  EXPECT_TRUE(torch::equal(some.x.rows(), x.slice(0, 7).rows()));
}

TEST(Rooms, WrongRaggedRowsAreRefusedInASentence) {
  const TemporaryFolder folder;
  const TaskInfo info = ToyRowTask().info();
  const auto of = [&](std::map<std::string, torch::Tensor> arrays) {
    write_npz(folder / "set.npz", arrays);
    return refusal([&] { read_observed(folder / "set.npz", info); });
  };
  const auto offsets = [](std::vector<std::int64_t> values) { return torch::tensor(values, torch::kInt64); };
  EXPECT_THAT(of({{"x", torch::zeros({3, 2})}}), HasSubstr("rows"));
  EXPECT_THAT(of({{"rows", torch::zeros({3, 2})}}), HasSubstr("offsets"));
  EXPECT_THAT(of({{"rows", torch::zeros({3, 3})}, {"offsets", offsets({0, 3})}}), HasSubstr("rows of 2"));
  EXPECT_THAT(of({{"rows", torch::zeros({3, 2})}, {"offsets", offsets({0, 2})}}), HasSubstr("3 rows"));
  EXPECT_THAT(of({{"rows", torch::zeros({3, 2})}, {"offsets", torch::tensor({0.0, 3.0})}}), HasSubstr("whole numbers"));
  EXPECT_THAT(of({{"rows", torch::zeros({0, 2})}, {"offsets", offsets({0})}}), HasSubstr("no observation"));
  EXPECT_THAT(of({{"rows", torch::full({3, 2}, NAN)}, {"offsets", offsets({0, 3})}}),
              HasSubstr("missing or not finite"));
  EXPECT_EQ(of({{"rows", torch::zeros({3, 2})}, {"offsets", offsets({0, 0, 3})}}), "");
}

// A molecule's conformers in place of points, its formula left of them; a mesh left of the views of it.
TEST(Rooms, BodiesAreDrawnAsBodies) {
  int drawn = 0;
  for (const std::string& name : built_in_tasks()->names()) {
    const auto task = built_in_tasks()->make(name);
    if (!face<Bodies>(*task)) continue;
    const std::vector<std::int64_t> index = {0};
    const Latents latents = task->latents(3, Purpose::check, index);
    const Observations x = rows_of(*task, 4);
    const Plot plot = sample_plot(*task, latents, x, prior_view(*task));
    EXPECT_TRUE(plot.scatters.empty()) << name;
    const bool rows = task->info().kind == ObservationKind::rows;
    EXPECT_LT(plot.x.low, 0) << name << ": what is left of the sheet has room of its own";
    ASSERT_GE(plot.pictures.size(), 2u) << name;
    const std::vector<std::uint8_t>& body = (rows ? plot.pictures.front() : plot.pictures.back()).rgb;
    std::set<std::uint8_t> shades(body.begin(), body.end());
    EXPECT_GT(shades.size(), 20u) << name << ": a shaded body";
    ++drawn;
  }
  EXPECT_EQ(drawn, int{PAIRS_WITH_OBJECTS} + int{PAIRS_WITH_MOLECULES});
}

TEST(Rooms, RowsAreDrawnAsThePointsOfAllObservations) {
  const ToyRowTask task;
  const Observations x = rows_of(task, 40);
  const Plot plot = sample_plot(task, Latents(), x, prior_view(task));
  ASSERT_EQ(plot.scatters.size(), 1u);
  EXPECT_EQ(static_cast<std::int64_t>(plot.scatters[0].x.size()), x.rows().size(0));
  EXPECT_EQ(plot.x.label, "signal");
  const Observations none = Observations::ragged(torch::empty({0, 2}), torch::zeros({3}, torch::kInt64));
  EXPECT_THAT(refusal([&] { sample_plot(task, Latents(), none, prior_view(task)); }), HasSubstr("has a row"));
}

}  // namespace
}  // namespace pairs

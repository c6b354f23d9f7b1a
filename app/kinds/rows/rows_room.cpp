#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/kinds/arrays.h"
#include "app/kinds/body/body_picture.h"
#include "app/kinds/image/image_plot.h"
#include "app/kinds/points/points_plot.h"
#include "app/kinds/rooms.h"
#include "app/kinds/sample_plot.h"
#include "app/kinds/thumbnail.h"
#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "core/input_scale.h"
#include "core/sets/observations_file.h"
#include "tasks/parts/bodies.h"

namespace pairs {
namespace {

// The number of bodies on a sheet, and the pixels of each; the same for a thumbnail.
constexpr std::int64_t kDrawnBodies = 30, kBodySide = 160, kThumbnailSide = 64;
// Pixels of a formula.
constexpr std::int64_t kPlaneSide = 480;

// Unordered ragged rows, drawn as the points of all observations together, or as the bodies that they represent
// (Bodies).
class RowsRoom final : public ObservationRoom {
 public:
  std::string name() const override { return "rows"; }
  std::unique_ptr<ObservationLines> lines(const TaskInfo&, const std::string&, const std::vector<FileColumn>&,
                                          Missing) const override {
    return nullptr;
  }

  std::string shape_text(const TaskInfo& info) const override {
    const std::int64_t numbers = info.observation_shape[0];
    return fmt::format("rows of {}, some {:.3g} of them",
                       numbers == 1 ? "1 number" : fmt::format("{} numbers", numbers), info.rows);
  }

  std::string columns_text(const TaskInfo& info) const override {
    return fmt::format("rows of {}", fmt::join(info.observation_columns, ", "));
  }

  SampleAmounts amounts() const override {
    return {.drawn = 1000,
            .drawn_first = 50,
            .figure = 50,
            .shown = 500,
            .live = 5000,
            .embedded_first = 128,
            .embedded = 1024,
            .timed = 256};
  }

  Observed read(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most,
                Missing missing) const override {
    PAIRS_CHECK(!std::filesystem::is_directory(path) && lower_extension(path) == ".npz",
                "{} is no .npz file, which observations of ragged rows need, with the arrays \"{}\" and \"{}\"",
                path.string(), kBlockArray, kRowOffsetsArray);
    const Observations all = load_observations(path);
    const std::int64_t columns = task.observation_shape.at(0);
    PAIRS_CHECK(
        all.is_ragged() && all.rows().size(1) == columns,
        "{} must hold rows of {} numbers as the array \"{}\", and as \"{}\" where those of each observation begin, "
        "and their end, which is what task {} needs: {}",
        path.string(), columns, kBlockArray, kRowOffsetsArray, task.name, fmt::join(task.observation_columns, ", "));
    PAIRS_CHECK(all.count() > 0, "{} holds no observation; a set needs at least one", path.string());
    PAIRS_CHECK(!all.rows().is_complex(), "{} must hold real numbers", path.string());
    std::int64_t dropped = 0;
    const Observations read = missing == Missing::drop ? all : all.slice(0, std::min(most, all.count()));
    const Observations whole = keep_whole(read, missing, path.string(), dropped);
    const Observations kept = whole.slice(0, std::min(most, whole.count()));
    Observed observed{kept.to(torch::kCPU, observed_type(task)), all.count() - dropped, {}};
    observed.dropped = dropped;
    PAIRS_CHECK(missing == Missing::keep || torch::isfinite(observed.x.rows().to(torch::kFloat32)).all().item<bool>(),
                "{} holds values beyond ±3.4e38, the range of single precision; rescale or remove them", path.string());
    return observed;
  }

  Observed checked(torch::Tensor, const TaskInfo& task, const std::string& where) const override {
    fail("{} is one array, but observations of task {} are ragged rows, which need offsets", where, task.name);
  }

  SampleView prior_view(const Task& task) const override {
    if (face<Bodies>(task)) return {};  // pictures have no axes
    return view_of_points(task.info(), prior_sample(task, 500, 4).rows());
  }

  Plot sample_plot(const Task& task, const Latents& latents, const Observations& x,
                   const SampleView& view) const override {
    if (const Bodies* of = face<Bodies>(task)) {
      Plot sheet = image_sheet(body_pictures(of->bodies(latents, x, kDrawnBodies), kBodySide, view.turned));
      if (const PlaneDrawing formula = of->plane_drawing(latents); !formula.empty())
        put_next_to(sheet, plane_picture(formula, kPlaneSide));
      return sheet;
    }
    PAIRS_CHECK(x.rows().size(0) > 0, "None of {} observations of task {} has a row to be drawn", x.count(),
                task.info().name);
    return points_plot(task.info(), latents, x.rows(), view, {});
  }

  Thumbnail thumbnail(const Task& task) const override {
    if (const Bodies* of = face<Bodies>(task)) {
      const ThumbnailSample sample = thumbnail_sample(task, std::min(kThumbnailImages, task.info().max_n));
      // A set of fewer observations is shown from several sides.
      std::vector<torch::Tensor> pictures;
      for (std::int64_t have = 0, turn = 0; have < kThumbnailImages; ++turn) {
        const std::vector<Body> shown = of->bodies(sample.latents, sample.x, kThumbnailImages - have);
        if (shown.empty()) break;
        pictures.push_back(body_pictures(shown, kThumbnailSide, {.azimuth = 0.6 + static_cast<double>(turn)}));
        have += static_cast<std::int64_t>(shown.size());
      }
      PAIRS_CHECK(!pictures.empty(), "No body of task {} can be drawn", task.info().name);
      return image_thumbnail(torch::cat(pictures));
    }
    constexpr std::int64_t kObservations = 1000;
    return points_thumbnail(thumbnail_sample(task, kObservations).x.rows());
  }

  // A plot of rows loses the relations between rows, so it cannot show whether the model fits.
  std::optional<SimulatedPlot> simulated_plot(const Task&, const Latents&, const Observations&, const SampleView&,
                                              SeriesRole) const override {
    return std::nullopt;
  }

  ObservationSummaries summaries(const TaskInfo& info, const Observations& x) const override {
    constexpr std::int64_t kMostColumns = 6;
    const ObservationSummaries own =
        column_summaries(info, x.rows().narrow(1, 0, std::min(x.rows().size(1), kMostColumns)));
    const torch::Tensor held = x.offsets().diff();
    const torch::Tensor of = torch::arange(held.size(0)).repeat_interleave(held);
    torch::Tensor means = torch::zeros({held.size(0), own.values.size(1)}, torch::kFloat64);
    means.index_add_(0, of, own.values);
    means /= held.clamp_min(1).unsqueeze(1);
    ObservationSummaries out{{"rows"}, torch::cat({held.to(torch::kFloat64).unsqueeze(1), means}, 1)};
    for (const std::string& name : own.names) out.names.push_back("mean " + name);
    return out;
  }

  double difference(const Observations& a, const Observations& b) const override {
    PAIRS_CHECK(torch::equal(a.offsets(), b.offsets()), "The devices made observations of different numbers of rows");
    if (a.numbers() == 0) return 0;
    return (a.rows().to(torch::kCPU, torch::kFloat64) - b.rows().to(torch::kCPU, torch::kFloat64))
        .abs()
        .max()
        .item<double>();
  }
};

}  // namespace

const ObservationRoom& rows_room() {
  static const RowsRoom room;
  return room;
}

}  // namespace pairs

#include <fmt/format.h>

#include "app/kinds/rooms.h"
#include "app/kinds/target/image_samples.h"
#include "core/base/text/error.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

// One image, with samples but no density.
class ImageTargetRoom final : public TargetRoom {
 public:
  std::string name() const override { return "image"; }
  const char* gives() const override { return "samples"; }
  std::string next_figure() const override { return "mse"; }
  bool trains_soon() const override { return false; }
  std::int64_t draws() const override { return 16; }
  bool in_folder() const override { return true; }

  std::string columns_text(const TaskInfo& info) const override {
    return fmt::format("image {}×{}×{}", info.image.channels, info.image.height, info.image.width);
  }

  std::string labels_text(const TaskInfo&) const override { return "θ"; }

  nlohmann::json document(const TaskInfo& info) const override {
    return {{"image_shape", {info.image.channels, info.image.height, info.image.width}}};
  }

  std::vector<double> settable(const Latents&) const override { return {}; }

  torch::Tensor theta_of(const std::vector<double>&) const override { return {}; }

  void check_density(const TaskInfo& info, const std::string& why) const override {
    fail("The target of task {} is an image, {}", info.name, why);
  }

  std::int64_t compared_samples(std::int64_t asked, std::int64_t own) const override {
    const std::int64_t samples = asked >= 0 ? asked : own;
    if (samples < 2) fail_usage("Images are compared by their samples; give --samples 2 or more");
    return samples;
  }

  std::vector<Table::Column> report_columns(IntervalKind) const override {
    return {{"image", false}, {"samples"}, {"mean pixel"}, {"mean sd"}, {"largest sd"}};
  }

  SampleReport report(const TaskInfo& info, const torch::Tensor& flat, const std::vector<TargetNumbers>&, IntervalKind,
                      Table& table) const override {
    const ImageTarget& image = info.image;
    const torch::Tensor samples =
        flat.to(torch::kFloat32).view({flat.size(0), image.channels, image.height, image.width});
    SampleReport report;
    report.arrays = {{"samples", samples}, {"mean", samples.mean(0)}, {"sd", samples.std(0)}};
    const double sd = report.arrays["sd"].mean().item<double>(), most = report.arrays["sd"].max().item<double>();
    report.document = {{"image_shape", {image.channels, image.height, image.width}},
                       {"mean_sd", sd},
                       {"largest_sd", most},
                       {"mse", nullptr}};
    table.add({fmt::format("{}×{}×{}", image.channels, image.height, image.width), count_text(flat.size(0)),
               number_text(report.arrays["mean"].mean().item<double>(), 4), number_text(sd, 4), number_text(most, 4)});
    report.pictures = image_sample_pictures(samples, image);
    report.notes = fmt::format(
        "\nError (MSE): not known, as the true image is not; sd above is the posterior's, by pixel\n"
        "Pictures: {{}}\n          (sd.png: black 0, brightest {} of a pixel's range and more)\n",
        kBrightestSpread);
    return report;
  }
};

}  // namespace

const TargetRoom& image_target_room() {
  static const ImageTargetRoom room;
  return room;
}

}  // namespace pairs

#include "app/model/task/specimen.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <numeric>
#include <regex>
#include <set>

#include "core/base/text/error.h"
#include "core/estimator.h"
#include "core/train/settings/config.h"
#include "tasks/registry.h"
#include "tests/core/base/own_stopwatch.h"

namespace pairs::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kSpecimenPatience = 120;

struct SpecimenTest : testing::Test {
  Hub hub{built_in_tasks()};
  Specimen specimen{hub};

  void show(const std::string& task) {
    specimen.show(task);
    ASSERT_TRUE(specimen.wait(kSpecimenPatience));
    ASSERT_TRUE(specimen.card()) << specimen.failure();
    ASSERT_TRUE(specimen.figure());
  }
  const Plot& plot() { return specimen.figure()->plots.at(0); }
  double bars() {
    const std::vector<double>& heights = plot().bars.at(0).heights;
    return std::accumulate(heights.begin(), heights.end(), 0.0);
  }
};

TEST_F(SpecimenTest, DescribesEveryTask) {
  for (const std::string& name : built_in_tasks()->names()) {
    show(name);
    const TaskCard& card = *specimen.card();
    EXPECT_EQ(card.name, name);
    for (const std::string* text : {&card.title, &card.summary, &card.theta_text, &card.psi_text, &card.x_text})
      EXPECT_THAT(*text, testing::Not(IsEmpty())) << name;
    ASSERT_EQ(specimen.values().theta.size(), card.theta.size());
    ASSERT_EQ(specimen.values().psi.size(), card.psi.size());
    for (const auto* group : {&card.theta, &card.psi})
      for (const Parameter& parameter : *group) {
        EXPECT_LT(parameter.low, parameter.high) << name << " " << parameter.name;
        EXPECT_THAT(parameter.label, testing::Not(IsEmpty()));
      }
    EXPECT_LE(specimen.n(), card.shown_n);
    EXPECT_LE(card.shown_n, card.max_n);
  }
}

TEST_F(SpecimenTest, SlidersCoverMostOfThePrior) {
  for (const std::string& name : built_in_tasks()->names()) {
    show(name);
    const auto task = built_in_tasks()->make(name);
    std::vector<std::int64_t> indices(2000);
    std::iota(indices.begin(), indices.end(), 0);
    const Latents latents = task->latents(7, Purpose::check, indices);
    for (std::size_t k = 0; k < specimen.card()->psi.size(); ++k) {
      const Parameter& parameter = specimen.card()->psi[k];
      const auto column = latents.psi.select(1, static_cast<std::int64_t>(k));
      const double inside =
          ((column >= parameter.low) & (column <= parameter.high)).to(torch::kFloat64).mean().item<double>();
      EXPECT_GT(inside, 0.95) << name << " " << parameter.name;
    }
  }
}

TEST_F(SpecimenTest, DrawsEveryObservationOfASetOfPoints) {
  show("bump-hunt");
  EXPECT_EQ(bars(), 100);
  specimen.set_n(37);
  ASSERT_TRUE(specimen.wait(kSpecimenPatience));
  EXPECT_EQ(bars(), 37);
  EXPECT_EQ(plot().scatters.at(0).x.size(), 37);
  EXPECT_THAT(plot().title, HasSubstr("N = 37"));
}

TEST_F(SpecimenTest, ASmallerSetIsAPrefixOfALarger) {
  show("gaussian");
  const std::vector<double> all = plot().scatters.at(0).x;
  specimen.set_n(10);
  ASSERT_TRUE(specimen.wait(kSpecimenPatience));
  EXPECT_EQ(plot().scatters.at(0).x, std::vector<double>(all.begin(), all.begin() + 10));
}

TEST_F(SpecimenTest, MovingThetaMovesTheSamePoints) {
  show("gaussian");
  specimen.set_theta(0, -1);
  ASSERT_TRUE(specimen.wait(kSpecimenPatience));
  const std::vector<double> before = plot().scatters.at(0).x, across = plot().scatters.at(0).y;
  specimen.set_theta(0, 0.5);
  ASSERT_TRUE(specimen.wait(kSpecimenPatience));
  ASSERT_EQ(plot().scatters.at(0).x.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(plot().scatters[0].x[i], before[i] + 1.5, 1e-5);
  EXPECT_EQ(plot().scatters.at(0).y, across);
}

TEST_F(SpecimenTest, ANewSetKeepsThetaAndPsi) {
  show("gaussian");
  const ParameterValues values = specimen.values();
  const std::vector<double> before = plot().scatters.at(0).x;
  specimen.new_set();
  ASSERT_TRUE(specimen.wait(kSpecimenPatience));
  EXPECT_EQ(specimen.values(), values);
  EXPECT_NE(plot().scatters.at(0).x, before);
  specimen.draw_from_prior();
  ASSERT_TRUE(specimen.wait(kSpecimenPatience));
  EXPECT_NE(specimen.values().theta, values.theta);
  EXPECT_NE(specimen.values().psi, values.psi);
}

TEST_F(SpecimenTest, ValuesBeyondASliderAreItsEnd) {
  show("bump-hunt");
  specimen.set_theta(0, 7);
  EXPECT_THAT(specimen.values().theta, ElementsAre(1));
  specimen.set_theta(9, 0.5);
  EXPECT_THAT(specimen.values().theta, ElementsAre(1)) << "there is no tenth target";
}

TEST_F(SpecimenTest, ACovarianceStaysPositiveDefinite) {
  show("gaussian");
  specimen.set_psi(0, 1);
  specimen.set_psi(2, 1);
  specimen.set_psi(1, 2);
  const std::vector<double>& psi = specimen.values().psi;
  EXPECT_LT(psi[1] * psi[1], psi[0] * psi[2]);
  EXPECT_GT(psi[1], 0.9) << "as near to the wish as possible";
  specimen.set_psi(0, 0.05);
  EXPECT_LT(psi[1] * psi[1], psi[0] * psi[2]);
  ASSERT_TRUE(specimen.wait(kSpecimenPatience));
  for (const double x : plot().scatters.at(0).x) EXPECT_TRUE(std::isfinite(x));
}

TEST_F(SpecimenTest, DigitsProbabilitiesFollowThetaAndEachOther) {
  show("digits");
  const auto mean = [&] {
    double total = 0, sum = 0;
    for (std::size_t k = 0; k < 10; ++k) {
      sum += specimen.values().psi[k + 1];
      total += static_cast<double>(k) * specimen.values().psi[k + 1];
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    return total;
  };
  for (const double theta : {3.0, 8.0, 0.5}) {
    specimen.set_theta(0, theta);
    EXPECT_NEAR(specimen.values().theta[0], theta, 1e-6);
    EXPECT_NEAR(mean(), theta, 1e-6);
  }
  specimen.set_psi(1 + 9, 0.75);
  EXPECT_NEAR(specimen.values().psi[10], 0.75, 1e-12);
  EXPECT_NEAR(specimen.values().theta[0], mean(), 1e-9);
  specimen.set_psi(1 + 9, 1);
  EXPECT_NEAR(specimen.values().theta[0], 9, 1e-9);
  specimen.set_psi(1 + 9, 0.5);
  EXPECT_NEAR(mean(), specimen.values().theta[0], 1e-9) << "from one sure digit back to several";
  const double theta = specimen.values().theta[0];
  specimen.set_psi(0, 1.25);
  EXPECT_EQ(specimen.values().theta[0], theta) << "turning changes no probability";
}

TEST_F(SpecimenTest, ImagesAreDrawnAsASheetOfAllOfThem) {
  show("digits");
  specimen.set_n(11);
  ASSERT_TRUE(specimen.wait(kSpecimenPatience));
  double cells = 0;
  for (const Picture& picture : plot().pictures) {
    cells += (picture.x1 - picture.x0) * (picture.y1 - picture.y0);
    EXPECT_EQ(static_cast<double>(picture.width) / (picture.x1 - picture.x0),
              static_cast<double>(picture.height) / (picture.y1 - picture.y0))
        << "squares";
    EXPECT_GE(picture.y0, 0);
  }
  EXPECT_EQ(cells, 11);
}

TEST_F(SpecimenTest, TheExpectedCurveFitsTheHistogram) {
  show("bump-hunt");
  specimen.set_theta(0, 0.3);
  specimen.set_psi(0, 2);
  ASSERT_TRUE(specimen.wait(kSpecimenPatience));
  const Line& curve = plot().lines.at(0);
  const Bars& counts = plot().bars.at(0);
  const double step = curve.x[1] - curve.x[0], bin = counts.edges[1] - counts.edges[0];
  double area = 0, near = 0;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    area += curve.y[i] * step / bin;
    if (std::fabs(curve.x[i] - 2) < 0.35) near += curve.y[i] * step / bin;
  }
  EXPECT_NEAR(area, 100, 0.5) << "expected counts add up to N";
  // Signal within 3.5 sd of its place, and the background's share there.
  const auto normal = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  EXPECT_NEAR(near, 100 * (0.3 + 0.7 * (normal(2.35) - normal(1.65))), 0.5);
  ASSERT_EQ(plot().rules.size(), 1);
  EXPECT_EQ(plot().rules[0].x, 2);
}

TEST_F(SpecimenTest, ContoursHoldHalfAndNineTenthsOfTheDensity) {
  show("gaussian");
  specimen.set_psi(0, 0.5);
  specimen.set_psi(2, 0.5);
  specimen.set_psi(1, 0);
  specimen.set_theta(0, -1);
  specimen.set_theta(1, 2);
  ASSERT_TRUE(specimen.wait(kSpecimenPatience));
  std::set<int> seen;
  for (const Contour& contour : plot().contours)
    for (std::size_t i = 0; i < contour.x.size(); ++i) {
      // Squared distance in standard deviations, χ² with two degrees of freedom: -2 log(1 - share).
      const double distance = (std::pow(contour.x[i] + 1, 2) + std::pow(contour.y[i] - 2, 2)) / 0.5;
      const double share = 1 - std::exp(-distance / 2);
      EXPECT_TRUE(std::fabs(share - 0.5) < 0.02 || std::fabs(share - 0.9) < 0.02) << share;
      seen.insert(share > 0.7 ? 90 : 50);
    }
  EXPECT_THAT(seen, ElementsAre(50, 90));
}

TEST_F(SpecimenTest, TheViewStandsStillWhileThePriorIsDragged) {
  show("bump-hunt");
  std::vector<double> lows;
  for (const double psi : {-3.0, 0.0, 3.0}) {
    specimen.set_psi(0, psi);
    ASSERT_TRUE(specimen.wait(kSpecimenPatience));
    lows.push_back(plot().x.low);
    EXPECT_LE(plot().x.low, psi);
    EXPECT_GE(plot().x.high, psi);
  }
  EXPECT_EQ(lows[0], lows[1]);
  EXPECT_EQ(lows[1], lows[2]);
}

TEST_F(SpecimenTest, DraggingNeverWaitsAndEndsAtTheLastValue) {
  show("digits");
  const OwnStopwatch watch;
  for (int k = 0; k <= 200; ++k) {
    specimen.set_psi(0, 0.01 * k);
    specimen.poll();
  }
  EXPECT_LT(watch.seconds(), 0.5) << "200 steps on the window's thread";
  ASSERT_TRUE(specimen.wait(kSpecimenPatience));
  const std::vector<std::uint8_t> last = plot().pictures.at(0).rgb;
  specimen.set_psi(0, 1);
  ASSERT_TRUE(specimen.wait(kSpecimenPatience));
  EXPECT_NE(plot().pictures.at(0).rgb, last);
  specimen.set_psi(0, 2);
  ASSERT_TRUE(specimen.wait(kSpecimenPatience));
  EXPECT_EQ(plot().pictures.at(0).rgb, last);
}

TEST_F(SpecimenTest, CountsTheNetworksOfAPreset) {
  show("gaussian");
  ASSERT_TRUE(specimen.network());
  EXPECT_EQ(specimen.network()->preset, "small");
  const auto find = [&](const std::string& name) {
    for (const NetworkPart& part : specimen.network()->parts)
      if (part.name == name) return part;
    throw Error("no part " + name);
  };
  // 2 -> 128 -> 128 -> 30 with biases, then x itself; two FLOPs a weight at least.
  const double weights = 2 * 128 + 128 * 128 + 128 * 30;
  EXPECT_EQ(find("embedder").parameters, weights + 2 * 128 + 30);
  EXPECT_THAT(find("embedder").lines, ElementsAre("MLP with SiLU", "2 → 128 → 128 → 30", "then x itself"));
  EXPECT_EQ(find("mean").flow, "32 numbers");
  EXPECT_GE(find("embedder").flops, 2 * weights);
  EXPECT_LE(find("embedder").flops, 2.2 * weights);
  EXPECT_GT(find("head").parameters, 1000);
  EXPECT_EQ(specimen.network()->parameters, find("embedder").parameters + find("head").parameters);
  EXPECT_THAT(find("encoding").lines.at(0), HasSubstr("log N"));
  specimen.set_preset("quick");
  EXPECT_FALSE(specimen.network()) << "never that of another preset";
  ASSERT_TRUE(specimen.wait(kSpecimenPatience));
  EXPECT_EQ(find("embedder").parameters, 2 * 128 + 128 + 128 * 128 + 128 + 128 * 64 + 64);
}

// The numbers in a text, in order.
std::vector<std::int64_t> numbers_in(const std::string& text) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!std::isdigit(static_cast<unsigned char>(text[i]))) continue;
    std::size_t end = i;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    out.push_back(std::stoll(text.substr(i, end - i)));
    i = end;
  }
  return out;
}

// The outputs of the layers whose weights have names that match, in the order in which data meets them.
std::vector<std::int64_t> outputs_of(const torch::nn::Module& network, const std::string& pattern) {
  std::vector<std::int64_t> out;
  for (const auto& item : network.named_parameters())
    if (std::regex_match(item.key(), std::regex(pattern))) out.push_back(item.value().size(0));
  return out;
}

TEST_F(SpecimenTest, TellsTheNetworkThatEveryPresetBuilds) {
  for (const std::string& name : built_in_tasks()->names()) {
    show(name);
    for (const std::string& preset : preset_names()) {
      SCOPED_TRACE(name + ", " + preset);
      specimen.set_preset(preset);
      ASSERT_TRUE(specimen.wait(kSpecimenPatience));
      ASSERT_TRUE(specimen.network()) << specimen.network_failure();
      const auto part = [&](const std::string& wanted) {
        for (const NetworkPart& one : specimen.network()->parts)
          if (one.name == wanted) return one;
        throw Error("no part " + wanted);
      };
      const RunConfig config = load_preset(built_in_tasks(), built_in_tasks()->make(name)->info(), preset, "pairs", {});
      const auto task = built_in_tasks()->make(config.task, config.task_options());
      Estimator estimator(task, config.estimator, 1);
      const auto count = [](const std::map<std::string, torch::Tensor>& tensors) {
        double total = 0;
        for (const auto& [key, tensor] : tensors) total += static_cast<double>(tensor.numel());
        return total;
      };
      EXPECT_EQ(part("embedder").parameters, count(estimator.embedder_parameters()));
      EXPECT_EQ(part("head").parameters, count(estimator.head_parameters()));
      EXPECT_EQ(part("embedder").flops, estimator.embedder_flops());
      EXPECT_EQ(part("head").flops, estimator.head_flops());
      EXPECT_EQ(part("mean").flow, fmt::format("{} numbers", estimator.embedding_size()));
      // x as the preset has it, not as the task has it by itself.
      std::vector<std::int64_t> shape = task->info().observation_shape;
      if (shape.size() == 3) shape.erase(shape.begin());
      if (task->info().rows > 0) shape.push_back(std::llround(task->info().rows));
      EXPECT_EQ(numbers_in(part("x").lines.at(0)), shape) << part("x").lines.at(0);

      // The words against the shapes of the weights themselves.
      const Embedder& embedder = estimator.embedder();
      std::vector<std::int64_t> widths = outputs_of(embedder, R"(net\.weight\d+)");
      const std::string words = fmt::format("{}", fmt::join(part("embedder").lines, "\n"));
      if (!widths.empty()) {
        widths.insert(widths.begin(), embedder.named_parameters()["net.weight0"].size(1));
        EXPECT_EQ(numbers_in(part("embedder").lines.at(1)), widths) << words;
      } else {
        const auto parameters = embedder.named_parameters();
        if (const torch::Tensor* elements = parameters.find("elements")) {
          const auto interactions = outputs_of(embedder, R"(interaction\d+\.in_weight)");
          EXPECT_EQ(numbers_in(part("embedder").lines.at(0)),
                    (std::vector{static_cast<std::int64_t>(interactions.size()), elements->size(1)}))
              << words;
        } else {
          const std::vector<std::int64_t> channels =
              outputs_of(embedder, R"((block\d+|stem|stage\d+\.conv1|stage\d+_block0\.conv0)\.weight)");
          ASSERT_FALSE(channels.empty()) << "an embedder that this test does not know";
          const std::size_t line = parameters.contains("stage1_block0.conv0.weight") ? 2 : 1;
          EXPECT_EQ(numbers_in(part("embedder").lines.at(line)), channels) << words;
        }
      }
      // Convolutions at one pixel a weight at least: another picture size would give another number.
      double weights = 0;
      for (const auto& item : embedder.named_parameters())
        if (item.value().dim() >= 2) weights += static_cast<double>(item.value().numel());
      EXPECT_GE(part("embedder").flops, 2 * weights * (widths.empty() ? 4 : 1));
    }
  }
}

// The network of novel views once appeared as an MLP of 64 × 64 pixels, whatever the preset.
TEST_F(SpecimenTest, ViewsAreEmbeddedAtThePresetsSize) {
  show("novel-view");
  for (const char* preset : {"quick", "small"}) {
    specimen.set_preset(preset);
    ASSERT_TRUE(specimen.wait(kSpecimenPatience));
    ASSERT_TRUE(specimen.network());
    for (const NetworkPart& part : specimen.network()->parts) {
      if (part.name == "embedder") {
        EXPECT_THAT(part.lines.at(0), testing::Not(HasSubstr("MLP")));
      } else if (part.name == "x") {
        EXPECT_THAT(part.lines.at(0), testing::Not(HasSubstr("64 × 64")));
      }
    }
  }
}

TEST_F(SpecimenTest, AnotherTaskReplacesTheFirstWhileItIsStillMade) {
  specimen.show("digits");
  specimen.show("gaussian");
  EXPECT_FALSE(specimen.card());
  ASSERT_TRUE(specimen.wait(kSpecimenPatience));
  ASSERT_TRUE(specimen.card());
  EXPECT_EQ(specimen.card()->name, "gaussian");
  EXPECT_EQ(specimen.network()->task, "gaussian");
  EXPECT_EQ(plot().scatters.size(), 2) << "points and θ";
}

TEST_F(SpecimenTest, SaysWhyATaskCannotBeShown) {
  hub.data_folder = "/nonexistent/mnist";
  specimen.show("digits");
  ASSERT_TRUE(specimen.wait(kSpecimenPatience));
  EXPECT_FALSE(specimen.card());
  EXPECT_THAT(specimen.failure(), HasSubstr("/nonexistent/mnist"));
  EXPECT_EQ(hub.messages.unseen(), 1);
  specimen.set_n(5);
  specimen.new_set();
  specimen.draw_from_prior();
  specimen.set_theta(0, 1);
  EXPECT_FALSE(specimen.figure());
  hub.data_folder.clear();
  specimen.reload();
  ASSERT_TRUE(specimen.wait(kSpecimenPatience));
  ASSERT_TRUE(specimen.card());
  EXPECT_THAT(specimen.failure(), IsEmpty());
  EXPECT_EQ(specimen.card()->source, "generated digits");
  EXPECT_THAT(specimen.card()->source_hint, HasSubstr("MNIST"));
}

TEST_F(SpecimenTest, TurnsBodiesAndNothingElse) {
  show("gaussian");
  EXPECT_FALSE(specimen.card()->turns);
  EXPECT_THAT(specimen.subject(), IsEmpty());
  const auto points = specimen.figure();
  specimen.turn(1, 0);
  ASSERT_TRUE(specimen.wait(kSpecimenPatience));
  EXPECT_EQ(specimen.figure(), points);
  for (const std::string& name : built_in_tasks()->names()) {
    SCOPED_TRACE(name);
    show(name);
    EXPECT_EQ(specimen.card()->turns, name == "objects" || name == "molecules");
    if (!specimen.card()->turns) continue;
    const auto pictures = [&] {
      std::vector<std::vector<std::uint8_t>> all;
      for (const Picture& picture : plot().pictures) all.push_back(picture.rgb);
      return all;
    };
    const auto front = pictures();
    ASSERT_GE(front.size(), 2u);
    specimen.turn(0.7, -0.2);
    EXPECT_DOUBLE_EQ(specimen.turned().azimuth, BodyView().azimuth + 0.7);
    ASSERT_TRUE(specimen.wait(kSpecimenPatience));
    const auto turned = pictures();
    ASSERT_EQ(turned.size(), front.size());
    // The crops of an object and the formula of a molecule stay as they are, the bodies do not.
    const bool mesh = specimen.card()->name == "objects";
    EXPECT_EQ(turned.front() == front.front(), mesh);
    EXPECT_EQ(turned.back() == front.back(), !mesh);
    specimen.turn(0, 9);
    EXPECT_DOUBLE_EQ(specimen.turned().elevation, std::acos(0.0)) << "straight from above, no further";
    specimen.turn_back();
    ASSERT_TRUE(specimen.wait(kSpecimenPatience));
    EXPECT_EQ(pictures(), front);
    EXPECT_THAT(specimen.subject(), testing::Not(IsEmpty()));
    const std::string first = specimen.subject();
    for (int i = 0; i < 3 && specimen.subject() == first; ++i) {
      specimen.draw_from_prior();
      ASSERT_TRUE(specimen.wait(kSpecimenPatience));
    }
    EXPECT_NE(specimen.subject(), first);
  }
}

TEST_F(SpecimenTest, NamesTheCommand) {
  hub.data_folder = "/data/my sets";
  specimen.show("gaussian");
  EXPECT_EQ(specimen.batch_command(),
            "pairs --batch figure samples gaussian --out samples.svg --data-folder '/data/my sets'");
}

TEST_F(SpecimenTest, EndsInTheMiddleOfWork) {
  specimen.show("digits");
  specimen.set_preset("paper");
}

}  // namespace
}  // namespace pairs::model

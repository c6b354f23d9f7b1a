#include "tasks/digits.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cdist.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/math/distributions/beta.hpp>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "render/digit_warp.h"
#include "tasks/digit_images.h"
#include "tasks/glyphs.h"
#include "tests/tasks/mnist_folder.h"
#include "tests/tasks/sets.h"

namespace pairs {
namespace {

using namespace pairs::testing;
namespace fs = std::filesystem;

TEST(Digits, PriorIsTheDirichletOfTheTask) {
  const auto task = make_digits("");
  const std::int64_t sets = 20000;
  const Latents l = latents_of(*task, 3, Purpose::pretrain, 0, sets);
  const torch::Tensor p = l.psi.slice(1, 1, 11);
  EXPECT_LT((p.sum(1) - 1.0).abs().max().item<double>(), 1e-12);
  double mean = 0.0;
  for (int k = 0; k < 10; ++k) {
    const double alpha = k == 6 || k == 9 ? 2.5 : 0.25;
    const boost::math::beta_distribution<double> marginal(alpha, 7.0 - alpha);
    EXPECT_LT(kolmogorov(to_vector(p.select(1, k)), [&](double v) { return cdf(marginal, v); }), 2.2) << k;
    mean += k * alpha / 7.0;
  }
  const torch::Tensor expectation = (p * at::arange(10, torch::kFloat64)).sum(1);
  EXPECT_LT((l.theta.squeeze(1) - expectation).abs().max().item<double>(), 1e-12);
  const Target& target = task->info().targets[0];
  EXPECT_NEAR(target.location, mean, 1e-12);
  EXPECT_NEAR(l.theta.mean().item<double>(), mean, 4.0 * target.scale / std::sqrt(sets));
  EXPECT_NEAR(l.theta.std().item<double>(), target.scale, 0.03 * target.scale);
  EXPECT_LT(kolmogorov(to_vector(l.psi.select(1, 0)), [](double v) { return v / (2.0 * M_PI); }), 1.95);
}

// Latents of one set whose images are all of one class, turned by an angle.
Latents pure(int digit, double angle) {
  Latents l{at::full({1, 1}, static_cast<double>(digit), torch::kFloat64), at::zeros({1, 11}, torch::kFloat64)};
  l.psi[0][0] = angle;
  l.psi[0][1 + digit] = 1.0;
  return l;
}

TEST(Digits, NineIsASixUpsideDown) {
  const auto task = make_digits("");
  // The same stream draws the same image and noise for both; only the half turn differs.
  const torch::Tensor nine = sets_of(*task, pure(9, 0.7), 1, Purpose::pretrain, 4, 50);
  const torch::Tensor six = sets_of(*task, pure(6, 0.7 + M_PI), 1, Purpose::pretrain, 4, 50);
  EXPECT_LT((nine - six).abs().max().item<double>(), 1e-5);
  const torch::Tensor upright = sets_of(*task, pure(6, 0.7), 1, Purpose::pretrain, 4, 50);
  EXPECT_GT((nine - upright).abs().mean().item<double>(), 0.05);
}

TEST(Digits, ClassesOccurAsOftenAsTheyShould) {
  const auto task = make_digits("");
  // Half ones and half zeros, upright: ones have far less ink.
  Latents l = pure(1, 0.0);
  l.psi[0][2] = 0.3;
  l.psi[0][1] = 0.7;
  const torch::Tensor mixed = sets_of(*task, l, 1, Purpose::pretrain, 0, 2000)[0].flatten(1).mean(1);
  const double zeros = sets_of(*task, pure(0, 0.0), 1, Purpose::pretrain, 0, 2000).mean().item<double>();
  const double ones = sets_of(*task, pure(1, 0.0), 1, Purpose::pretrain, 0, 2000).mean().item<double>();
  ASSERT_GT(zeros, ones + 0.03);
  EXPECT_NEAR((mixed.mean().item<double>() - ones) / (zeros - ones), 0.7, 0.06);
}

// Which training images of class 3 an upright set of threes holds: the nearest one, as the noise is weaker than what
// tells glyphs apart.
std::vector<std::int64_t> threes_of(const Task& task, Purpose purpose, std::int64_t set) {
  const DigitImages& train = generated_digits()->train;
  const torch::Tensor glyphs =
      train.images.slice(0, train.first[3], train.first[4]).flatten(1).to(torch::kFloat32) / 255.0f;
  const torch::Tensor x = sets_of(task, pure(3, 0.0), 1, purpose, set, 2000)[0].flatten(1);
  const torch::Tensor nearest = at::cdist(x, glyphs).argmin(1);
  const std::set<std::int64_t> seen(nearest.const_data_ptr<std::int64_t>(),
                                    nearest.const_data_ptr<std::int64_t>() + nearest.numel());
  return {seen.begin(), seen.end()};
}

TEST(Digits, CachedSetsDrawFromAPartOfTheImages) {
  const auto task = make_digits("");
  EXPECT_GT(threes_of(*task, Purpose::pretrain, 0).size(), 550u);  // of 600
  std::set<std::int64_t> all;
  for (const std::int64_t set : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) {
    const std::vector<std::int64_t> images = threes_of(*task, Purpose::finetune, set);
    EXPECT_LE(images.size(), 100u);
    EXPECT_GE(images.size(), 95u);
    std::int64_t gaps = 0;  // neighbours on a circle: one gap at the most, and none inside
    for (std::size_t i = 0; i + 1 < images.size(); ++i) gaps += images[i + 1] - images[i] > 5;
    EXPECT_LE(gaps, 1);
    all.insert(images.begin(), images.end());
  }
  EXPECT_GT(all.size(), 400u);
}

TEST(Digits, NoiseLevelsAreUniform) {
  const auto task = make_digits("");
  const torch::Tensor x = sets_of(*task, pure(3, 0.0), 1, Purpose::pretrain, 0, 4000)[0][0];
  // Corners of upright digits hold nothing but noise: three rows and columns at each edge.
  const torch::Tensor images = sets_of(*task, pure(3, 0.0), 1, Purpose::pretrain, 0, 4000)[0].squeeze(1);
  const torch::Tensor edge = images.slice(1, 0, 2).flatten(1);
  const torch::Tensor variance = edge.square().mean(1);
  EXPECT_NEAR(variance.mean().item<double>(), (0.001 / 3 * 26) / 0.2, 0.001);  // E σ² over U(0.1, 0.3)
  EXPECT_GT(variance.min().item<double>(), 0.1 * 0.1 * 0.3);
  EXPECT_LT(variance.max().item<double>(), 0.3 * 0.3 * 2.2);
  EXPECT_EQ(x.dim(), 3);
}

TEST(Digits, TestsSeeOtherImagesThanTraining) {
  const auto source = generated_digits();
  std::set<std::string> train;
  const auto bytes = [](const DigitImages& d, std::int64_t i) {
    return std::string(reinterpret_cast<const char*>(d.images.const_data_ptr<std::uint8_t>()) + 784 * i, 784);
  };
  for (std::int64_t i = 0; i < source->train.images.size(0); ++i) train.insert(bytes(source->train, i));
  EXPECT_EQ(train.size(), 6000u);  // no glyph is drawn twice
  for (std::int64_t i = 0; i < source->test.images.size(0); ++i) EXPECT_EQ(train.count(bytes(source->test, i)), 0u);
}

TEST(Digits, GlyphsAreWhereMnistPutsThem) {
  std::vector<std::uint8_t> a(784), b(784);
  for (int digit = 0; digit <= 9; ++digit) {
    for (std::uint64_t index = 0; index < 40; ++index) {
      draw_glyph(7, index, digit, a);
      draw_glyph(7, index, digit, b);
      ASSERT_EQ(a, b);
      double mass = 0, x = 0, y = 0;
      for (int p = 0; p < 784; ++p) {
        mass += a[static_cast<std::size_t>(p)];
        x += a[static_cast<std::size_t>(p)] * (p % 28);
        y += a[static_cast<std::size_t>(p)] * (p / 28);
      }
      EXPECT_NEAR(x / mass, 13.5, 0.35) << digit << " " << index;
      EXPECT_NEAR(y / mass, 13.5, 0.35) << digit << " " << index;
      EXPECT_GT(mass / 255.0, 15.0);
      EXPECT_LT(mass / 255.0, 260.0);
    }
  }
  EXPECT_THROW(draw_glyph(7, 0, 10, a), Error);
}

// Nearest class mean of training glyphs, on test glyphs: chance is 0.1, real digits reach about 0.82.
TEST(Digits, GeneratedDigitsCanBeToldApart) {
  const auto source = generated_digits();
  std::vector<torch::Tensor> means;
  const auto part = [](const DigitImages& d, std::size_t k) {
    return d.images.slice(0, d.first[k], d.first[k + 1]).flatten(1).to(torch::kFloat32) / 255.0f;
  };
  for (std::size_t k = 0; k < 10; ++k) means.push_back(part(source->train, k).mean(0));
  const torch::Tensor centres = at::stack(means);
  std::int64_t right = 0;
  for (std::size_t k = 0; k < 10; ++k) {
    const torch::Tensor distance = at::cdist(part(source->test, k), centres);
    right += distance.argmin(1).eq(static_cast<std::int64_t>(k)).sum().item<std::int64_t>();
  }
  EXPECT_GT(static_cast<double>(right) / 1000.0, 0.75);
}

TEST(Digits, IsAddressableAndDescribed) {
  const auto task = make_digits("");
  expect_addressable(*task);
  expect_described(*task);
  EXPECT_EQ(task->info().data_source, "generated digits");
  EXPECT_TRUE(task->references().empty());
}

class DigitsOnMnist : public ::testing::Test {
 protected:
  void SetUp() override {
    data_ = data_folder();
    if (data_.empty()) GTEST_SKIP() << "no MNIST on this machine: set PAIRS_DATA";
    copy_ = fs::temp_directory_path() / ("pairs-digits-" + std::to_string(::getpid()));
    fs::create_directories(copy_);
    for (const auto& entry : fs::directory_iterator(data_ + "/mnist"))
      if (entry.path().extension() == ".gz")
        fs::create_symlink(fs::absolute(entry.path()), copy_ / entry.path().filename());
  }
  void TearDown() override {
    if (!copy_.empty()) fs::remove_all(copy_);
  }
  void replace(const std::string& name, const std::string& bytes) {
    fs::remove(copy_ / name);
    std::ofstream(copy_ / name, std::ios::binary) << bytes;
  }
  void expect_complaint(const std::string& part) {
    try {
      make_digits(copy_.string());
      FAIL() << "no complaint about " << part;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  }

  std::string data_;
  fs::path copy_;
};

TEST_F(DigitsOnMnist, ReadsTheFolderOrItsSubfolder) {
  const auto below = make_digits(data_), direct = make_digits(copy_.string());
  EXPECT_EQ(below->info().data_source, "MNIST");
  const Latents l = latents_of(*below, 1, Purpose::test, 0, 2);
  const torch::Tensor x = sets_of(*below, l, 1, Purpose::test, 0, 20);
  EXPECT_TRUE(at::equal(x, sets_of(*direct, l, 1, Purpose::test, 0, 20)));
  EXPECT_FALSE(at::equal(x, sets_of(*make_digits(""), l, 1, Purpose::test, 0, 20)));
}

TEST_F(DigitsOnMnist, TestsUseT10k) {
  const auto source = read_mnist(data_);
  EXPECT_EQ(source->train.images.size(0), 60000);
  EXPECT_EQ(source->test.images.size(0), 10000);
  EXPECT_EQ(source->train.first[6] - source->train.first[5], 5421);
  EXPECT_EQ(source->test.first[1], 980);
}

TEST_F(DigitsOnMnist, NamesWhatIsMissingOrBroken) {
  const std::string images = read_file(copy_ / "t10k-images-idx3-ubyte.gz");
  replace("t10k-images-idx3-ubyte.gz", images.substr(0, images.size() / 3));
  expect_complaint("t10k-images-idx3-ubyte.gz");
  replace("t10k-images-idx3-ubyte.gz", images);
  const std::string train_labels = read_file(copy_ / "train-labels-idx1-ubyte.gz");
  replace("t10k-labels-idx1-ubyte.gz", train_labels);
  expect_complaint("60000 labels");
  fs::remove(copy_ / "t10k-labels-idx1-ubyte.gz");
  expect_complaint("t10k-labels-idx1-ubyte");
  fs::remove(copy_ / "train-images-idx3-ubyte.gz");
  expect_complaint("train-images-idx3-ubyte");
}

}  // namespace
}  // namespace pairs

#include "tasks/digits/digits.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cdist.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/math/distributions/beta.hpp>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "render/digit_warp.h"
#include "tasks/digits/glyphs.h"
#include "tasks/digits/images.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/digits/mnist_folder.h"
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
    EXPECT_LT(kolmogorov(doubles(p.select(1, k)), [&](double v) { return cdf(marginal, v); }), 2.2) << k;
    mean += k * alpha / 7.0;
  }
  const torch::Tensor expectation = (p * at::arange(10, torch::kFloat64)).sum(1);
  EXPECT_LT((l.theta.squeeze(1) - expectation).abs().max().item<double>(), 1e-12);
  const Target& target = task->info().targets[0];
  EXPECT_NEAR(target.location, mean, 1e-12);
  EXPECT_NEAR(l.theta.mean().item<double>(), mean, 4.0 * target.scale / std::sqrt(sets));
  EXPECT_NEAR(l.theta.std().item<double>(), target.scale, 0.03 * target.scale);
  EXPECT_LT(kolmogorov(doubles(l.psi.select(1, 0)), [](double v) { return v / (2.0 * M_PI); }), 1.95);
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
  // Both sets use one random stream, hence equal images and noise; only the half turn differs.
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

TEST(Digits, GeneratedOnesNeverRepeat) {
  const auto task = make_digits("");
  const auto images = [&](std::uint64_t seed, Purpose purpose, std::int64_t set) {
    const torch::Tensor x = sets_of(*task, pure(3, 0.0), seed, purpose, set, 300)[0].flatten(1);
    return x;
  };
  // Noise variances from the first three and last three rows, where upright digits have no ink.
  const auto variances = [](const torch::Tensor& x) {
    return at::cat({x.slice(1, 0, 84), x.slice(1, 700, 784)}, 1).square().mean(1);
  };
  // Pairs with little noise, of another row each, whose squared distance is no more than what their noises explain.
  // From a pool of 600 images there would be about fifty.
  const auto alike = [&](const torch::Tensor& x, const torch::Tensor& y) {
    const torch::Tensor noise = variances(x).unsqueeze(1) + variances(y);
    const torch::Tensor beyond = at::cdist(x, y).square() - 784 * noise;
    return ((noise < 0.05) & (beyond < 4) & at::eye(300).eq(0)).sum().item<std::int64_t>();
  };
  const torch::Tensor a = images(1, Purpose::pretrain, 0);
  EXPECT_LE(alike(a, a), 5);
  for (const torch::Tensor& b : {images(1, Purpose::pretrain, 1), images(2, Purpose::pretrain, 0),
                                 images(1, Purpose::finetune, 0), images(1, Purpose::test, 0)}) {
    EXPECT_LE(alike(a, b), 5);
    EXPECT_GT((a - b).square().sum(1).median().item<double>(), 2 * 784 * 0.0433 * 1.1) << "row by row";
  }
  // Equal glyphs under different noise would be detected.
  const torch::Tensor again = a + 0.15 * at::randn({300, 784});
  const torch::Tensor repeats = at::diagonal(at::cdist(a, again).square()) - 784 * 0.0225;
  EXPECT_LT(repeats.abs().max().item<double>(), 4);
  const std::vector<SetRange> ranges = {{0, 0, 4}};
  EXPECT_EQ(task->pool_draws(pure(3, 0.0), 1, Purpose::test, ranges).size, 0);
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
  std::vector<torch::Tensor> means;
  const auto glyphs = [](std::uint64_t first, std::uint64_t count, int digit) {
    torch::Tensor out = at::empty({static_cast<std::int64_t>(count), 784}, torch::kUInt8);
    for (std::uint64_t i = 0; i < count; ++i)
      draw_glyph(5, first + i, digit, {out.mutable_data_ptr<std::uint8_t>() + 784 * i, 784});
    return out.to(torch::kFloat32) / 255.0f;
  };
  for (int k = 0; k < 10; ++k) means.push_back(glyphs(0, 600, k).mean(0));
  const torch::Tensor centers = at::stack(means);
  std::int64_t right = 0;
  for (int k = 0; k < 10; ++k)
    right += at::cdist(glyphs(1000, 100, k), centers).argmin(1).eq(k).sum().item<std::int64_t>();
  EXPECT_GT(static_cast<double>(right) / 1000.0, 0.75);
}

TEST(Digits, IsAddressableAndDescribed) {
  const auto task = make_digits("");
  expect_addressable(*task);
  expect_described(*task);
  EXPECT_EQ(task->info().data_source, "generated digits");
  EXPECT_TRUE(task->references().empty());
}

TEST(Digits, OtherImagesInMnistsLayoutAreNotCalledMnist) {
  const TemporaryFolder folder;
  const auto word = [](std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
  };
  for (const std::string split : {"train", "t10k"}) {
    std::string labels = word(0x801) + word(50);
    for (int i = 0; i < 50; ++i) labels += static_cast<char>(i % 10);
    write_file(folder / (split + "-images-idx3-ubyte"),
               word(0x803) + word(50) + word(28) + word(28) + std::string(50 * 28 * 28, '\x40'));
    write_file(folder / (split + "-labels-idx1-ubyte"), labels);
  }
  const std::string name = make_digits(folder.path().string())->info().data_source;
  EXPECT_EQ(name.find("50 + 50 digits other than MNIST's ("), 0u) << name;
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

// Images of class 3 that the sets first .. first + sets - 1 of a purpose draw, 3,000 observations each.
std::set<std::int64_t> threes_of(const Task& task, Purpose purpose, std::int64_t first, std::int64_t sets) {
  std::set<std::int64_t> seen;
  for (std::int64_t set = first; set < first + sets; ++set) {
    const std::vector<SetRange> ranges = {{set, 0, 3000}};
    const PoolDraws draws = task.pool_draws(pure(3, 0.0), 1, purpose, ranges);
    EXPECT_EQ(draws.size, purpose == Purpose::test ? 10000 : 60000);
    EXPECT_TRUE(draws.stratum.eq(3).all().item<bool>());
    const auto* member = draws.member.const_data_ptr<std::int64_t>();
    seen.insert(member, member + draws.member.numel());
  }
  return seen;
}

TEST_F(DigitsOnMnist, StagesAndValidationSeeOtherImages) {
  const auto task = make_digits(data_);
  const auto first = threes_of(*task, Purpose::pretrain, 0, 30), second = threes_of(*task, Purpose::finetune, 0, 60),
             held = threes_of(*task, Purpose::pretrain_validation, 0, 10);
  EXPECT_EQ(held, threes_of(*task, Purpose::finetune_validation, 0, 10));
  EXPECT_EQ(held, threes_of(*task, Purpose::explore, 0, 10));
  EXPECT_NEAR(static_cast<double>(first.size()), 0.4 * 6131, 1);
  EXPECT_NEAR(static_cast<double>(second.size()), 0.5 * 6131, 1);
  EXPECT_NEAR(static_cast<double>(held.size()), 0.1 * 6131, 1);
  EXPECT_LT(*first.rbegin(), *second.begin());
  EXPECT_LT(*second.rbegin(), *held.begin());
  EXPECT_EQ(threes_of(*task, Purpose::test, 0, 10).size(), 1010u);
}

TEST_F(DigitsOnMnist, CachedSetsDrawFromAPartOfTheirImages) {
  const auto task = make_digits(data_);
  for (std::int64_t set = 0; set < 12; ++set) {
    const auto images = threes_of(*task, Purpose::finetune, set, 1);
    EXPECT_LE(images.size(), 613u);
    EXPECT_GE(images.size(), 590u);
    std::int64_t gaps = 0, last = -1;  // neighbors on a circle: one gap at the most, and none inside
    for (const std::int64_t image : images) {
      gaps += last >= 0 && image - last > 12;
      last = image;
    }
    EXPECT_LE(gaps, 1);
  }
}

TEST_F(DigitsOnMnist, PoolDrawsNameTheImagesThatAreSeen) {
  const auto task = make_digits(data_);
  const std::vector<SetRange> ranges = {{7, 3, 50}};
  const PoolDraws draws = task->pool_draws(pure(5, 0.0), 1, Purpose::test, ranges);
  EXPECT_EQ(draws.size, read_mnist(data_)->test.images.size(0));
  EXPECT_EQ(draws.trained, read_mnist(data_)->train.images.size(0) / 2) << "what the header gives to stages 2 and 3";
  const torch::Tensor images = read_mnist(data_)->test.images.index_select(0, draws.member).to(torch::kFloat32) / 255;
  const torch::Tensor x = task->observe(pure(5, 0.0), 1, Purpose::test, ranges, torch::kCPU).block().squeeze(1);
  EXPECT_LT((x - images).square().mean().item<double>(), 0.06);  // the noise alone: 0.0433
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

// Log densities of observed sets in files: a normal and a pair of normals, whose tables are read as they are known.
#include "tasks/own/file/reference_file.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "core/base/files/npz.h"
#include "core/base/text/error.h"
#include "tests/core/base/message.h"
#include "tests/tasks/own/own_files.h"

namespace pairs::own {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Target target(const char* name) {
  return {name, name, "", -INFINITY, INFINITY, 0, 1, 1, -10, 10};
}

class ReferenceFileTest : public OwnFolder {
 protected:
  // A table of the sets a, N(1, 0.5²), and b, N(-2, 0.1²), up to a constant, in no order.
  std::string table() const {
    std::string text = "log_density, set, slope\n";
    for (int k = 0; k <= 400; ++k) {
      const double x = -3 + 0.01 * ((k * 7) % 401) * 1.5;
      text += fmt::format("{}, a, {}\n", 5 - std::pow((x - 1) / 0.5, 2) / 2, x);
      text += fmt::format("{}, b, {}\n", -std::pow((x + 2) / 0.1, 2) / 2, x);
    }
    return text;
  }
  std::unique_ptr<ReferencePosterior> of(const std::string& text, const std::string& set, bool normalized = false) {
    return ReferenceFile(write("r.csv", text), normalized, {target("slope")}).of({set});
  }
  std::string refusal(const std::string& text) {
    return message_of([&] { (void)of(text, "a"); });
  }
};

TEST_F(ReferenceFileTest, IsTheDensityThatItsTableTells) {
  const auto a = of(table(), "a"), b = of(table(), "b");
  ASSERT_TRUE(a && b);
  EXPECT_EQ(of(table(), "c"), nullptr);
  EXPECT_NEAR(a->mean().item<double>(), 1, 1e-3);
  EXPECT_NEAR(std::sqrt(a->covariance().item<double>()), 0.5, 1e-3);
  EXPECT_NEAR(b->mean().item<double>(), -2, 1e-3);
  const torch::Tensor theta = torch::tensor({1.0, 1.5, 40.0}, torch::kFloat64).unsqueeze(1),
                      log = a->log_density(theta);
  EXPECT_NEAR(log[0].item<double>(), -std::log(0.5 * std::sqrt(2 * M_PI)), 2e-3);
  EXPECT_NEAR(log[1].item<double>(), -std::log(0.5 * std::sqrt(2 * M_PI)) - 0.5, 2e-3);
  EXPECT_EQ(log[2].item<double>(), -INFINITY);
  Stream stream(1, 2);
  EXPECT_NEAR(a->sample(4000, stream).mean().item<double>(), 1, 0.04);
}

TEST_F(ReferenceFileTest, IsTakenAsItIsWhereItIsNormalized) {
  const auto a = of(table(), "a", true);
  EXPECT_NEAR(a->log_density(torch::ones({1, 1}, torch::kFloat64)).item<double>(), 5, 2e-3);
}

TEST_F(ReferenceFileTest, OfTwoTargetsIsAGrid) {
  std::string text = "set,slope,width,log_density\n";
  for (int i = 0; i < 80; ++i)
    for (int j = 0; j < 60; ++j) {
      const double x = -2 + 0.05 * i, y = 1 + 0.05 * j;
      const double u = x / 0.3, v = (y - 2) / 0.2;
      text += fmt::format("s,{},{},{}\n", x, y, -(u * u - u * v + v * v) / (2 * 0.75));
    }
  const auto both = ReferenceFile(write("r.csv", text), false, {target("slope"), target("width")}).of({"none", "s"});
  ASSERT_TRUE(both);
  const torch::Tensor covariance = both->covariance();
  EXPECT_NEAR(both->mean()[1].item<double>(), 2, 2e-3);
  EXPECT_NEAR(covariance[0][0].item<double>(), 0.09, 2e-3);
  EXPECT_NEAR(covariance[0][1].item<double>(), 0.5 * 0.06, 2e-3);
}

TEST_F(ReferenceFileTest, InAnNpzFileIsTheSame) {
  const torch::Tensor theta = at::linspace(-3, 3, 601, torch::kFloat64);
  write_npz(folder_ / "r.npz",
            {{"theta", theta},
             {"log_density", at::stack({-((theta - 1) / 0.5).square() / 2, -((theta + 2) / 0.1).square() / 2})},
             {"set", torch::tensor({7, 8}, torch::kInt64)}});
  const ReferenceFile file(folder_ / "r.npz", false, {target("slope")});
  EXPECT_NEAR(file.of({"7"})->mean().item<double>(), 1, 1e-3);
  EXPECT_NEAR(file.of({"8"})->mean().item<double>(), -2, 1e-3);
}

TEST_F(ReferenceFileTest, ThatIsWrongIsToldInASentence) {
  const std::string head = "set,slope,log_density\n", good = "a,1,0\na,2,0\na,3,0\n";
  EXPECT_THAT(refusal("set,slop,log_density\n"), HasSubstr("no column slope"));
  EXPECT_THAT(refusal(head), HasSubstr("holds no log densities"));
  EXPECT_THAT(refusal(head + good), HasSubstr("3 values of slope; give 4"));
  EXPECT_THAT(refusal(head + good + "a,4,zero\n"), AllOf(HasSubstr("line 5"), HasSubstr("'zero' is no number")));
  EXPECT_THAT(refusal(head + good + "a,4,nan\n"), AllOf(HasSubstr("line 5"), HasSubstr("-inf")));
  EXPECT_THAT(refusal(head + good + "a,4,0\na,4,1\n"), HasSubstr("make a grid of 4"));
  EXPECT_THAT(refusal(head + "a,1,-inf\na,2,-inf\na,3,-inf\na,4,-inf\n"), HasSubstr("no log density that is finite"));
  EXPECT_THAT(message_of([&] { (void)ReferenceFile(folder_ / "none.csv", false, {target("slope")}).of({"a"}); }),
              HasSubstr("cannot be read"));
}

TEST_F(ReferenceFileTest, IsReadFromTheTaskAndAgainOnceItChanged) {
  write("exact.csv", table());
  const TaskFile task = read_task_file(
      write("task.toml",
            "name = \"mine\"\nmax_n = 10\n[[targets]]\nname = \"slope\"\nsupport = [-5, 5]\n[x]\ncolumns = "
            "[\"x\"]\n[simulations]\nfiles = [\"none.npz\"]\n[reference]\nfile = \"exact.csv\"\n"));
  const auto file = reference_file_of(task);
  ASSERT_TRUE(file);
  EXPECT_NE(file->of({"events.csv", "a"}), nullptr);
  write("exact.csv", "set,slope,log_density\nz,1,0\nz,2,0\nz,3,0\nz,4,0\n");
  std::filesystem::last_write_time(folder_ / "exact.csv",
                                   std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
  EXPECT_EQ(file->of({"a"}), nullptr);
  EXPECT_NEAR(file->of({"z"})->mean().item<double>(), 2.5, 0.01);
}

}  // namespace
}  // namespace pairs::own

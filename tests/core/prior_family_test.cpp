// Densities that people write down: their mass and distribution functions by quadrature, and what is refused.
#include "core/prior_family.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

double density_at(const PriorFamily& prior, double value) {
  return prior.log_density(torch::full({1}, value, torch::kFloat64)).exp().item<double>();
}

TEST(PriorFamily, DensitiesIntegrateToTheirDistributionFunctions) {
  struct Case {
    const char* text;
    double low, high;  // nearly all of it
  };
  for (const Case& one :
       {Case{"uniform(-1, 3)", -2, 4}, Case{"normal(0.2, 0.05)", -0.4, 0.8}, Case{"lognormal(0, 0.5)", 0, 20},
        Case{"half-normal(2)", 0, 20}, Case{"exponential(0.5)", 0, 20}, Case{"gamma(3, 2)", 0, 40},
        Case{"beta(2, 5)", 0, 1}, Case{"beta(2, 3, -1, 4)", -2, 5}, Case{"log_uniform(0.1, 10)", 0.1, 11},
        Case{" cauchy( 1 , 0.5 ) ", -30, 30}}) {
    const auto prior = prior_family(one.text, "--prior");
    constexpr int kCells = 400000;
    const double step = (one.high - one.low) / kCells;
    const torch::Tensor middles = one.low + step * (torch::arange(kCells, torch::kFloat64) + 0.5);
    const torch::Tensor sums = prior->log_density(middles).exp().cumsum(0) * step;
    for (const double share : {0.3, 0.5, 0.9}) {
      const auto k = static_cast<std::int64_t>(share * kCells);
      const double expected = prior->below(one.low + step * static_cast<double>(k + 1)) - prior->below(one.low);
      EXPECT_NEAR(sums[k].item<double>(), expected, 2e-5) << one.text << " at " << share;
    }
  }
}

// Values by hand, or of scipy.stats (norm.pdf(0.25, 0.2, 0.05), beta.pdf(0.3, 2, 5), gamma.pdf(1.5, 3, scale=2/3)).
TEST(PriorFamily, AgreesWithKnownValues) {
  EXPECT_NEAR(density_at(*prior_family("normal(0.2, 0.05)", "p"), 0.25), 4.839414490382866, 1e-12);
  EXPECT_NEAR(density_at(*prior_family("beta(2, 5)", "p"), 0.3), 2.16090, 1e-9);
  EXPECT_NEAR(density_at(*prior_family("gamma(3, 2)", "p"), 1.5), 0.4001876808, 1e-9);
  EXPECT_NEAR(density_at(*prior_family("exponential(2)", "p"), 2), 0.5 * std::exp(-1), 1e-12);
  EXPECT_EQ(density_at(*prior_family("uniform(0, 1)", "p"), 1.5), 0);
  EXPECT_EQ(density_at(*prior_family("half-normal(1)", "p"), -0.1), 0);
  EXPECT_NEAR(density_at(*prior_family("beta(1, 1)", "p"), 0), 1, 1e-12) << "at the end of its support";
}

TEST(PriorFamily, ReadsATable) {
  const TemporaryFolder folder;
  const std::string file = (folder / "prior.csv").string();
  write_file(file, "theta,density\n0,0\n1,3\n3,0\n");
  const auto prior = prior_family(file, "--prior");
  EXPECT_NEAR(density_at(*prior, 1), 2.0 / 3, 1e-12) << "scaled to mass 1";
  EXPECT_NEAR(density_at(*prior, 2), 1.0 / 3, 1e-12);
  EXPECT_EQ(density_at(*prior, 3.1), 0);
  EXPECT_NEAR(prior->below(1), 1.0 / 3, 1e-12);
  EXPECT_NEAR(prior->below(2), 1 - 1.0 / 6, 1e-12);
}

std::string refusal(const std::string& text, const std::string& target = "") {
  try {
    prior_family(text, "--prior", target);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(PriorFamily, ATableIsReadByTheNamesOfItsColumns) {
  const TemporaryFolder folder;
  const std::string file = (folder / "prior.csv").string();
  const auto of = [&](const std::string& text) {
    write_file(file, text);
    return prior_family(file, "--prior", "theta");
  };
  for (const char* text :
       {"theta,density\n0,0\n1,3\n3,0\n", "density,theta\n0,0\n3,1\n0,3\n", "value,pdf\n0,0\n1,3\n3,0\n",
        "Density,run,theta\n0,7,0\n3,7,1\n0,7,3\n", "0.0,0.0\n1,3\n3,0\n"})
    EXPECT_NEAR(density_at(*of(text), 2), 1.0 / 3, 1e-12) << text;
  for (const char* text :
       {"theta,log_density\n0,5\n1,6\n", "log density,theta\n5,0\n6,1\n", "theta,logp\n0,-1000\n1,-999\n"})
    EXPECT_NEAR(density_at(*of(text), 1) / density_at(*of(text), 0), std::exp(1), 1e-9) << text;
  write_file(file, "p,log_density\n0,5\n1,6\n");
  EXPECT_EQ(refusal(file, "p"), "") << "a target may be called as densities are";
  write_file(file, "psi,density\n0,1\n1,2\n");
  EXPECT_THAT(refusal(file, "theta"),
              HasSubstr("has the columns psi, density; call the one of values theta, or value"));
  EXPECT_EQ(refusal(file), "") << "of whatever it is";
  write_file(file, "theta,weight\n0,1\n1,2\n");
  EXPECT_THAT(refusal(file, "theta"), HasSubstr("call the one of densities density, or log_density"));
  write_file(file, "theta,density,log_density\n0,1,0\n1,2,1\n");
  EXPECT_THAT(refusal(file, "theta"), HasSubstr("leave one of them out"));
  write_file(file, "theta,density\n0,1\n");
  EXPECT_THAT(refusal(file, "theta"), HasSubstr("two rows or more, and holds one"));
}

TEST(PriorFamily, RefusesWhatIsNoPrior) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal(""), HasSubstr("write a family with its numbers"));
  EXPECT_THAT(refusal("gauss(0, 1)"), HasSubstr("there is no family gauss; there are uniform(LOW, HIGH)"));
  EXPECT_THAT(refusal("normal(0)"), HasSubstr("must hold numbers as in normal(MEAN, SD)"));
  EXPECT_THAT(refusal("normal(0, x)"), HasSubstr("must hold numbers as in"));
  EXPECT_THAT(refusal("normal(0, 0)"), HasSubstr("must be above zero"));
  EXPECT_THAT(refusal("uniform(2, 1)"), HasSubstr("must lie below"));
  EXPECT_THAT(refusal("beta(1, 2, 3)"), HasSubstr("two numbers, or four"));
  EXPECT_THAT(refusal("log-uniform(0, 1)"), HasSubstr("above zero"));
  const std::string file = (folder / "t.csv").string();
  EXPECT_NE(refusal(file), "") << "no such file";
  write_file(file, "value,density\n0,1\n0,2\n");
  EXPECT_THAT(refusal(file), HasSubstr("must ascend"));
  write_file(file, "value,density\n0,1\n1,-2\n");
  EXPECT_THAT(refusal(file), HasSubstr("not below zero"));
  write_file(file, "0,0\n1,0\n");
  EXPECT_THAT(refusal(file), HasSubstr("zero everywhere"));
  write_file(file, "a,b,c\n0,1,2\n1,0,2\n");
  EXPECT_THAT(refusal(file), HasSubstr("two columns, values and their densities, and holds 3"));
}

}  // namespace
}  // namespace pairs

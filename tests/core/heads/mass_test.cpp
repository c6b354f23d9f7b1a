#include "core/heads/mass.h"

#include <numbers>

#include "core/base/fields/face.h"
#include "tests/core/heads/head_checks.h"

namespace pairs {
namespace {

using namespace testing_heads;

constexpr double kInf = std::numeric_limits<double>::infinity();

double normal(double low, double high) {
  const auto one = [](double x) { return torch::full({1}, x, torch::kFloat64); };
  return normal_log_mass(one(low), one(high)).item<double>();
}

TEST(Mass, OfANormalIsExactInBothTails) {
  EXPECT_DOUBLE_EQ(normal(-kInf, kInf), 0);
  EXPECT_NEAR(normal(-1, 1), std::log(std::erf(1 / std::numbers::sqrt2)), 1e-14);
  EXPECT_NEAR(normal(0, kInf), std::log(0.5), 1e-14);
  for (const double far : {5.0, 30.0, 1000.0}) {
    // The tail's asymptotic series, and its mirror image.
    const double tail = -0.5 * far * far - std::log(far * std::sqrt(2 * std::numbers::pi)) +
                        std::log1p(-1 / (far * far) + 3 / std::pow(far, 4) - 15 / std::pow(far, 6));
    EXPECT_NEAR(normal(far, kInf), tail, far > 5 ? 1e-7 : 5e-4);
    EXPECT_DOUBLE_EQ(normal(far, kInf), normal(-kInf, -far));
    EXPECT_DOUBLE_EQ(normal(far, far + 1), normal(-far - 1, -far));
  }
  EXPECT_EQ(normal(2, 2), -kInf);
  const auto one = [](double x) { return torch::full({1}, x, torch::kFloat64); };
  EXPECT_NEAR(logistic_log_mass(one(50), one(kInf)).item<double>(), -50, 1e-12);
  EXPECT_NEAR(logistic_log_mass(one(-1), one(2)).exp().item<double>(),
              1 / (1 + std::exp(-2.0)) - 1 / (1 + std::exp(1.0)), 1e-15);
}

TEST(Mass, OfEveryHeadIsTheIntegralOfItsDensity) {
  constexpr std::int64_t contexts = 2, columns = 5;
  const Tensor context = random({contexts, columns}, 4).abs();
  for (const char* kind : {"spline", "umnn", "mixture", "gaussian"})
    for (const std::int64_t d : {1, 2}) {
      SCOPED_TRACE(fmt::format("{} of {} targets", kind, d));
      HeadConfig config;
      config.kind = kind;
      for (const char* small :
           {"head.conditioner=[16]", "head.integrand=[16]", "head.quadrature_test=30", "head.hidden=32"})
        set_field(fields(config), small);
      const auto head = build(config, d, columns);
      head->to(torch::kDouble);
      sharpen(*head, 1.3, 0.1);
      if (ResidualSpread* own = face<ResidualSpread>(*head))
        own->set_sigma(torch::tensor({std::int64_t{1}}), torch::full({1, d}, 0.6));
      torch::NoGradGuard no_grad;
      const bool exact = d == 1 || std::string(kind) == "gaussian";
      for (std::int64_t b = 0; b < contexts; ++b) {
        const Tensor one = context.slice(0, b, b + 1), whole = spread(*head, one),
                     middle = head->sample(one, 500, 3)[0].mean(0);
        // From the middle on, up to it, and between two ends.
        const Tensor above = torch::full({1, d}, kInf, torch::kDouble), below = -above;
        const Tensor half = torch::stack({middle, whole[1]}), lower = torch::stack({whole[0], middle}),
                     slice = torch::stack({middle - 0.2, middle + 0.3});
        const std::int64_t side = d == 1 ? 10000 : 150;
        const double tolerance = exact ? 2e-3 : 0.045;  // of 2,048 samples
        const auto measured = [&](const Tensor& low, const Tensor& high) {
          return head->log_mass(one, low.view({1, d}), high.view({1, d})).exp().item<double>();
        };
        EXPECT_NEAR(measured(middle, above), mass(*head, one, half, side), tolerance);
        EXPECT_NEAR(measured(below, middle), mass(*head, one, lower, side), tolerance);
        EXPECT_NEAR(measured(middle - 0.2, middle + 0.3), mass(*head, one, slice, side), tolerance);
        EXPECT_NEAR(measured(below, above), 1, 1e-12);
      }
      // The number of a context does not depend on the other contexts.
      const Tensor low = torch::zeros({contexts, d}, torch::kDouble), high = low + kInf;
      const Tensor both = head->log_mass(context, low, high);
      for (std::int64_t b = 0; b < contexts; ++b)
        EXPECT_NEAR(both[b].item<double>(),
                    head->log_mass(context.slice(0, b, b + 1), low.slice(0, 0, 1), high.slice(0, 0, 1)).item<double>(),
                    1e-9);
    }
}

}  // namespace
}  // namespace pairs

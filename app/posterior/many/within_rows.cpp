#include "app/posterior/many/within_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/posterior/set_posterior/usual_tests.h"
#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "core/simulator_probe.h"
#include "core/train/run/simulator_record.h"

namespace pairs {
namespace {

// The number of sizes with their own simulated sets, and of further ones in the ladder; fewer if a program simulates
// them.
constexpr std::size_t kExactSizes = 4, kAllSizes = 16, kExactByProgram = 2, kAllByProgram = 6;
constexpr std::size_t kAtOnce = 256;  // sets

std::int64_t ladder_size(std::int64_t n) {
  double step = std::floor(2 * std::log2(static_cast<double>(n)));
  auto size = static_cast<std::int64_t>(std::llround(std::exp2(step / 2)));
  if (size > n) size = static_cast<std::int64_t>(std::llround(std::exp2((step - 1) / 2)));
  return std::max<std::int64_t>(1, size);
}

std::string given_key(const torch::Tensor& given) {
  if (!given.defined()) return "";
  const torch::Tensor values = given.to(torch::kCPU, torch::kFloat64).contiguous();
  return std::string(static_cast<const char*>(values.const_data_ptr()), values.nbytes());
}

}  // namespace

struct WithinRows::Compared {
  std::unique_ptr<WithinSets> sets;  // null if there are none
  std::string why_not;
};

WithinRows::WithinRows(const LoadedRun& run, std::uint64_t seed) : run_(run), seed_(seed) {}

std::shared_ptr<WithinRows::Compared> WithinRows::make(std::int64_t n, const torch::Tensor& given,
                                                       const std::function<bool()>& keep_going) {
  auto out = std::make_shared<Compared>();
  if (out->why_not = within_sets_missing(run_, n); !out->why_not.empty()) return out;
  WithinOptions options;
  options.seed = seed_;
  options.given = given;
  options.longest = kLongestUsual;
  options.keep_going = keep_going;
  try {
    if (!known_) changed_ = changed_simulator(run_.folder, *run_.task, [&] { return keep_going && !keep_going(); });
    known_ = true;
    if (!changed_.empty())
      out->why_not = "the simulator has changed since the run was trained";
    else
      out->sets = std::make_unique<WithinSets>(run_, n, options);
  } catch (const Stopped&) {
    if (keep_going && !keep_going()) throw;
    out->why_not = fmt::format("simulating sets takes more than {:.0f} s on this machine", kLongestUsual);
  } catch (const std::exception& error) {
    out->why_not = sentence(error);
  }
  return out;
}

WithinRows::Compared& WithinRows::compared_with(const WithinRow& row, const std::function<bool()>& keep_going) {
  const bool by_program = face<ProbedSimulator>(*run_.task) != nullptr;
  const std::string given = given_key(row.given);
  const std::int64_t n = row.x.count();
  const auto known = [&](std::int64_t size) { return all_.find({size, given}); };
  const auto add = [&](std::int64_t size) -> Compared& {
    return *(all_[{size, given}] = make(size, row.given, keep_going));
  };
  if (const auto found = known(n); found != all_.end()) return *found->second;
  if (all_.size() < (by_program ? kExactByProgram : kExactSizes)) return add(n);
  const std::int64_t size = ladder_size(n);
  if (const auto found = known(size); found != all_.end()) return *found->second;
  if (all_.size() < (by_program ? kAllByProgram : kAllSizes)) return add(size);
  static Compared none{nullptr, "the sets differ in more sizes, or in their conditions, than are simulated"};
  return none;
}

void WithinRows::test(std::span<WithinRow> rows, const std::function<bool()>& keep_going) {
  std::map<Compared*, std::vector<WithinRow*>> of;
  std::vector<Compared*> order;
  for (WithinRow& row : rows) {
    Compared& compared = compared_with(row, keep_going);
    if (!compared.sets) {
      row.why_not = compared.why_not;
      continue;
    }
    std::vector<WithinRow*>& those = of[&compared];
    if (those.empty()) order.push_back(&compared);
    those.push_back(&row);
  }
  for (Compared* const compared : order) {
    std::vector<WithinRow*>& those = of[compared];
    const std::int64_t each = compared->sets->compared();
    for (std::size_t first = 0; first < those.size(); first += kAtOnce) {
      if (keep_going && !keep_going()) throw Stopped();
      const std::size_t last = std::min(first + kAtOnce, those.size());
      std::vector<Observations> parts;
      for (std::size_t k = first; k < last; ++k) parts.push_back(those[k]->x.slice(0, each));
      std::vector<WithinTest> tests = compared->sets->tests(Observations::concatenate(parts));
      for (std::size_t k = first; k < last; ++k) those[k]->test = std::move(tests[k - first]);
    }
  }
}

}  // namespace pairs

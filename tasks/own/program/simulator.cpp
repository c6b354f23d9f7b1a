#include "tasks/own/program/simulator.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "core/input_scale.h"
#include "tasks/own/file/permission.h"
#include "tasks/own/file/x_kind.h"
#include "tasks/own/program/simulator_answers.h"
#include "tasks/own/program/simulator_question.h"

namespace pairs::own {
namespace {

constexpr std::uint64_t kMostAttempts = 1000;  // per observation
// The item of the stream for the key of an attempt.
constexpr std::uint64_t kAttemptItem = 0x726564726177;

}  // namespace

std::vector<std::vector<double>> Simulator::prior(const std::vector<Draw>& draws) {
  std::vector<std::vector<double>> out(draws.size());
  if (draws.empty()) return out;
  const std::lock_guard lock(mutex_);
  check_programs();
  const std::size_t numbers = prior_numbers(task_);
  Question question;
  question.kind = "prior";
  question.draws = draws.size();
  question.draw = [&](std::size_t k) -> const Draw& { return draws[k]; };
  question.payload = [&](std::size_t first, std::size_t count) { return bytes_of(draws.data() + first, count); };
  question.bytes = [&](std::size_t first, std::size_t count) {
    std::size_t rows = 0;
    for (std::size_t k = first; k < first + count; ++k) rows += draws[k].count;
    return static_cast<std::int64_t>(8 * numbers * rows);
  };
  question.accept = [&](std::size_t first, std::size_t count, std::string_view answer) {
    for (std::size_t k = 0; k < count; ++k) {
      const Draw& draw = draws[first + k];
      std::vector<double>& values = out[first + k];
      values.resize(numbers * draw.count);
      std::memcpy(values.data(), answer.data(), 8 * values.size());
      answer.remove_prefix(8 * values.size());
      check_prior(task_, values.data(), draw.count, k, draw.set * draw.count);
    }
  };
  question.answer_bytes = 8.0 * static_cast<double>(numbers);
  question.pace = &prior_pace_;
  ask(question);
  return out;
}

torch::Tensor Simulator::reference(const torch::Tensor& theta, const torch::Tensor& given, const Observations& x) {
  const torch::Tensor values = theta.to(torch::kCPU, torch::kFloat64).contiguous();
  const torch::Tensor numbers = all_numbers(x).to(torch::kCPU, torch::kFloat64).contiguous();
  const auto count = static_cast<std::uint64_t>(x.count());
  std::string payload = bytes_of(values.const_data_ptr<double>(), static_cast<std::size_t>(values.numel()));
  if (!task_.given.empty()) {
    PAIRS_CHECK(given.defined(), "The reference of {} needs what is given of a set", task_.info.name);
    payload += bytes_of(given.const_data_ptr<double>(), task_.given.size());
  }
  payload += bytes_of(&count, 1);
  if (x.is_ragged()) {
    const torch::Tensor rows = x.offsets().diff().to(torch::kInt64).contiguous();
    payload += bytes_of(rows.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(rows.numel()));
  }
  payload += bytes_of(numbers.const_data_ptr<double>(), static_cast<std::size_t>(numbers.numel()));
  torch::Tensor out = at::empty({values.size(0)}, torch::kFloat64);
  const std::lock_guard lock(mutex_);
  check_programs();
  const Draw one{0, 0, 0, 1};
  double pace = 0;  // separate, because it is not a simulation
  Question question;
  question.kind = "reference";
  question.reference = true;
  question.draws = 1;
  question.draw = [&](std::size_t) -> const Draw& { return one; };
  // The number of values replaces that of the draws.
  question.count = static_cast<std::size_t>(values.size(0));
  question.payload = [&](std::size_t, std::size_t) { return payload; };
  question.bytes = [&](std::size_t, std::size_t) { return 8 * values.size(0); };
  question.accept = [&](std::size_t, std::size_t, std::string_view answer) {
    auto* const to = out.mutable_data_ptr<double>();
    std::memcpy(to, answer.data(), answer.size());
    for (std::int64_t k = 0; k < out.numel(); ++k)
      if (std::isnan(to[k]) || to[k] == std::numeric_limits<double>::infinity())
        throw Fault{0, fmt::format("the log density of its value number {} is {}", k + 1, to[k])};
  };
  question.answer_bytes = 8.0 * static_cast<double>(values.size(0));
  question.pace = &pace;
  ask(question);
  return out;
}

Observations Simulator::simulate(const std::vector<Draw>& draws, const double* theta, const double* psi,
                                 const double* given) {
  Answered answered = simulate_as_far(draws, theta, psi, given);
  if (answered.failure) std::rethrow_exception(answered.failure);
  return std::move(answered.x);
}

Simulator::Answered Simulator::simulate_as_far(const std::vector<Draw>& draws, const double* theta, const double* psi,
                                               const double* given) {
  return task_.standardizes ? simulate_as<double>(draws, theta, psi, given)
                            : simulate_as<float>(draws, theta, psi, given);
}

// The results of some draws.
template <class Number>
struct Simulator::Raw {
  std::vector<std::int64_t> starts = {0};          // the first observation of each draw
  torch::Tensor block;                             // [observations, ...]
  std::vector<std::vector<std::int64_t>> counts;   // for ragged rows, by draw: rows of each observation,
  std::vector<std::vector<Number>> rows;           // and all rows
  std::vector<char> good;                          // whether a draw was completed
  std::vector<std::vector<std::int64_t>> invalid;  // by draw: the observations that are invalid
  std::vector<std::int64_t> attempts, failed;      // by draw: simulated observations, and how many of them were invalid
  std::exception_ptr failure;                      // null: no error
};

// Simulates the draws once. The caller holds the lock.
template <class Number>
void Simulator::simulate_once(const std::vector<Draw>& draws, const double* theta, const double* psi,
                              const double* given, Raw<Number>& raw) {
  const TaskInfo& info = task_.info;
  const std::size_t d = info.targets.size(), p = info.nuisances.size(), g = task_.given.size();
  const std::int64_t numbers = numbers_of(info);
  const bool ragged = x_kind(info).ragged, redraws = task_.simulator->redraws;
  for (const Draw& draw : draws) raw.starts.push_back(raw.starts.back() + static_cast<std::int64_t>(draw.count));
  const std::vector<std::int64_t>& starts = raw.starts;
  std::vector<std::int64_t> shape = {ragged ? 0 : starts.back()};
  shape.insert(shape.end(), info.observation_shape.begin(), info.observation_shape.end());
  raw.block = at::empty(shape, c10::CppTypeToScalarType<Number>::value);
  raw.good.assign(draws.size(), 0);
  raw.invalid.resize(draws.size());
  raw.attempts.assign(draws.size(), 0);
  raw.failed.assign(draws.size(), 0);
  if (ragged) {
    raw.rows.resize(draws.size());
    raw.counts.resize(draws.size());
  }
  if (draws.empty()) return;
  Question question;
  question.kind = "simulate";
  question.draws = draws.size();
  question.draw = [&](std::size_t k) -> const Draw& { return draws[k]; };
  question.payload = [&](std::size_t first, std::size_t count) {
    return bytes_of(draws.data() + first, count) + bytes_of(theta + first * d, count * d) +
           (p > 0 ? bytes_of(psi + first * p, count * p) : std::string()) +
           (g > 0 ? bytes_of(given + first * g, count * g) : std::string());
  };
  question.either = !ragged;
  question.observations = [&](std::size_t first, std::size_t count) { return starts[first + count] - starts[first]; };
  if (!ragged)
    question.bytes = [&](std::size_t first, std::size_t count) {
      return 4 * numbers * (starts[first + count] - starts[first]);
    };
  const auto answered = [&](std::size_t draw, std::vector<std::int64_t> invalid) {
    raw.attempts[draw] = starts[draw + 1] - starts[draw];
    raw.failed[draw] = static_cast<std::int64_t>(invalid.size());
    raw.invalid[draw] = std::move(invalid);
    raw.good[draw] = 1;
  };
  question.accept = [&](std::size_t first, std::size_t count, std::string_view answer) {
    const std::int64_t observations = starts[first + count] - starts[first];
    if (!ragged) {
      Number* to = raw.block.template mutable_data_ptr<Number>() + starts[first] * numbers;
      take_numbers(answer, answer.size() > 4 * static_cast<std::size_t>(observations * numbers), observations * numbers,
                   to);
      for (std::size_t k = 0; k < count; ++k) {
        const std::int64_t own = starts[first + k + 1] - starts[first + k];
        answered(first + k, invalid_observations(to, own, nullptr, numbers, k, redraws));
        to += own * numbers;
      }
      return;
    }
    if (answer.size() < 8 * static_cast<std::size_t>(observations))
      throw Fault{0, fmt::format("it answered with {} bytes, too few for the numbers of rows of {} observations",
                                 answer.size(), observations)};
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(observations));
    std::memcpy(lengths.data(), answer.data(), 8 * lengths.size());
    answer.remove_prefix(8 * lengths.size());
    std::int64_t total = 0;
    const auto most = static_cast<std::int64_t>(answer.size());
    for (std::int64_t k = 0; k < observations; ++k) {
      const std::int64_t length = lengths[static_cast<std::size_t>(k)];
      if (length < 0 || length > most) throw Fault{0, fmt::format("observation {} has {} rows", k + 1, length)};
      total += length;
    }
    const std::size_t narrow = 4 * static_cast<std::size_t>(total * numbers);
    if (total > most || (answer.size() != narrow && answer.size() != 2 * narrow))
      throw Fault{0, fmt::format("it answered with {} bytes of rows where {} rows of {} numbers as float32 or float64 "
                                 "belong",
                                 answer.size(), total, numbers)};
    const bool wide = answer.size() > narrow;
    const std::int64_t* of_draw = lengths.data();
    for (std::size_t k = 0; k < count; ++k) {
      const std::int64_t own = starts[first + k + 1] - starts[first + k];
      raw.counts[first + k].assign(of_draw, of_draw + own);
      const std::int64_t length = std::accumulate(of_draw, of_draw + own, std::int64_t{0});
      std::vector<Number>& values = raw.rows[first + k];
      values.resize(static_cast<std::size_t>(length * numbers));
      take_numbers(answer, wide, length * numbers, values.data());
      answered(first + k, invalid_observations(values.data(), own, of_draw, numbers, k, redraws));
      of_draw += own;
    }
  };
  question.answer_bytes = 4.0 * info.observation_numbers();
  question.pace = &pace_;
  try {
    ask(question);
  } catch (...) {
    raw.failure = std::current_exception();
  }
}

// Simulates the invalid observations again until all are valid, each attempt with its own key. The caller holds the
// lock.
template <class Number>
void Simulator::draw_again(const std::vector<Draw>& draws, const double* theta, const double* psi, const double* given,
                           Raw<Number>& raw) {
  const TaskInfo& info = task_.info;
  const std::size_t d = info.targets.size(), p = info.nuisances.size(), g = task_.given.size();
  const auto numbers = static_cast<std::size_t>(numbers_of(info));
  for (std::uint64_t attempt = 1;; ++attempt) {
    std::vector<std::size_t> open;
    for (std::size_t k = 0; k < draws.size(); ++k)
      if (raw.good[k] && !raw.invalid[k].empty()) open.push_back(k);
    if (open.empty()) return;
    if (attempt > kMostAttempts) {
      const Draw& draw = draws[open.front()];
      std::string place;
      for (std::size_t t = 0; t < d; ++t)
        place += fmt::format("{}{} = {:.6g}", t > 0 ? ", " : "", info.targets[t].name, theta[open.front() * d + t]);
      if (!raw.failure)
        raw.failure = std::make_exception_ptr(Error(fmt::format(
            "The simulator of {} drew observation {} of set {} {} times, and each time it held a number that is not "
            "finite, at {}; mend the program there, or keep the prior away from it",
            info.name, raw.invalid[open.front()].front() + 1, draw.set, kMostAttempts, place)));
      return;
    }
    std::vector<Draw> again;
    std::vector<double> thetas, psis, givens;
    for (const std::size_t k : open) {
      const std::uint64_t key = Stream(draws[k].key, attempt, kAttemptItem).bits64();
      again.push_back({key, draws[k].set, draws[k].block, raw.invalid[k].size()});
      thetas.insert(thetas.end(), theta + k * d, theta + (k + 1) * d);
      psis.insert(psis.end(), psi + k * p, psi + (k + 1) * p);
      if (g > 0) givens.insert(givens.end(), given + k * g, given + (k + 1) * g);
    }
    Raw<Number> more;
    simulate_once(again, thetas.data(), psis.data(), givens.data(), more);
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (!more.good[i]) continue;
      const std::size_t k = open[i];
      const std::vector<std::int64_t> wanted = std::exchange(raw.invalid[k], {});
      raw.attempts[k] += more.attempts[i];
      raw.failed[k] += more.failed[i];
      const std::vector<std::int64_t>& bad = more.invalid[i];
      const auto is_bad = [&](std::size_t j) {
        return std::binary_search(bad.begin(), bad.end(), static_cast<std::int64_t>(j));
      };
      if (raw.rows.empty()) {
        const Number* from =
            more.block.template const_data_ptr<Number>() + static_cast<std::size_t>(more.starts[i]) * numbers;
        Number* to = raw.block.template mutable_data_ptr<Number>() + static_cast<std::size_t>(raw.starts[k]) * numbers;
        for (std::size_t j = 0; j < wanted.size(); ++j) {
          if (is_bad(j))
            raw.invalid[k].push_back(wanted[j]);
          else
            std::copy_n(from + j * numbers, numbers, to + static_cast<std::size_t>(wanted[j]) * numbers);
        }
        continue;
      }
      // Rows of all observations of the draw, with the repeated ones replaced.
      std::vector<Number> rows;
      const Number *old = raw.rows[k].data(), *fresh = more.rows[i].data();
      std::size_t j = 0;
      for (std::size_t o = 0; o < raw.counts[k].size(); ++o) {
        const std::size_t length = static_cast<std::size_t>(raw.counts[k][o]) * numbers;
        const bool again_drawn = j < wanted.size() && wanted[j] == static_cast<std::int64_t>(o);
        if (again_drawn) {
          const std::size_t own = static_cast<std::size_t>(more.counts[i][j]) * numbers;
          if (is_bad(j)) {
            raw.invalid[k].push_back(wanted[j]);
            rows.insert(rows.end(), old, old + length);
          } else {
            rows.insert(rows.end(), fresh, fresh + own);
            raw.counts[k][o] = more.counts[i][j];
          }
          fresh += own;
          ++j;
        } else {
          rows.insert(rows.end(), old, old + length);
        }
        old += length;
      }
      raw.rows[k] = std::move(rows);
    }
    if (more.failure) {
      if (!raw.failure) raw.failure = more.failure;
      return;
    }
  }
}

template <class Number>
Simulator::Answered Simulator::simulate_as(const std::vector<Draw>& draws, const double* theta, const double* psi,
                                           const double* given) {
  const std::int64_t numbers = numbers_of(task_.info);
  Raw<Number> raw;
  {
    const std::lock_guard lock(mutex_);
    if (!draws.empty()) check_programs();
    simulate_once(draws, theta, psi, given, raw);
    if (task_.simulator->redraws) {
      draw_again(draws, theta, psi, given, raw);
      const std::size_t d = task_.info.targets.size();
      for (std::size_t k = 0; k < draws.size(); ++k)
        if (raw.attempts[k] > 0) invalid_.add(theta + k * d, d, raw.attempts[k], raw.failed[k]);
    }
  }
  Answered out;
  out.failure = raw.failure;
  while (out.draws < draws.size() && raw.good[out.draws] && raw.invalid[out.draws].empty()) ++out.draws;
  out.attempts = std::move(raw.attempts);
  out.invalid = std::move(raw.failed);
  const std::int64_t observations = raw.starts[out.draws];
  if (!x_kind(task_.info).ragged) {
    out.x = raw.block.slice(0, 0, observations);
    return out;
  }
  torch::Tensor offsets = at::empty({observations + 1}, torch::kInt64);
  std::int64_t* offset = offsets.mutable_data_ptr<std::int64_t>();
  *offset = 0;
  for (std::size_t k = 0; k < out.draws; ++k)
    for (const std::int64_t count : raw.counts[k]) {
      offset[1] = offset[0] + count;
      ++offset;
    }
  torch::Tensor all = at::empty({*offset, numbers}, c10::CppTypeToScalarType<Number>::value);
  Number* to = all.template mutable_data_ptr<Number>();
  for (std::size_t k = 0; k < out.draws; ++k) to = std::copy(raw.rows[k].begin(), raw.rows[k].end(), to);
  out.x = Observations::ragged(all, offsets);
  return out;
}

InvalidDraws Simulator::invalid_draws() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const Target& target : task_.info.targets) names.push_back(target.name);
  return invalid_.binned(names);
}

}  // namespace pairs::own

#include "tasks/own/simulator.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/error.h"
#include "core/input_scale.h"
#include "tasks/own/permission.h"
#include "tasks/own/simulator_answers.h"
#include "tasks/own/simulator_question.h"
#include "tasks/own/x_kind.h"

namespace pairs::own {

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
  double pace = 0;  // of its own: it is no simulation
  Question question;
  question.kind = "reference";
  question.reference = true;
  question.draws = 1;
  question.draw = [&](std::size_t) -> const Draw& { return one; };
  // The number of values stands where that of the draws does otherwise.
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
  return task_.standardises ? simulate_as<double>(draws, theta, psi, given)
                            : simulate_as<float>(draws, theta, psi, given);
}

template <class Number>
Simulator::Answered Simulator::simulate_as(const std::vector<Draw>& draws, const double* theta, const double* psi,
                                           const double* given) {
  const TaskInfo& info = task_.info;
  const std::size_t d = info.targets.size(), p = info.nuisances.size(), g = task_.given.size();
  const std::int64_t numbers = numbers_of(info);
  const bool ragged = x_kind(info).ragged;
  std::vector<std::int64_t> starts = {0};  // the first observation of each draw
  for (const Draw& draw : draws) starts.push_back(starts.back() + static_cast<std::int64_t>(draw.count));
  std::vector<std::int64_t> shape = {ragged ? 0 : starts.back()};
  shape.insert(shape.end(), info.observation_shape.begin(), info.observation_shape.end());
  torch::Tensor block = at::empty(shape, c10::CppTypeToScalarType<Number>::value);
  torch::Tensor counts;
  std::vector<std::vector<Number>> rows;
  if (ragged) {
    counts = at::empty({starts.back()}, torch::kInt64);
    rows.resize(draws.size());
  }
  Answered out;
  std::vector<char> good(draws.size(), 0);
  if (!draws.empty()) {
    const std::lock_guard lock(mutex_);
    check_programs();
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
    question.accept = [&](std::size_t first, std::size_t count, std::string_view answer) {
      const std::int64_t observations = starts[first + count] - starts[first];
      if (!ragged) {
        Number* to = block.mutable_data_ptr<Number>() + starts[first] * numbers;
        take_numbers(answer, answer.size() > 4 * static_cast<std::size_t>(observations * numbers),
                     observations * numbers, to);
        for (std::size_t k = 0; k < count; ++k) {
          const std::int64_t own = starts[first + k + 1] - starts[first + k];
          check_finite(to, own * numbers, own, nullptr, numbers, k);
          good[first + k] = 1;
          to += own * numbers;
        }
        return;
      }
      if (answer.size() < 8 * static_cast<std::size_t>(observations))
        throw Fault{0, fmt::format("it answered with {} bytes, too few for the numbers of rows of {} observations",
                                   answer.size(), observations)};
      std::int64_t* to = counts.mutable_data_ptr<std::int64_t>() + starts[first];
      std::memcpy(to, answer.data(), 8 * static_cast<std::size_t>(observations));
      answer.remove_prefix(8 * static_cast<std::size_t>(observations));
      std::int64_t total = 0;
      const auto most = static_cast<std::int64_t>(answer.size());
      for (std::int64_t k = 0; k < observations; ++k) {
        if (to[k] < 0 || to[k] > most) throw Fault{0, fmt::format("observation {} has {} rows", k + 1, to[k])};
        total += to[k];
      }
      const std::size_t narrow = 4 * static_cast<std::size_t>(total * numbers);
      if (total > most || (answer.size() != narrow && answer.size() != 2 * narrow))
        throw Fault{0,
                    fmt::format("it answered with {} bytes of rows where {} rows of {} numbers as float32 or float64 "
                                "belong",
                                answer.size(), total, numbers)};
      const bool wide = answer.size() > narrow;
      for (std::size_t k = 0; k < count; ++k) {
        const std::int64_t own = starts[first + k + 1] - starts[first + k];
        std::int64_t length = 0;
        for (std::int64_t i = 0; i < own; ++i) length += to[i];
        std::vector<Number>& values = rows[first + k];
        values.resize(static_cast<std::size_t>(length * numbers));
        take_numbers(answer, wide, length * numbers, values.data());
        check_finite(values.data(), length * numbers, own, to, numbers, k);
        good[first + k] = 1;
        to += own;
      }
    };
    question.answer_bytes = 4.0 * info.observation_numbers();
    question.pace = &pace_;
    try {
      ask(question);
    } catch (...) {
      out.failure = std::current_exception();
    }
  }
  out.draws = static_cast<std::size_t>(std::find(good.begin(), good.end(), 0) - good.begin());
  const std::int64_t observations = starts[out.draws];
  if (!ragged) {
    out.x = block.slice(0, 0, observations);
    return out;
  }
  torch::Tensor offsets = at::empty({observations + 1}, torch::kInt64);
  std::int64_t* offset = offsets.mutable_data_ptr<std::int64_t>();
  const std::int64_t* count = counts.const_data_ptr<std::int64_t>();
  offset[0] = 0;
  for (std::int64_t k = 0; k < observations; ++k) offset[k + 1] = offset[k] + count[k];
  torch::Tensor all = at::empty({offset[observations], numbers}, c10::CppTypeToScalarType<Number>::value);
  Number* to = all.mutable_data_ptr<Number>();
  for (std::size_t k = 0; k < out.draws; ++k) to = std::copy(rows[k].begin(), rows[k].end(), to);
  out.x = Observations::ragged(all, offsets);
  return out;
}

}  // namespace pairs::own

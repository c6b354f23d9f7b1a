#include "core/train/stages/set_gradients.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <utility>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/train/stages/stage_tools.h"

namespace pairs {
namespace {

void check(const std::function<bool()>& stop) {
  if (stop && stop()) throw Stopped();
}

// The state of each set in the estimator's pool [B, l]. In training mode, random numbers depend on `key`.
torch::Tensor states_in_parts(Estimator& estimator, const SetSource& source, const SetBatch& batch,
                              const std::vector<SetPart>& cut, std::uint64_t key, const std::function<bool()>& stop) {
  at::NoGradGuard no_grad;
  const Pool& pool = estimator.pool();
  torch::Tensor states =
      pool.empty(static_cast<std::int64_t>(batch.sets.size()), estimator.embedding_size(), batch.device);
  for (const SetPart& part : cut) {
    check(stop);
    std::vector<std::int64_t> offsets = {0};
    for (const SetRange& range : part.ranges) offsets.push_back(offsets.back() + range.count);
    estimator.embedder().set_noise(key, part.first);
    const torch::Tensor embeddings = estimator.embedder().forward(source.observe(batch, part));
    pool.merge_into(states, send(torch::tensor(part.rows, torch::kInt64), batch.device),
                    pool.accumulate(embeddings, send(torch::tensor(offsets, torch::kInt64), batch.device)));
  }
  return states;
}

torch::Tensor finished(const Pool& pool, const torch::Tensor& states, const SetBatch& batch) {
  return pool.finish(states, send(batch.n.to(torch::kFloat64), batch.device).unsqueeze(1)).to(torch::kFloat32);
}

}  // namespace

torch::Tensor set_aggregates(Estimator& estimator, const SetSource& source, const SetBatch& batch, std::int64_t at_once,
                             const std::function<bool()>& stop) {
  at::NoGradGuard no_grad;
  if (batch.x.defined()) return estimator.pool().forward(estimator.embedder().forward(batch.x), batch.offsets);
  return finished(estimator.pool(), states_in_parts(estimator, source, batch, parts(batch, at_once), 0, stop), batch);
}

RecordedSteps recorded_set_steps(Estimator& estimator, const std::map<std::string, torch::Tensor>& parameters, bool on,
                                 std::function<void(const std::string&)> warn) {
  const auto loss = [&estimator](const std::vector<torch::Tensor>& in) {
    const torch::Tensor aggregates = estimator.pool().forward(estimator.embedder().forward(in[0]), in[1]);
    return estimator.loss(0, {in[2], in[3], in[4]}, aggregates);
  };
  return {parameters, estimator.device(), on, loss, std::move(warn)};
}

torch::Tensor set_gradients(Estimator& estimator, const SetSource& source, const SetBatch& batch, std::uint64_t key,
                            std::int64_t at_once, const std::function<bool()>& stop, RecordedSteps* recorded) {
  estimator.set_noise(key);
  if (recorded != nullptr && batch.x.defined() && !batch.x.is_ragged()) {
    const Estimator::SetColumns sets = estimator.send_sets(batch.theta, batch.n, batch.given);
    return recorded->gradients({batch.x.block(), batch.offsets, sets.target, sets.n, sets.extra}, key);
  }
  if (batch.x.defined()) {
    const Loss loss = pretrain_loss(estimator, batch);
    loss.total().backward();
    return loss.value.detach();
  }
  const std::vector<SetPart> cut = parts(batch, at_once);
  const torch::Tensor aggregates =
      finished(estimator.pool(), states_in_parts(estimator, source, batch, cut, key, stop), batch).requires_grad_(true);
  const Loss loss = estimator.loss(0, batch.theta, aggregates, batch.n, batch.given);
  loss.total().backward();
  const torch::Tensor slope =
      estimator.pool().slope(aggregates.grad(), send(batch.n.to(aggregates.scalar_type()), batch.device).unsqueeze(1));
  for (const SetPart& part : cut) {
    check(stop);
    std::vector<std::int64_t> counts;
    for (const SetRange& range : part.ranges) counts.push_back(range.count);
    const torch::Tensor row =
        torch::tensor(part.rows, torch::kInt64).repeat_interleave(torch::tensor(counts, torch::kInt64), 0, part.count);
    estimator.embedder().set_noise(key, part.first);
    torch::autograd::backward({estimator.embedder().forward(source.observe(batch, part))},
                              {slope.index_select(0, send(row, batch.device))});
  }
  return loss.value.detach();
}

}  // namespace pairs

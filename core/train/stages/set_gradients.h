#pragma once

#include <functional>

#include "core/estimator.h"
#include "core/train/settings/source.h"
#include "core/train/steps/recorded_steps.h"

namespace pairs {

// Aggregates [B, l] of a batch's sets on its device, without gradients: at once if the batch holds its observations,
// else simulated and embedded `at_once` at a time. `stop` is called between parts; throws Stopped.
torch::Tensor set_aggregates(Estimator& estimator, const SetSource& source, const SetBatch& batch, std::int64_t at_once,
                             const std::function<bool()>& stop);

// Recorded steps of stage 1 on a GPU, for the estimator's loss; the estimator must outlive them.
RecordedSteps recorded_set_steps(Estimator& estimator, const std::map<std::string, torch::Tensor>& parameters, bool on,
                                 std::function<void(const std::string&)> warn);

// Adds the gradients of stage 1's loss of a batch to the parameters' and returns the loss, detached, without waiting
// for the device; random numbers are a pure function of `key`. A batch of whole sets whose observations all have the
// same shape uses `recorded`, if given. A batch without its observations goes through the embedder twice, `at_once`
// observations at a time: first without a graph, for the aggregates; then, once the head has computed their gradients,
// with one. Memory depends neither on N nor on the batch, and the gradients equal the whole batch's up to rounding.
torch::Tensor set_gradients(Estimator& estimator, const SetSource& source, const SetBatch& batch, std::uint64_t key,
                            std::int64_t at_once, const std::function<bool()>& stop, RecordedSteps* recorded = nullptr);

}  // namespace pairs

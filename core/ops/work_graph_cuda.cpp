#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>
#include <torch/types.h>

#include <exception>
#include <memory>

namespace pairs::ops {
namespace {

using torch::Tensor;

struct Recording {
  at::cuda::CUDAGraph graph;
  c10::cuda::CUDAStream before = c10::cuda::getCurrentCUDAStream();
};

Recording* recording(std::int64_t graph) {
  return reinterpret_cast<Recording*>(graph);
}

std::int64_t begin(const Tensor& on) {
  const c10::cuda::CUDAGuard guard(on.device());
  auto made = std::make_unique<Recording>();
  // Memory of earlier steps becomes available for the graph's own memory, which is separate.
  c10::cuda::CUDACachingAllocator::emptyCache();
  c10::cuda::setCurrentCUDAStream(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, on.device().index()));
  try {
    // Other threads of the program may allocate device memory meanwhile.
    made->graph.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
  } catch (...) {
    c10::cuda::setCurrentCUDAStream(made->before);
    throw;
  }
  return reinterpret_cast<std::int64_t>(made.release());
}

void end(const Tensor& on, std::int64_t graph, bool keep) {
  const c10::cuda::CUDAGuard guard(on.device());
  std::unique_ptr<Recording> made(recording(graph));
  std::exception_ptr problem;
  try {
    made->graph.capture_end();
  } catch (...) {
    problem = std::current_exception();
  }
  c10::cuda::setCurrentCUDAStream(made->before);
  if (problem) (void)cudaGetLastError();
  if (keep && problem) std::rethrow_exception(problem);
  if (keep) made.release();
}

void launch(const Tensor& on, std::int64_t graph) {
  const c10::cuda::CUDAGuard guard(on.device());
  recording(graph)->graph.replay();
}

void release(const Tensor& on, std::int64_t graph) {
  const c10::cuda::CUDAGuard guard(on.device());
  delete recording(graph);
}

}  // namespace

TORCH_LIBRARY_IMPL(pairs, CUDA, m) {
  m.impl("work_graph_begin", begin);
  m.impl("work_graph_end", end);
  m.impl("work_graph_launch", launch);
  m.impl("work_graph_free", release);
}

}  // namespace pairs::ops

#include "core/ops/work_graph.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include <utility>

#include "core/base/text/error.h"

namespace pairs::ops {

TORCH_LIBRARY_FRAGMENT(pairs, m) {
  // CUDA graphs on the device of `on`: work that the calling thread launches between begin and end is recorded in the
  // graph that begin returns, or dropped if end does not keep it.
  m.def("work_graph_begin(Tensor on) -> int");
  m.def("work_graph_end(Tensor on, int graph, bool keep) -> ()");
  m.def("work_graph_launch(Tensor on, int graph) -> ()");
  m.def("work_graph_free(Tensor on, int graph) -> ()");
}

namespace {

template <class Signature>
auto work_graph_operator(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

void end_recording(const torch::Tensor& on, std::int64_t graph, bool keep) {
  static const auto op = work_graph_operator<void(const torch::Tensor&, std::int64_t, bool)>("pairs::work_graph_end");
  op.call(on, graph, keep);
}

}  // namespace

WorkGraph::WorkGraph(const torch::Device& device, std::function<void()> work) {
  if (!device.is_cuda()) {
    work_ = std::move(work);
    return;
  }
  on_ = at::empty({0}, torch::TensorOptions().device(device));
  try {
    static const auto begin = work_graph_operator<std::int64_t(const torch::Tensor&)>("pairs::work_graph_begin");
    graph_ = begin.call(on_);
    try {
      work();
    } catch (...) {
      end_recording(on_, graph_, false);
      graph_ = 0;
      throw;
    }
    end_recording(on_, graph_, true);
  } catch (const c10::Error& error) {
    fail("These operators cannot be recorded: {}", error.what_without_backtrace());
  }
}

WorkGraph::~WorkGraph() {
  if (graph_ == 0) return;
  static const auto release = work_graph_operator<void(const torch::Tensor&, std::int64_t)>("pairs::work_graph_free");
  release.call(on_, graph_);
}

void WorkGraph::repeat() {
  if (graph_ == 0) return work_();
  static const auto launch = work_graph_operator<void(const torch::Tensor&, std::int64_t)>("pairs::work_graph_launch");
  launch.call(on_, graph_);
}

}  // namespace pairs::ops

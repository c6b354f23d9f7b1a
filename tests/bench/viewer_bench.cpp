#include <benchmark/benchmark.h>

#include <atomic>

#include "app/model/viewer/view_caster.h"
#include "app/model/viewer/viewer.h"
#include "render/sphere_scene.h"

namespace pairs::model {
namespace {

// The live truth as the window gets it: a request with another camera, and the wait until its picture is there.
// Arguments: pixels a side, observed views that are cast too. Items are pictures of the truth.
void live_truth(benchmark::State& state) {
  std::atomic<std::uint64_t> woken{0};
  ViewCaster caster([&] {
    ++woken;
    woken.notify_all();
  });
  CastRequest request;
  request.scene = render::draw_scene(1, Purpose::check, 0);
  request.truth_side = static_cast<int>(state.range(0));
  for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(state.range(1)); ++k)
    request.views.push_back(render::draw_camera(1, Purpose::check, 0, k));
  for (auto _ : state) {
    const PicturePointer before = caster.result().truth;
    request.target.azimuth += 0.01;
    request.scene.light_azimuth += 0.01;  // views change too
    caster.request(request);
    for (;;) {
      const std::uint64_t seen = woken.load();
      if (caster.result().truth != before) break;
      woken.wait(seen);
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(live_truth)->Args({256, 0})->Args({512, 0})->Args({512, 100})->UseRealTime();

}  // namespace
}  // namespace pairs::model

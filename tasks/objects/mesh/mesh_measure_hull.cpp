#include "tasks/objects/mesh/mesh_measure_hull.h"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

// Qhull's own state, and the stream for its messages.
struct QhullRun {
  QhullRun() : complaints(open_memstream(&text, &size)) {
    PAIRS_CHECK(complaints != nullptr, "There is no memory for a convex hull; close other programs");
    qh_zero(&state, complaints);
  }
  ~QhullRun() {
    qh_freeqhull(&state, !qh_ALL);  // everything except its own blocks for small objects
    int blocks = 0, bytes = 0;
    qh_memfreeshort(&state, &blocks, &bytes);
    std::fclose(complaints);
    std::free(text);
  }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;

  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* complaints;
  qhT state{};
};

}  // namespace

std::optional<double> hull_volume(std::span<const std::array<double, 3>> points) {
  if (points.size() < 4) return std::nullopt;
  std::vector<double> places;
  places.reserve(3 * points.size());
  for (const auto& p : points) places.insert(places.end(), p.begin(), p.end());
  QhullRun run;
  std::string command = "qhull FA Pp";  // with the volume; without advice
  const int outcome = qh_new_qhull(&run.state, 3, static_cast<int>(points.size()), places.data(), False, command.data(),
                                   nullptr, run.complaints);
  if (outcome == qh_ERRsingular) return std::nullopt;
  std::fflush(run.complaints);
  PAIRS_CHECK(outcome == qh_ERRnone, "The convex hull of {} points failed ({}); simplify the mesh", points.size(),
              printable(run.text, 160));
  return run.state.totvol;
}

}  // namespace pairs

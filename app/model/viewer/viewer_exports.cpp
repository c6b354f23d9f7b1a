#include "app/model/viewer/viewer_exports.h"

#include <utility>

#include "app/model/viewer/viewer_state.h"

namespace pairs::model {

std::string ViewerExports::blocked(ViewerExport kind) const {
  const ViewerState& s = state_;
  if (s.export_under_way) return "Another export is under way";
  if (kind == ViewerExport::scene) return "";
  if (s.request.run.empty() || !s.result.info) return "There are no trained weights whose samples could be saved";
  if (s.request.n < 1) return "There is no view: add one";
  if (kind == ViewerExport::grid &&
      (!s.result.snapshot || s.result.snapshot->n != s.request.n || s.result.snapshot->finished < s.request.samples))
    return "Samples are still being drawn; wait a moment";
  return "";
}

void ViewerExports::start(ViewerExport kind, const std::filesystem::path& file) {
  ViewerState& s = state_;
  if (!blocked(kind).empty()) return;
  s.exporting = {kind, file, s.request, s.info, s.result.snapshot, s.cast.truth, s.cast.views};
  s.export_failure.clear();
  s.exported.clear();
  s.export_under_way = true;
  s.exporter.start(s.exporting);
}

void ViewerExports::cancel() {
  state_.exporter.cancel();
}

bool ViewerExports::busy() const {
  return state_.export_under_way;
}

double ViewerExports::share() const {
  return state_.exporter.share();
}

const std::string& ViewerExports::failure() const {
  return state_.export_failure;
}

std::filesystem::path ViewerExports::take_written() {
  return std::exchange(state_.exported, {});
}

}  // namespace pairs::model

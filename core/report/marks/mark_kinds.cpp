#include "core/report/marks/kinds.h"
#include "core/report/marks/mark_kind.h"

namespace pairs::chart {

const std::vector<const MarkKind*>& mark_kinds() {
  static const std::vector<const MarkKind*> all = [] {
    std::vector<const MarkKind*> kinds;
    for (const auto& kind : kMarkKinds) kinds.push_back(&kind());
    return kinds;
  }();
  return all;
}

}  // namespace pairs::chart

#pragma once

#include <cstdint>
#include <string>

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// The pinned posteriors of the shown task, which can be renamed and removed. The widgets are "posterior/pins/1/name",
// ".../1/unpin", and so on in the order of pinning.
class PinList {
 public:
  void draw(model::Posterior& posterior);

 private:
  std::uint64_t typing_ = 0;  // id of the pin whose name is being typed; 0: none
  std::string typed_;
};

}  // namespace pairs::gui

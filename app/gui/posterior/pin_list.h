#pragma once

#include <cstdint>
#include <string>

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// The posteriors that are kept of the shown task: each can be called otherwise and taken away. The widgets are
// "posterior/pins/1/name", ".../1/unpin", and so on in the order of pinning.
class PinList {
 public:
  void draw(model::Posterior& posterior);

 private:
  std::uint64_t typing_ = 0;  // id of the one whose name is being typed; 0: none
  std::string typed_;
};

}  // namespace pairs::gui

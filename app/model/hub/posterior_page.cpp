#include "app/model/hub/posterior_page.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace pairs::model {

std::string views_refusal(const std::filesystem::path& path, const std::string& seer) {
  const std::string name = printable(path.string(), 300);
  return fmt::format(
      "{} cannot be shown here: the window casts views of scenes of its own; views of yours are read by pairs --batch "
      "infer {} --data {}",
      name, seer, name);
}

}  // namespace pairs::model

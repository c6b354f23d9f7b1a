#include "app/model/library/thumbnail.h"

#include "tasks/registry.h"

namespace pairs::model {

std::shared_ptr<const Thumbnail> draw_thumbnail(const std::string& name, const std::string& data) {
  return std::make_shared<const Thumbnail>(pairs::draw_thumbnail(*make_task(name, {data})));
}

}  // namespace pairs::model

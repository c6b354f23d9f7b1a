#include "app/model/hub/notifier.h"

#include <utility>

#include "app/desktop/notification.h"
#include "core/base/threads/jobs.h"

namespace pairs::model {

Notifier::Notifier(Show show) : show_(std::move(show)) {}
Notifier::Notifier() : Notifier(notify_desktop) {}

void Notifier::report(const std::string& title, const std::string& text) const {
  if (on && !focused) run_in_background([show = show_, title, text] { show(title, text); });
}

}  // namespace pairs::model

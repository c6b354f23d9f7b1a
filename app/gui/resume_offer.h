#pragma once

#include "app/model/studio.h"

namespace pairs::gui {

// A strip above the panel: the run that the last start trained and did not finish, with "Resume" and "Not now".
void draw_resume_offer(model::Studio& studio);

}  // namespace pairs::gui

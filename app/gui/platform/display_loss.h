#pragma once

namespace pairs::gui {

// Ends the program at once, with a line on standard error, if the X server goes away (a lost remote session). Xlib
// would call exit() while other threads still work, which crashes. What was trained goes on from its last checkpoint.
// Without effect where there is no Xlib.
void end_without_display();

}  // namespace pairs::gui

#pragma once

#include "app/batch/parts/command.h"

namespace pairs {

// `pairs --batch screenshot`: the window's panels as a PNG.
batch::CommandEntry screenshot_command();

}  // namespace pairs

#pragma once

#include <string>

#include "app/batch/command.h"

namespace pairs::batch {

// devices --add-gpu: says what it takes, then fetches the CUDA libraries from the package index (`index` "": pip's
// own), telling on stderr how far it is. Throws Error where a GPU would not become usable by it, and Stopped after a
// signal.
Result add_gpu(const std::string& index);

// devices --remove-gpu.
Result remove_gpu();

}  // namespace pairs::batch

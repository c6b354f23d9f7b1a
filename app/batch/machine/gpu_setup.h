#pragma once

#include <string>

#include "app/batch/parts/command.h"

namespace pairs::batch {

// devices --add-gpu: prints the size, then downloads the CUDA libraries from the package index (`index` "": pip's own),
// with progress on stderr. Throws Error if they would not make a GPU usable, and Stopped after a signal.
Result add_gpu(const std::string& index);

// devices --remove-gpu.
Result remove_gpu();

}  // namespace pairs::batch

#pragma once

#include <string>

namespace pairs::model {

// What is remembered between starts.
struct Settings {
  std::string theme = "dark", task = "bump-hunt", run, tab = "posterior";
};

}  // namespace pairs::model

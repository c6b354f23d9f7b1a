#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/model/hub/hub.h"
#include "core/base/latest.h"

namespace pairs::model {

// What the program is made of: one line of the About box.
struct Dependency {
  const char* name;
  const char* version;  // with which it was developed; "" where the system's driver brings it
  const char* licence;
  const char* purpose;
};
std::span<const Dependency> dependencies();

std::string program_version();   // "0.1.0"
std::string libtorch_version();  // "2.11.0"

// A device as people should see it.
struct DeviceLine {
  std::string name, description;  // of one that cannot be used, why
  bool usable = false;
};

// The devices of this computer. The driver can take a second to answer, so it is asked in the background.
class Devices {
 public:
  // Asks at once.
  explicit Devices(Hub& hub);
  // Null until the driver has answered.
  std::shared_ptr<const std::vector<DeviceLine>> lines() const { return lines_.last(); }

 private:
  Latest<std::vector<DeviceLine>> lines_;
};

}  // namespace pairs::model

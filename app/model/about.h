#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/model/hub/hub.h"
#include "core/base/threads/latest.h"

namespace pairs::model {

// A library in use: one line of the About box.
struct Dependency {
  const char* name;
  const char* version;  // as developed with; "" if it comes with the system's driver
  const char* license;
  const char* purpose;
};
std::span<const Dependency> dependencies();

std::string program_version();   // "0.1.0"
std::string libtorch_version();  // "2.11.0"

// A device as shown to the user.
struct DeviceLine {
  std::string name, description;  // if unusable, description gives the reason
  bool usable = false;
};

// The devices of this computer, queried in the background because the driver can take a second to respond.
class Devices {
 public:
  // Starts the query.
  explicit Devices(Hub& hub);
  // Null until the driver has responded.
  std::shared_ptr<const std::vector<DeviceLine>> lines() const { return lines_.last(); }

 private:
  Latest<std::vector<DeviceLine>> lines_;
};

}  // namespace pairs::model

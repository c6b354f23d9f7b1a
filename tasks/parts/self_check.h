#pragma once

namespace pairs {

// A check of a task against known numbers: the largest deviation and the one allowed. One that throws has failed.
struct SelfCheck {
  const char* name;
  double limit;
  double (*deviation)();
};

}  // namespace pairs

#pragma once

namespace pairs {

// A check of a task against known numbers: the largest deviation and the allowed one. A check that throws has failed.
struct SelfCheck {
  const char* name;
  double limit;
  double (*deviation)();
};

}  // namespace pairs

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/base/text/error.h"

namespace pairs {

// The message of the Error that `action` throws; a failure when it throws none. Fills `kind` when asked.
template <class Action>
std::string message_of(Action&& action, ErrorKind* kind = nullptr) {
  try {
    action();
  } catch (const Error& error) {
    if (kind) *kind = error.kind();
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return "";
}

}  // namespace pairs

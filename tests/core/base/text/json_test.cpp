#include "core/base/text/json.h"

#include <gtest/gtest.h>

#include <string>

namespace pairs {
namespace {

TEST(Json, WhatNestsTooDeepIsDiscarded) {
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_TRUE(parse_json(nested(60)).is_array());
  for (const std::size_t levels : {70u, 1000u, 1000000u}) EXPECT_TRUE(parse_json(nested(levels)).is_discarded());
  EXPECT_TRUE(parse_json("{\"a\": [1, {\"b\": 2}]}")["a"][1]["b"] == 2);
  for (const char* text : {"", "{", "nul", "{\"a\" 1}", "[1] 2"}) EXPECT_TRUE(parse_json(text).is_discarded()) << text;
}

}  // namespace
}  // namespace pairs

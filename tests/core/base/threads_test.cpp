#include "core/base/threads.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

namespace pairs {
namespace {

TEST(Threads, AreAtMostOneACore) {
  const int before = at::get_num_threads(), cores = usable_cores();
  EXPECT_GE(cores, 1);
  use_threads(1);
  EXPECT_EQ(at::get_num_threads(), 1);
  use_threads(0);
  EXPECT_EQ(at::get_num_threads(), cores);
  use_threads(1);
  use_threads(4096);
  EXPECT_EQ(at::get_num_threads(), cores);
  at::set_num_threads(before);
}

}  // namespace
}  // namespace pairs

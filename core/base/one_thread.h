#pragma once

#include <ATen/Parallel.h>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace pairs {

// Until its end, small work of this thread stays on it: sharing it out would make it wait for cores that train.
class OneThread {
 public:
  OneThread() : before_(at::get_num_threads()) { use(1); }
  ~OneThread() { use(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  // Of this thread alone: at::set_num_threads would tell MKL of all.
  static void use([[maybe_unused]] int count) {
#ifdef _OPENMP
    omp_set_num_threads(count);
#endif
  }
  int before_;
};

}  // namespace pairs

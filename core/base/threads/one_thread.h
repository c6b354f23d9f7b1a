#pragma once

#include <ATen/Parallel.h>
#ifdef _OPENMP
#include <omp.h>
#endif

// Part of the MKL inside LibTorch, if it holds one: sets how many threads this thread's calls use, 0 = the global
// setting. Returns the previous value.
extern "C" int MKL_Set_Num_Threads_Local(int count) __attribute__((weak));

namespace pairs {

// While it exists, small work of this thread stays on it: distributing it would wait for cores that train, and the
// number of threads changes how results are rounded.
class OneThread {
 public:
  OneThread() : before_(at::get_num_threads()), mkl_before_(use_mkl(1)) { use(1); }
  ~OneThread() {
    use(before_);
    use_mkl(mkl_before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  // Affects only this thread; at::set_num_threads would change MKL for all.
  static void use([[maybe_unused]] int count) {
#ifdef _OPENMP
    omp_set_num_threads(count);
#endif
  }
  static int use_mkl(int count) {
    return MKL_Set_Num_Threads_Local ? MKL_Set_Num_Threads_Local(count) : 0;
  }
  int before_, mkl_before_;
};

}  // namespace pairs

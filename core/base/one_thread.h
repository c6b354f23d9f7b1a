#pragma once

#include <ATen/Parallel.h>
#ifdef _OPENMP
#include <omp.h>
#endif

// Of the MKL that LibTorch holds, where it holds one: how many threads this thread's calls use, 0 = as for all. Returns
// what it was.
extern "C" int MKL_Set_Num_Threads_Local(int count) __attribute__((weak));

namespace pairs {

// Until its end, small work of this thread stays on it: sharing it out would make it wait for cores that train, and how
// many share it decides how it is rounded.
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
  // Of this thread alone: at::set_num_threads would tell MKL of all.
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

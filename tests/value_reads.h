#pragma once

#include <ATen/record_function.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

namespace pairs {

// Counts, while it lives, the operators that hand a tensor's values to the program: on a GPU each waits for the device.
// LibTorch's fused AdamW, which reads its step counts on the CPU alone, does not count.
class ValueReads {
 public:
  ValueReads() {
    count_ = 0;
    handle_ = at::addGlobalCallback(at::RecordFunctionCallback(&ValueReads::begins, &ValueReads::ends));
  }
  ~ValueReads() { at::removeCallback(handle_); }
  ValueReads(const ValueReads&) = delete;
  ValueReads& operator=(const ValueReads&) = delete;

  std::int64_t count() const { return count_; }

 private:
  static std::unique_ptr<at::ObserverContext> begins(const at::RecordFunction& function) {
    const std::string_view name = function.name();
    if (name == fused) ++inside_;
    if (inside_ == 0 && (name == "aten::_local_scalar_dense" || name == "aten::nonzero" ||
                         name == "aten::masked_select" || name == "aten::equal" || name == "aten::unique_dim"))
      ++count_;
    return nullptr;
  }
  static void ends(const at::RecordFunction& function, at::ObserverContext*) {
    if (std::string_view(function.name()) == fused) --inside_;
  }

  static constexpr std::string_view fused = "aten::_fused_adamw_";
  static inline std::atomic<int> inside_{0};
  static inline std::atomic<std::int64_t> count_{0};
  at::CallbackHandle handle_;
};

}  // namespace pairs

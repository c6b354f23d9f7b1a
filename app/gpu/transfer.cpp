#include "app/gpu/transfer.h"

#include <dlfcn.h>

#include "core/base/system/program_part.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::gpu {
namespace {

constexpr const char* kTransferModule = "libpairs_transfer.so";

TransferFunction* open_transfer_module() {
  const std::filesystem::path place = program_part(kTransferModule);
  PAIRS_CHECK(!place.empty(), "{}, the part of Pairs Studio that fetches files, is missing; install Pairs Studio again",
              kTransferModule);
  void* const module = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module) {
    const char* const problem = ::dlerror();
    fail("{} does not load ({}); install Pairs Studio again", printable(place.string(), 300),
         printable(problem ? problem : "no reason was given", 300));
  }
  const auto version = reinterpret_cast<int (*)()>(::dlsym(module, "pairs_transfer_version"));
  const auto function = reinterpret_cast<TransferFunction*>(::dlsym(module, "pairs_transfer"));
  PAIRS_CHECK(version && function && version() == kTransferVersion, "{} is of another version; build it again",
              printable(place.string(), 300));
  return function;
}

}  // namespace

TransferEnd transfer(const Transfer& asked) {
  static TransferFunction* const function = open_transfer_module();
  TransferEnd end;
  function(asked, end);
  if (end.stopped) throw Stopped();
  return end;
}

}  // namespace pairs::gpu

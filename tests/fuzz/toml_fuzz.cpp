#include <cmath>

#include "core/base/fields/fields.h"
#include "tests/fuzz/fuzz.h"

namespace {

struct Settings {
  bool flag = false;
  std::int64_t count = 1;
  double rate = 0.5;
  std::string name = "a";
  std::vector<std::int64_t> sizes;
  std::vector<double> weights;

  std::vector<pairs::Field> fields() {
    return {{"flag", &flag, ""},       {"count", &count, "", 0, 100},    {"train.rate", &rate, ""},
            {"train.name", &name, ""}, {"train.deep.sizes", &sizes, ""}, {"train.deep.weights", &weights, ""}};
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pairs::fuzz(data, size, [](std::string_view bytes) {
    Settings read, again;
    pairs::read_toml(bytes, read.fields(), "input");
    // Accepted settings survive being written; bounds keep NaN out, so equality means identity.
    pairs::read_toml(pairs::write_toml(read.fields()), again.fields(), "copy");
    if (read.flag != again.flag || read.count != again.count || read.rate != again.rate || read.name != again.name ||
        read.sizes != again.sizes || read.weights != again.weights)
      __builtin_trap();
  });
  return pairs::fuzz(data, size, [](std::string_view bytes) {
    Settings settings;
    pairs::set_field(settings.fields(), bytes);
  });
}

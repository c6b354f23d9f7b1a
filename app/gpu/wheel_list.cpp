#include "app/gpu/wheel_list.h"

#include <algorithm>
#include <regex>
#include <sstream>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::gpu {

WheelList read_wheel_list(const std::filesystem::path& file) {
  constexpr std::uint64_t kMost = 1 << 20;
  static const std::regex sizes(R"(# bytes: (\d{1,15}) to fetch, (\d{1,15}) of libraries)");
  static const std::regex named(R"(([A-Za-z0-9._-]+)==([A-Za-z0-9.+!_-]+))"), hashed(R"(--hash=sha256:([0-9a-f]{64}))");
  const std::string name = printable(file.string(), 300);
  WheelList list;
  std::istringstream text(read_file(file, kMost));
  std::int64_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    std::smatch found;
    if (std::regex_match(line, found, sizes)) {
      list.wheel_bytes = std::stoull(found[1]);
      list.library_bytes = std::stoull(found[2]);
    }
    std::istringstream words(line.substr(0, line.find('#')));
    for (std::string word; words >> word;) {
      if (word == "\\") continue;
      if (std::regex_match(word, found, named))
        list.wheels.push_back({found[1], found[2], {}});
      else if (std::regex_match(word, found, hashed) && !list.wheels.empty())
        list.wheels.back().hashes.push_back(found[1]);
      else
        fail(ErrorPlace(name, number),
             "'{}' is neither project==version nor --hash=sha256:…; install Pairs Studio again", printable(word));
    }
  }
  PAIRS_CHECK(!list.wheels.empty() && list.wheel_bytes > 0 && list.library_bytes > 0 &&
                  std::ranges::none_of(list.wheels, [](const Wheel& wheel) { return wheel.hashes.empty(); }),
              "{} lacks wheels, a hash of one, or their sizes; install Pairs Studio again", name);
  return list;
}

}  // namespace pairs::gpu

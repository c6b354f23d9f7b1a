#include "core/base/text/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {

void init_log() {
  spdlog::level::level_enum level = spdlog::level::info;
  if (const char* named = std::getenv("PAIRS_LOG"); named && *named) {
    const std::string name = named;
    if (name == "debug")
      level = spdlog::level::debug;
    else if (name == "warn")
      level = spdlog::level::warn;
    else if (name == "error")
      level = spdlog::level::err;
    else if (name != "info")
      fail_usage("PAIRS_LOG is '{}'; it must be debug, info, warn or error", printable(name));
  }
  auto logger = std::make_shared<spdlog::logger>("pairs", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern("%H:%M:%S %^%l%$ %v");
  logger->set_level(level);
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace pairs

#include "app/studies/claims.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <random>
#include <utility>

#include "core/base/files/descriptor.h"
#include "core/base/files/files.h"
#include "core/base/system/process_identity.h"
#include "core/base/text/error.h"
#include "core/base/text/json.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 64 << 10;

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A name that no other process has, on any machine.
std::string unique_name() {
  static std::random_device random;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  return fmt::format(".{:08x}{:08x}", random(), random());
}

fs::path claim_file(const fs::path& folder, const std::string& name, std::int64_t generation) {
  return folder / fmt::format("{}.{}", name, generation);
}

// The name and generation of a claim's file; generation 0 for other files.
std::pair<std::string, std::int64_t> parse_claim(const std::string& file) {
  const std::size_t dot = file.rfind('.');
  std::int64_t generation = 0;
  if (dot == file.npos || dot == 0 || file.front() == '.') return {};
  const char *first = file.data() + dot + 1, *last = file.data() + file.size();
  const auto read = std::from_chars(first, last, generation);
  if (read.ec != std::errc() || read.ptr != last || generation < 1) return {};
  return {file.substr(0, dot), generation};
}

// The highest generation of each name.
std::map<std::string, std::int64_t> highest(const fs::path& folder) {
  std::map<std::string, std::int64_t> found;
  if (!fs::exists(folder)) return found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const auto [name, generation] = parse_claim(entry.path().filename().string());
    if (generation > 0) found[name] = std::max(found[name], generation);
  }
  return found;
}

// Creates the file atomically unless it exists: of several attempts, exactly one succeeds.
bool create_exclusively(const fs::path& file, const std::string& bytes) {
  const fs::path extra = file.parent_path() / unique_name();
  write_file(extra, bytes);
  const bool linked = ::link(extra.c_str(), file.c_str()) == 0;
  const int error = errno;
  // Over NFS the reply may be lost although the link was made.
  struct stat status {};
  const bool made = linked || (::stat(extra.c_str(), &status) == 0 && status.st_nlink == 2);
  ::unlink(extra.c_str());
  if (made) return true;
  if (error == EEXIST) return false;
  // The disk does not support links.
  const Descriptor opened(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (opened < 0 && errno == EEXIST) return false;
  PAIRS_CHECK(opened >= 0 && ::write(opened, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
              "Cannot write {}: {}; check the folder's permissions", file.string(), std::strerror(errno));
  return true;
}

std::string claim_text(const char* state, std::int64_t beats, const std::string& failure) {
  nlohmann::json text = process_identity();
  text["state"] = state;
  text["beat"] = beats;
  if (!failure.empty()) text["text"] = failure;
  return text.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

Claim::Claim(fs::path folder, std::string name, std::int64_t generation, double seconds)
    : folder_(std::move(folder)), name_(std::move(name)), generation_(generation), seconds_(seconds) {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, stop, std::chrono::duration<double>(seconds_), [] { return false; }) &&
           !stop.stop_requested() && !lost_)
      beat();
  });
}

Claim::~Claim() {
  thread_.request_stop();
  thread_.join();
  try {
    if (!lost_) write(failure_.empty() ? "free" : "failed");
  } catch (const std::exception&) {
    // Another worker takes it over once it has been silent for the grace period.
  }
}

void Claim::fail(const std::string& text) {
  const std::lock_guard lock(mutex_);
  failure_ = text;
}

void Claim::beat() {
  try {
    if (highest(folder_)[name_] > generation_)
      lost_ = true;
    else
      write("held");
  } catch (const std::exception&) {
    // The disk does not respond: the next heartbeat may get through.
  }
}

void Claim::write(const char* state) {
  write_file(claim_file(folder_, name_, generation_), claim_text(state, ++beats_, failure_));
}

Claims::Claims(fs::path folder, double grace, std::function<double()> now)
    : folder_(std::move(folder)), grace_(std::max(1.0, grace)), now_(now ? std::move(now) : steady_seconds) {}

void Claims::scan() {
  for (const auto& [name, found] : highest(folder_)) {
    Seen& seen = seen_[name];
    const std::int64_t generation = std::max(seen.generation, found);
    if (seen.ended && generation == seen.generation) continue;
    std::string bytes;
    try {
      bytes = read_file(claim_file(folder_, name, generation), kMostBytes);
    } catch (const Error&) {
      bytes = seen.bytes;  // being renamed on another machine; counts as silent
    }
    if (generation != seen.generation || bytes != seen.bytes) seen = {generation, std::move(bytes), now_()};
    const ClaimState state = view(seen).state;
    seen.ended = state == ClaimState::free || state == ClaimState::failed;
  }
}

ClaimView Claims::view(const Seen& seen) const {
  if (seen.generation == 0) return {};
  ClaimView view;
  view.state = ClaimState::held;
  const nlohmann::json claim = parse_json(seen.bytes);
  if (claim.is_object()) {
    try {
      view.worker = fmt::format("{}, process {}", claim.value("host", ""), claim.value("process", std::int64_t{0}));
      view.text = claim.value("text", "");
      const std::string state = claim.value("state", "");
      if (state == "free") view.state = ClaimState::free;
      if (state == "failed") view.state = ClaimState::failed;
      if (view.state == ClaimState::held && has_ended(claim)) view.state = ClaimState::dead;
    } catch (const nlohmann::json::exception&) {
      // Not written by this program: dead if it stays unchanged.
    }
  }
  if (view.state == ClaimState::held && now_() - seen.since > grace_) view.state = ClaimState::dead;
  return view;
}

ClaimView Claims::look(const std::string& name) const {
  const auto seen = seen_.find(name);
  return seen == seen_.end() ? ClaimView() : view(seen->second);
}

std::unique_ptr<Claim> Claims::take(const std::string& name, bool failed) {
  const ClaimState state = look(name).state;
  if (state == ClaimState::held || (state == ClaimState::failed && !failed)) return nullptr;
  fs::create_directories(folder_);
  const auto seen = seen_.find(name);
  const std::int64_t generation = seen == seen_.end() ? 1 : seen->second.generation + 1;
  if (!create_exclusively(claim_file(folder_, name, generation), claim_text("held", 0, ""))) return nullptr;
  return std::unique_ptr<Claim>(new Claim(folder_, name, generation, grace_ / 6));
}

}  // namespace pairs

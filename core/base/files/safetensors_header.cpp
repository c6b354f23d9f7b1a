#include "core/base/files/safetensors_header.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

using Json = nlohmann::json;

constexpr std::size_t max_dimensions = 32;
constexpr const char* metadata_key = "__metadata__";

// Receives the header as a stream of events, so that nothing outside the format is built. A handler that returns false
// ends the parse; `problem` then states the reason.
class HeaderReader {
 public:
  SafetensorsHeader header;
  std::string problem;

  bool null() { return refuse("null"); }
  bool boolean(bool) { return refuse("a boolean"); }
  bool number_integer(Json::number_integer_t) { return refuse("a negative number"); }
  bool number_float(Json::number_float_t, const std::string&) { return refuse("a fraction"); }
  bool binary(Json::binary_t&) { return refuse("binary data"); }

  bool number_unsigned(Json::number_unsigned_t value) {
    if (state_ == State::shape) {
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ||
          entry_.shape.size() >= max_dimensions)
        return refuse("a shape beyond what a tensor can have");
      entry_.shape.push_back(static_cast<std::int64_t>(value));
      return true;
    }
    if (state_ == State::offsets) {
      if (offsets_ == 2) return refuse("a third offset");
      (offsets_++ == 0 ? entry_.begin : entry_.end) = value;
      return true;
    }
    return refuse("a number");
  }

  bool string(std::string& value) {
    if (state_ == State::metadata) {
      if (!header.metadata.emplace(member_, std::move(value)).second) return refuse("a repeated key");
      return true;
    }
    if (state_ == State::entry && member_ == "dtype") {
      entry_.dtype = std::move(value);
      return true;
    }
    return refuse("a string");
  }

  bool start_object(std::size_t) {
    if (state_ == State::start) {
      state_ = State::top;
      return true;
    }
    if (state_ != State::top) return refuse("an object");
    state_ = name_ == metadata_key ? State::metadata : State::entry;
    entry_ = {};
    seen_ = 0;
    offsets_ = 0;
    return true;
  }

  bool key(std::string& value) {
    if (state_ == State::top) {
      name_ = std::move(value);
      if (name_ == metadata_key ? std::exchange(has_metadata_, true) : header.entries.contains(name_))
        return refuse("a repeated name");
      return true;
    }
    member_ = std::move(value);
    if (state_ == State::metadata) return true;
    const unsigned bit = member_ == "dtype" ? 1 : member_ == "shape" ? 2 : member_ == "data_offsets" ? 4 : 0;
    if (bit == 0) return refuse("an unknown member '" + printable(member_) + "'");
    if (seen_ & bit) return refuse("a repeated member");
    seen_ |= bit;
    return true;
  }

  bool end_object() {
    if (state_ == State::entry) {
      if (seen_ != 7 || offsets_ != 2) return refuse("no dtype, shape or pair of data_offsets");
      header.entries.emplace(name_, std::move(entry_));
    }
    state_ = State::top;
    return true;
  }

  bool start_array(std::size_t) {
    if (state_ != State::entry || member_ == "dtype") return refuse("an array");
    state_ = member_ == "shape" ? State::shape : State::offsets;
    return true;
  }

  bool end_array() {
    state_ = State::entry;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const Json::exception&) {
    problem = fmt::format("is not valid JSON at byte {}", position);
    return false;
  }

 private:
  enum class State { start, top, metadata, entry, shape, offsets };

  bool refuse(const std::string& what) {
    problem = fmt::format("has {} where '{}' is described", what, printable(name_));
    return false;
  }

  State state_ = State::start;
  std::string name_, member_;
  SafetensorsEntry entry_;
  unsigned seen_ = 0;
  int offsets_ = 0;
  bool has_metadata_ = false;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& where) {
  HeaderReader reader;
  const bool whole = json.starts_with('{') && Json::sax_parse(json, &reader);
  PAIRS_CHECK(whole, "{} is damaged or not a safetensors file: its header {}; restore or make it again", where,
              reader.problem.empty() ? "does not start with '{'" : reader.problem);
  return std::move(reader.header);
}

}  // namespace pairs

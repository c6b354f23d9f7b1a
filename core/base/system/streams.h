#pragma once

#include <string_view>

namespace pairs {

// Opens standard streams that the parent process closed; otherwise the next opened file would take their place and
// receive messages. Writing to such a stdout fails. Call first in main.
void open_standard_streams();

// The prefix of a message that overwrites the cursor's line.
inline constexpr std::string_view kClearLine = "\r\033[K";

// Writes a message to stderr, escaping control characters except for a kClearLine at its start. If stderr is closed,
// full or without a reader, only the message is lost; a slow reader is waited for until a signal requests a stop.
void print(std::string_view text);

// Writes results to stdout, escaping control characters; false if not everything could be written.
bool answer(std::string_view text);

// answer() for a process that is about to end by a signal: drops the text rather than wait for another thread or a slow
// reader.
void answer_at_once(std::string_view text);

}  // namespace pairs

#pragma once

#include <string_view>

namespace pairs {

// Opens standard streams that the parent closed: the next file opened would else take their place, and messages would
// be written into it. Nothing can be written to such a stdout. Call first in main.
void open_standard_streams();

// What a message begins with that takes the place of the line where the cursor stands.
inline constexpr std::string_view kClearLine = "\r\033[K";

// Writes a message to stderr, whose control characters are made visible but for a kClearLine at its start. One that is
// closed, full or has lost its reader loses the message and nothing else; a reader who is behind is waited for until a
// signal asks to stop.
void tell(std::string_view text);

// Writes results to stdout, control characters made visible; false when not all of them could be written.
bool answer(std::string_view text);

// The same for a process that is about to end by a signal: what another thread or a reader who is behind would make
// wait is lost.
void answer_at_once(std::string_view text);

}  // namespace pairs

#pragma once

#include <string_view>

namespace pairs {

// Opens standard streams that the parent closed: the next file opened would else take their place, and messages would
// be written into it. Nothing can be written to such a stdout. Call first in main.
void open_standard_streams();

// Writes a message to stderr. One that is closed, full or has lost its reader loses the message and nothing else; a
// reader who is behind is waited for until a signal asks to stop.
void tell(std::string_view text);

// Writes results to stdout; false when not all of them could be written.
bool answer(std::string_view text);

}  // namespace pairs

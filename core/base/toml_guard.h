#pragma once

#include <string>
#include <string_view>

namespace pairs {

// Throws a usage Error for what toml++ 3.3 would mishandle: keys of more than 16 dotted parts (it bounds the nesting of
// values but not of keys, and tables are destroyed recursively), and characters beyond ASCII outside of strings and
// comments or after a line-ending backslash (its test for white space is undefined on some of them; TOML allows none
// outside), and table names, brackets, quotes and control characters on which it trips its own assertions.
void check_toml_guard(std::string_view text, const std::string& where);

}  // namespace pairs

#pragma once

#include <string>
#include <string_view>

namespace pairs {

// Throws a usage Error for input that toml++ 3.3 would mishandle: keys of more than 16 dotted parts (it bounds the
// nesting of values but not of keys, and destroys tables recursively); characters beyond ASCII outside strings and
// comments or after a line-ending backslash (its test for white space is undefined for some of them; TOML allows none
// outside); and table names, brackets, quotes and control characters that trip its own assertions.
void check_toml_guard(std::string_view text, const std::string& where);

}  // namespace pairs

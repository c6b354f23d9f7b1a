#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gpu/wheel_list.h"

namespace pairs::gpu {

// The address of the package index as pip finds it: `given` if it is not "", else $PIP_INDEX_URL, else index-url in
// pip's settings (only $PIP_CONFIG_FILE if set, or the user's, then the machine's). Throws a usage Error if none is
// configured, and for an invalid address.
std::string index_address(const std::string& given);

// An address fit to be shown: without the name and password in it.
std::string shown_address(std::string_view address);

// The index-url in a file of pip's settings; "" if there is none. Reads the sections global, install and download; the
// last of them has priority.
std::string index_in_settings(std::string_view text);

// A file that a page of the index links to.
struct IndexFile {
  std::string name, address;
  std::string sha256;  // "" if the page does not state it
};

// The links of a project's page (PEP 503) at `address`.
std::vector<IndexFile> files_of_page(std::string_view html, std::string_view address);

// The file of the wheel, found by its hash or, if the page states none, by its name. Throws Error if there is none.
IndexFile find_wheel(const Wheel& wheel, const std::vector<IndexFile>& files, const std::string& shown);

// Looks up a wheel in the index. Throws Error if the index does not respond or lacks it, and Stopped.
IndexFile ask_index(const std::string& index, const Wheel& wheel, const std::function<bool()>& stopped);

}  // namespace pairs::gpu

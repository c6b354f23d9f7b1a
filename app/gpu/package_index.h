#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gpu/wheel_list.h"

namespace pairs::gpu {

// The address of the package index as pip finds it: `given` where it is not "", else $PIP_INDEX_URL, else index-url of
// pip's files of settings ($PIP_CONFIG_FILE alone, or the person's, then the machine's). Throws a usage Error where
// nobody names one, and for what is no address.
std::string index_address(const std::string& given);

// An address as it may be shown: without the name and password in it.
std::string shown_address(std::string_view address);

// index-url of a file of pip's settings; "" where it names none. What the sections global, install and download say
// counts, the last of them most.
std::string index_in_settings(std::string_view text);

// A file that a page of the index links to.
struct IndexFile {
  std::string name, address;
  std::string sha256;  // "" where the page does not tell
};

// The links of a project's page (PEP 503), which stands at `address`.
std::vector<IndexFile> files_of_page(std::string_view html, std::string_view address);

// The file that is one of the wheels, by its hash or, where the page tells none, by its name. Throws Error where there
// is none.
IndexFile find_wheel(const Wheel& wheel, const std::vector<IndexFile>& files, const std::string& shown);

// Asks the index for a wheel. Throws Error where it does not answer or has none, and Stopped.
IndexFile ask_index(const std::string& index, const Wheel& wheel, const std::function<bool()>& stopped);

}  // namespace pairs::gpu

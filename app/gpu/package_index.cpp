#include "app/gpu/package_index.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>

#include "app/gpu/transfer.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::gpu {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestPage = 64 << 20, kLargestSettings = 1 << 20, kLongestLink = 16 << 10;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

std::string trimmed(std::string_view text) {
  const auto space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

// pip's files, in order of priority.
std::vector<fs::path> settings_files() {
  if (const std::string one = variable("PIP_CONFIG_FILE"); !one.empty()) return {one};
  std::vector<fs::path> files;
  const std::string home = variable("HOME");
  if (const std::string own = variable("XDG_CONFIG_HOME"); !own.empty())
    files.push_back(fs::path(own) / "pip" / "pip.conf");
  else if (!home.empty())
    files.push_back(fs::path(home) / ".config" / "pip" / "pip.conf");
  if (!home.empty()) files.push_back(fs::path(home) / ".pip" / "pip.conf");
  files.push_back("/etc/pip.conf");
  files.push_back("/etc/xdg/pip/pip.conf");
  return files;
}

// PEP 503: lower case, and one dash for each run of -, _ and dots.
std::string normalized(std::string_view project) {
  std::string name;
  for (const char c : project) {
    const bool dash = c == '-' || c == '_' || c == '.';
    if (!dash || name.empty() || name.back() != '-')
      name += dash ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

std::string without_entities(std::string text) {
  for (const auto& [entity, plain] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}})
    for (std::size_t at = 0; (at = text.find(entity, at)) != text.npos; at += plain.size())
      text.replace(at, entity.size(), plain);
  return text;
}

// "%2B" -> "+", as in file names.
std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      return at < text.size() && std::isxdigit(static_cast<unsigned char>(text[at])) != 0;
    };
    if (text[i] == '%' && digit(i + 1) && digit(i + 2)) {
      plain += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// The absolute address of a link on the page at `address`.
std::string absolute(std::string_view address, std::string_view link) {
  if (link.find("://") != link.npos) return std::string(link);
  const std::size_t scheme = address.find("://"), host = scheme == address.npos ? 0 : scheme + 3;
  if (link.starts_with("//")) return std::string(address.substr(0, host - 2)) + std::string(link);
  const std::size_t root = std::min(address.find('/', host), address.size());
  if (link.starts_with('/')) return std::string(address.substr(0, root)) + std::string(link);
  const std::string_view page = address.substr(0, address.find_first_of("?#", root));
  const std::size_t folder = page.rfind('/');
  const bool below = folder != page.npos && folder >= root;
  return std::string(below ? page.substr(0, folder + 1) : page) + (below ? "" : "/") + std::string(link);
}

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Reads the attributes of a tag; `rest` starts after its name and is moved past its end. Returns the value of href if
// it is quoted; false if the page ends within the tag.
bool take_href(std::string_view& rest, std::optional<std::string_view>& href) {
  while (!rest.empty()) {
    if (rest.front() == '>') return rest.remove_prefix(1), true;
    if (is_space(rest.front()) || rest.front() == '/' || rest.front() == '=') {
      rest.remove_prefix(1);
      continue;
    }
    std::size_t end = 0;
    while (end < rest.size() && !is_space(rest[end]) && rest[end] != '=' && rest[end] != '>') ++end;
    const std::string_view name = rest.substr(0, end);
    rest.remove_prefix(end);
    while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
    if (rest.empty() || rest.front() != '=') continue;
    rest.remove_prefix(1);
    while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
    if (rest.empty() || (rest.front() != '"' && rest.front() != '\'')) continue;
    const std::size_t close = rest.find(rest.front(), 1);
    if (close == rest.npos) return false;
    if (!href && std::ranges::equal(name, std::string_view("href"), {}, lower)) href = rest.substr(1, close - 1);
    rest.remove_prefix(close + 1);
  }
  return false;
}

// The addresses of a page's anchors, in linear time.
std::vector<std::string_view> links_of(std::string_view html) {
  std::vector<std::string_view> links;
  for (std::size_t at = html.find('<'); at != html.npos; at = html.find('<')) {
    html.remove_prefix(at + 1);
    if (html.size() < 2 || lower(html[0]) != 'a' || !is_space(html[1])) continue;
    html.remove_prefix(2);
    std::optional<std::string_view> href;
    if (!take_href(html, href)) break;
    if (href && href->size() <= kLongestLink) links.push_back(*href);
  }
  return links;
}

}  // namespace

std::string shown_address(std::string_view address) {
  const std::size_t scheme = address.find("://");
  if (scheme == address.npos) return printable(address, 200);
  const std::size_t host = scheme + 3, end = std::min(address.find('/', host), address.size());
  const std::size_t at = address.substr(0, end).rfind('@');
  const std::string_view rest = at == address.npos || at < host ? address.substr(host) : address.substr(at + 1);
  return printable(std::string(address.substr(0, host)) + std::string(rest), 200);
}

std::string index_in_settings(std::string_view text) {
  std::map<std::string, std::string> found;
  std::string section;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::string words = trimmed(line);
    if (words.empty() || words[0] == '#' || words[0] == ';') continue;
    if (words[0] == '[') {
      section = trimmed(words.substr(1, words.find(']') - 1));
      continue;
    }
    const std::size_t equals = words.find_first_of("=:");
    if (equals == words.npos || std::isspace(static_cast<unsigned char>(line[0]))) continue;
    std::string key = trimmed(words.substr(0, equals));
    std::ranges::replace(key, '_', '-');
    if (key == "index-url") found[section] = trimmed(words.substr(equals + 1));
  }
  for (const char* const one : {"download", "install", "global"})
    if (!found[one].empty()) return found[one];
  return "";
}

std::string index_address(const std::string& given) {
  std::string address = given.empty() ? variable("PIP_INDEX_URL") : given;
  for (const fs::path& file : settings_files()) {
    std::error_code error;
    if (address.empty() && fs::is_regular_file(file, error))
      address = index_in_settings(read_file(file, kLargestSettings));
  }
  address = trimmed(address);
  if (address.empty())
    fail_usage(
        "no Python package index is named, from which the libraries are fetched: give the address of its simple index "
        "with --index, in PIP_INDEX_URL, or as index-url in pip.conf");
  if (!address.starts_with("https://") && !address.starts_with("http://"))
    fail_usage("{} is not the address of a package index; it begins with https:// or http://", shown_address(address));
  while (address.ends_with('/')) address.pop_back();
  return address;
}

std::vector<IndexFile> files_of_page(std::string_view html, std::string_view address) {
  std::vector<IndexFile> files;
  for (const std::string_view href : links_of(html)) {
    const std::string link = without_entities(std::string(href));
    const std::size_t mark = link.find('#');
    const std::string target = link.substr(0, mark);
    const std::string path = target.substr(0, target.find('?'));
    constexpr std::string_view kHash = "#sha256=";
    IndexFile file;
    file.name = without_escapes(path.substr(path.rfind('/') + 1));
    file.address = absolute(address, target);
    if (mark != link.npos && link.compare(mark, kHash.size(), kHash) == 0)
      file.sha256 = link.substr(mark + kHash.size());
    files.push_back(std::move(file));
  }
  return files;
}

IndexFile find_wheel(const Wheel& wheel, const std::vector<IndexFile>& files, const std::string& shown) {
  for (const IndexFile& file : files)
    if (std::ranges::find(wheel.hashes, file.sha256) != wheel.hashes.end()) return file;
  // project-version-python-abi-platform.whl, where dashes of the project are underscores.
  for (const IndexFile& file : files) {
    const std::size_t version = file.name.find('-');
    if (!file.sha256.empty() || version == file.name.npos || !file.name.ends_with("x86_64.whl")) continue;
    if (normalized(file.name.substr(0, version)) == normalized(wheel.project) &&
        file.name.compare(version, wheel.version.size() + 2, "-" + wheel.version + "-") == 0 &&
        (file.name.find("-py3-") != file.name.npos || file.name.find("-cp311-cp311-") != file.name.npos))
      return file;
  }
  fail("{} has no wheel of {} {} with the pinned hash; name another index with --index", shown, wheel.project,
       wheel.version);
}

IndexFile ask_index(const std::string& index, const Wheel& wheel, const std::function<bool()>& stopped) {
  const std::string page = index + "/" + normalized(wheel.project) + "/", shown = shown_address(index);
  std::string html;
  Transfer asked;
  asked.address = page;
  asked.accept = "application/vnd.pypi.simple.v1+html, text/html;q=0.5";
  asked.receives = [&](std::string_view bytes) {
    html += bytes;
    PAIRS_CHECK(html.size() <= kLargestPage, "{} does not answer as a package index; name another with --index", shown);
  };
  asked.stopped = stopped;
  const TransferEnd end = transfer(asked);
  PAIRS_CHECK(end.problem.empty(),
              "{} cannot be asked for {} ({}); check the network, or name another index with --index", shown,
              wheel.project, printable(end.problem, 300));
  return find_wheel(wheel, files_of_page(html, end.address), shown);
}

}  // namespace pairs::gpu

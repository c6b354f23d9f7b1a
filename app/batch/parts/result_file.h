#pragma once

#include <filesystem>
#include <string>

namespace CLI {
class App;
}

namespace pairs::batch {

// How a command writes a result file.
struct ResultUse {
  // The origin of the file, in words: run and set. A file whose name the command chose may only be replaced by the
  // same.
  std::string made;
  bool named = true;       // by the user, with `option`
  bool overwrite = false;  // --overwrite
  const char* option = "--out";
};

// A file that a command writes. An existing file is replaced only if this program wrote it and it has not changed
// since, according to the record in the folder of caches.
class ResultFile {
 public:
  // Throws a usage Error if the existing file has another origin.
  ResultFile(std::filesystem::path file, ResultUse use);
  // Call after writing: records the file.
  void written() const;

 private:
  std::filesystem::path file_;
  ResultUse use_;
};

void add_overwrite_option(CLI::App& app, bool& overwrite);

}  // namespace pairs::batch

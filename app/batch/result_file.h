#pragma once

#include <filesystem>
#include <string>

namespace CLI {
class App;
}

namespace pairs::batch {

// How a command was asked to write a result file.
struct ResultUse {
  // What makes the file, in words: run and set. A file whose name the command chose is replaced for the same alone.
  std::string made;
  bool named = true;       // by a person, with `option`
  bool overwrite = false;  // --overwrite
  const char* option = "--out";
};

// A file that a command writes. One that is there already is replaced only where this program wrote it, and nobody has
// changed it since: what it wrote is remembered in the folder of caches.
class ResultFile {
 public:
  // Throws a usage Error where something else made the file that is there.
  ResultFile(std::filesystem::path file, ResultUse use);
  // The file is written: it is remembered.
  void written() const;

 private:
  std::filesystem::path file_;
  ResultUse use_;
};

void add_overwrite_option(CLI::App& app, bool& overwrite);

}  // namespace pairs::batch

#pragma once

#include <filesystem>
#include <string>

namespace pairs::model {

struct ViewerState;
enum class ViewerExport;

// What the viewer writes, in the background and through a temporary file, one export at a time.
class ViewerExports {
 public:
  explicit ViewerExports(ViewerState& state) : state_(state) {}

  // Why it cannot start, a sentence, or "".
  std::string blocked(ViewerExport kind) const;
  void start(ViewerExport kind, const std::filesystem::path& file);
  void cancel();
  bool busy() const;
  double share() const;                // 0 to 1
  const std::string& failure() const;  // of the last export: a sentence or ""
  // The file of the last successful export, returned once; else empty.
  std::filesystem::path take_written();

 private:
  ViewerState& state_;
};

}  // namespace pairs::model

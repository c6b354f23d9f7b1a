#include <gmock/gmock.h>

#include "app/gui/widgets/ui_parts.h"
#include "tests/app/gui/widgets/file_screen.h"

namespace pairs::gui {
namespace {

class LinesTest : public FileScreen {
 protected:
  void draw() override {
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({900, 600});
    ImGui::Begin("panel", nullptr, ImGuiWindowFlags_NoDecoration);
    for (float width = 60; width < 400; width += 7) {
      const std::string lines = ui::lines_of(kText, ImGui::GetFont(), width);
      broken_.push_back(lines);
      for (std::size_t from = 0; from < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', from), lines.size());
        const std::string line = lines.substr(from, end - from);
        if (line.find(' ') != line.npos) {
          EXPECT_LE(ImGui::CalcTextSize(line.c_str()).x, width + 1) << line;
        }
        from = end + 1;
      }
    }
    ImGui::End();
  }

  static constexpr const char* kText =
      "3,761 of 4,000 draws count: 0.3982 ± 0.077 (0.2722 to 0.5265).\n  The data are 1.71 times as probable; a-b.";
  std::vector<std::string> broken_;
};

TEST_F(LinesTest, BreakAtBlanksAloneAndNeverWithinANumber) {
  frames();
  ASSERT_FALSE(broken_.empty());
  for (std::string lines : broken_) {
    // Nothing but blanks becomes a line's end.
    std::string whole = kText;
    std::ranges::replace(whole, '\n', ' ');
    std::ranges::replace(lines, '\n', ' ');
    EXPECT_EQ(lines, whole);
  }
  EXPECT_THAT(broken_.front(), testing::HasSubstr("\n  The")) << "an indented line stays one";
  EXPECT_GT(std::ranges::count(broken_.front(), '\n'), std::ranges::count(broken_.back(), '\n'));
}

}  // namespace
}  // namespace pairs::gui

#include "app/gui/widgets/ui.h"
#include "tests/app/gui/widgets/file_screen.h"

namespace pairs::gui {
namespace {

class NoticesTest : public FileScreen {
 protected:
  void draw() override {
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({900, 600});
    ImGui::Begin("panel", nullptr, ImGuiWindowFlags_NoDecoration);
    ui::empty_state("Nothing here yet", sentence_);
    ImGui::End();
  }
  float middle_of(const std::string& text) const {
    for (const Item& item : recorder().items())
      if (item.kind == ItemKind::text && item.text == text) return (item.min.x + item.max.x) / 2;
    ADD_FAILURE() << "nothing says " << text;
    return 0;
  }
  std::string sentence_;
};

TEST_F(NoticesTest, AnEmptyStateStandsInTheMiddleHoweverShortItsSentence) {
  for (const char* sentence : {"Soon.", "Train a run first, and its posterior stands here."}) {
    sentence_ = sentence;
    frames();
    EXPECT_NEAR(middle_of(sentence), 450, 2);
    EXPECT_NEAR(middle_of("Nothing here yet"), 450, 2);
  }
}

}  // namespace
}  // namespace pairs::gui

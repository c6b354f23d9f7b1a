#include "app/gui/widgets/data_banner.h"

#include <gmock/gmock.h>

#include "app/gui/platform/theme.h"
#include "tests/app/gui/driver.h"
#include "tests/app/model/environment.h"
#include "tests/tasks/digits/tiny_mnist.h"
#include "tests/training/shipped_folder.h"

namespace pairs::gui {
namespace {

using testing::HasSubstr;

// Shipped digits that know MNIST alone, without MNIST: the badge is amber, and every tab that uses the weights shows a
// note and offers to select the folder, which is then used at once and remembered.
TEST(DataBanner, OffersTheDataThatTheWeightsLearnedFrom) {
  TemporaryFolder folder;
  const auto assets = folder / "assets", mnist = folder / "mnist", empty = folder / "empty";
  make_assets(assets);
  write_tiny_mnist(mnist);
  std::filesystem::create_directories(empty);
  const model::Environment shipped("PAIRS_ASSETS", assets.string()), no_data("PAIRS_DATA", "");
  ship_digits(assets, "digits", mnist.string());
  Driver window(settings_in(folder.path(), "digits", "task"));
  ASSERT_TRUE(window.until([&] { return window.studio.library.listed(); }));
  ASSERT_TRUE(window.rest(60));
  EXPECT_EQ(window.studio.library.task("digits")->badge, model::Badge::other_data);
  EXPECT_EQ(window.item("sidebar/task/digits/badge").ink, palette().warning);
  for (const model::Tab tab : {model::Tab::task, model::Tab::posterior, model::Tab::evaluate}) {
    window.studio.set_tab(tab);
    window.frames(4);
    EXPECT_THAT(window.item("data/differs").text, HasSubstr("was trained on")) << model::entry(tab).name;
    EXPECT_EQ(window.item("data/differs/button").text, "Use a folder of MNIST…");
    EXPECT_EQ(window.find("evaluate/warning"), nullptr) << "said once";
    EXPECT_EQ(window.find("posterior/warning0"), nullptr) << "said once";
  }
  window.studio.set_tab(model::Tab::train);
  window.frames(2);
  EXPECT_EQ(window.find("data/differs"), nullptr);
  window.studio.set_tab(model::Tab::posterior);
  window.frames(2);
  window.click("data/differs/button");
  window.type("data/folder/path", empty.string());
  ASSERT_TRUE(window.until([&] { return !window.studio.data.busy() && !window.studio.data.problem().empty(); }));
  window.frames(3);
  EXPECT_NE(window.find("data/folder/path"), nullptr) << "what is wrong is said in the dialog";
  EXPECT_EQ(window.studio.hub.data_folder, "");
  window.type("data/folder/path", mnist.string());
  ASSERT_TRUE(window.until([&] { return window.studio.hub.data_folder == mnist; }));
  ASSERT_TRUE(window.until([&] { return window.studio.library.task("digits")->badge == model::Badge::ready; }));
  ASSERT_TRUE(window.rest(60));
  window.frames(3);
  EXPECT_EQ(window.find("data/folder/path"), nullptr);
  EXPECT_EQ(window.find("data/differs"), nullptr);
  EXPECT_EQ(window.studio.settings.data_folder, mnist.string());
  ASSERT_NE(window.studio.posterior.scene(), nullptr);
  EXPECT_THAT(window.studio.posterior.scene()->set_source, testing::Not(HasSubstr("generated")));

  window.studio.set_tab(model::Tab::task);
  window.frames(3);
  window.click("data/none");
  ASSERT_TRUE(window.until([&] { return window.studio.hub.data_folder.empty(); }));
  EXPECT_TRUE(window.until([&] { return window.find("data/differs") != nullptr; }));
}

}  // namespace
}  // namespace pairs::gui

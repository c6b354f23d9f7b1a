// While N or an unknown is dragged nothing moves but what is in the plots.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "tasks/registry.h"
#include "tests/app/gui/driver.h"
#include "tests/long_tests.h"

namespace pairs::gui {
namespace {

// Texts keep their left or their right end; what has a name, its rectangle.
struct Places {
  std::map<std::string, std::pair<ImVec2, ImVec2>> named;
  std::vector<Item> texts;
};

Places places() {
  Places all;
  for (const Item& item : recorder().items()) {
    // Pictures keep their proportions, whatever their number; the strip of views follows N.
    const bool pictures = item.name.starts_with("posterior/observed/") || item.name.starts_with("posterior/check/") ||
                          item.name.starts_with("viewer/view");
    // Beside a heading, where nothing else stands.
    const bool note = item.text.starts_with("Computing N = ");
    if (item.layer > 0 || item.plotted || pictures || note) continue;
    if (!item.name.empty() && item.kind != ItemKind::text)
      all.named[item.name] = {item.min, item.max};
    else if (!item.text.empty())
      all.texts.push_back(item);
  }
  return all;
}

bool same(float a, float b, float slack = 0) {
  return std::fabs(a - b) < 0.75f + slack;
}

bool is_plot(const std::string& name) {
  const Item* item = recorder().find(name);
  return item && item->kind == ItemKind::plot;
}

std::vector<std::string> moved(const Places& before, const Places& now) {
  std::vector<std::string> all;
  const auto print = [](ImVec2 a, ImVec2 b) { return fmt::format("({}, {})–({}, {})", a.x, a.y, b.x, b.y); };
  for (const auto& [name, was] : before.named) {
    const auto found = now.named.find(name);
    if (found == now.named.end()) {
      all.push_back(name + " is gone");
      continue;
    }
    const auto& is = found->second;
    // A plot's labels may become wider by a digit or two, and the plot gives way.
    const float slack = name.find("/legend/") != std::string::npos || is_plot(name) ? 16 * scale() : 0;
    if (!same(was.first.x, is.first.x, slack) || !same(was.first.y, is.first.y) ||
        !same(was.second.x, is.second.x, slack) || !same(was.second.y, is.second.y))
      all.push_back(fmt::format("{}: {} is at {}", name, print(was.first, was.second), print(is.first, is.second)));
  }
  for (const auto& [name, is] : now.named)
    if (!before.named.contains(name)) all.push_back(name + " is new");
  const auto stands = [](const Item& text, const std::vector<Item>& among) {
    return std::any_of(among.begin(), among.end(), [&](const Item& other) {
      return same(other.min.y, text.min.y) && (same(other.min.x, text.min.x) || same(other.max.x, text.max.x));
    });
  };
  // A text that comes where nothing was, while all others stay, moves nothing.
  const bool all_stay =
      std::all_of(before.texts.begin(), before.texts.end(), [&](const Item& was) { return stands(was, now.texts); });
  for (const Item& is : now.texts) {
    if (!all_stay && !stands(is, before.texts))
      all.push_back(fmt::format("“{}” at {}", is.text.substr(0, 60), print(is.min, is.max)));
  }
  return all;
}

TEST(Stillness, MovesAreSeen) {
  Places before, now;
  before.named["slider"] = {{10, 10}, {110, 30}};
  Item text;
  text.text = "0.5";
  text.min = {80, 40};
  text.max = {100, 50};
  before.texts = {text};
  now = before;
  EXPECT_TRUE(moved(before, now).empty());
  now.texts[0].text = "0.512";
  now.texts[0].min.x = 70;
  EXPECT_TRUE(moved(before, now).empty()) << "it keeps its right end";
  now.texts[0].max.x = 99;
  EXPECT_EQ(moved(before, now).size(), 1u);
  now = before;
  now.texts[0].min.y += 1;
  now.named["slider"].second.x += 1;
  EXPECT_EQ(moved(before, now).size(), 2u);
  now = before;
  now.named.clear();
  EXPECT_EQ(moved(before, now).size(), 1u);
}

class StillnessTest : public ::testing::TestWithParam<std::string> {
 protected:
  // Drags a slider over its range; complains of all that moves, while the answer is worked out and after it.
  void drag(Driver& d, const std::string& name, double first, double last, int steps) {
    const auto at = [&](double share) {
      const Item i = d.item(name);
      return ImVec2{static_cast<float>(i.min.x + share * (i.max.x - i.min.x)), (i.min.y + i.max.y) / 2};
    };
    d.move(at(first));
    d.screen.input.button(0, true);
    d.frames(2);
    ASSERT_TRUE(d.rest(240));
    d.frames(3);
    const Places before = places();
    ASSERT_GT(before.named.size(), 10u);
    std::map<std::string, int> complaints;
    const auto compare = [&] {
      for (const std::string& one : moved(before, places())) ++complaints[one];
    };
    for (int k = 1; k <= steps; ++k) {
      d.move(at(first + (last - first) * k / steps));
      compare();
      ASSERT_TRUE(d.rest(240)) << name << " " << k;
      d.frames(2);
      compare();
    }
    d.screen.input.button(0, false);
    d.frames(2);
    for (const auto& [complaint, times] : complaints) ADD_FAILURE() << name << ", " << times << " times: " << complaint;
  }

  TemporaryFolder folder_;
};

TEST_P(StillnessTest, NothingMovesButThePlots) {
  for (const auto& [width, height, scale] : {std::tuple{1440.f, 900.f, 1.f}, {1920.f, 1080.f, 2.f}}) {
    if (scale > 1 && GetParam() != "bump-hunt" && !long_tests()) continue;  // the arrangement is that of every task
    Driver d(settings_in(folder_.path(), GetParam()), width, height, scale);
    d.studio.viewer.set_samples(1);
    ASSERT_TRUE(d.rest(240));
    const bool viewing = &d.studio.posterior_page() == &d.studio.viewer;
    drag(d, viewing ? "viewer/n" : "posterior/n", 0.02, 0.98,
         long_tests()                             ? 10
         : scale > 1 || GetParam() != "bump-hunt" ? 3
                                                  : 6);
    if (viewing || scale > 1) continue;
    int dragged = 0;
    const auto scene = d.studio.posterior.scene();
    for (const auto& parameter : scene->parameters) {
      const std::string name = "posterior/" + parameter.name;
      if (!d.find(name) || ++dragged > 2) continue;
      d.show(name);
      drag(d, name, 0.1, 0.9, long_tests() ? 5 : GetParam() == "bump-hunt" ? 3 : 2);
    }
    EXPECT_GT(dragged, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Tasks, StillnessTest, ::testing::ValuesIn(tasks_by_kind()), [](const auto& one) {
  std::string name = one.param;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace pairs::gui

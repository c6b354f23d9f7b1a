#include "app/gui/command_palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "app/gui/platform/input.h"
#include "app/gui/widgets/ui.h"

namespace pairs::gui {
namespace {

constexpr int kShown = 10;

// The letters of `query` in order, searched from `at` on.
std::optional<int> distance_from(std::size_t at, const std::string& title, const std::string& query) {
  int cost = 0;
  std::size_t last = std::string::npos;
  for (const char wanted : query) {
    if (wanted == ' ') continue;
    const auto same = [&](char c) {
      return std::tolower(static_cast<unsigned char>(c)) == std::tolower(static_cast<unsigned char>(wanted));
    };
    std::size_t found = at;
    while (found < title.size() && !same(title[found])) ++found;
    if (found == title.size()) return {};
    const bool start = found == 0 || !std::isalnum(static_cast<unsigned char>(title[found - 1]));
    const bool next = last != std::string::npos && found == last + 1;
    cost += next ? 0 : start ? 1 : 3 + static_cast<int>(found - at);
    last = found;
    at = found + 1;
  }
  return cost;
}

// A score, lower is better; none if a letter is missing. Letters at the beginnings of words and adjacent letters count.
std::optional<int> distance(const std::string& title, const std::string& query) {
  std::optional<int> best;
  for (std::size_t at = 0; at < title.size(); ++at) {
    const auto cost = distance_from(at, title, query);
    if (!cost) break;
    if (!best || *cost < *best) best = cost;
  }
  return best;
}

bool pressed(int code) {
  return ImGui::IsKeyPressed(code, true);
}

}  // namespace

std::vector<const Command*> matching(const std::vector<Command>& commands, const std::string& query) {
  std::vector<std::pair<int, const Command*>> found;
  for (const Command& command : commands)
    if (const auto cost = distance(command.title, query)) found.emplace_back(*cost, &command);
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Command*> out;
  for (const auto& [cost, command] : found) out.push_back(command);
  return out;
}

void CommandPalette::draw(const std::vector<Command>& commands) {
  if (!open_ || !ui::begin_dialog("palette", "", open_, 560)) return;
  if (fresh_) ImGui::SetKeyboardFocusHere();
  fresh_ = false;
  const std::string before = query_;
  ui::input("palette/query", query_, "What do you want to do?");
  if (query_ != before) chosen_ = 0;
  const std::vector<const Command*> found = matching(commands, query_);
  const int count = static_cast<int>(found.size());
  if (pressed(key::down)) chosen_ = std::min(chosen_ + 1, count - 1);
  if (pressed(key::up)) chosen_ = std::max(chosen_ - 1, 0);
  chosen_ = std::clamp(chosen_, 0, std::max(0, count - 1));
  const Command* run = nullptr;
  if ((pressed(key::enter) || pressed(key::keypad_enter)) && count > 0) run = found[static_cast<std::size_t>(chosen_)];
  if (count == 0) ui::text("No match; try other letters.", ui::Look::muted);
  const int first = std::max(0, chosen_ - kShown + 1);
  for (int i = first; i < std::min(count, first + kShown); ++i) {
    const Command& command = *found[static_cast<std::size_t>(i)];
    ImVec2 min, max;
    if (ui::row("palette/" + command.name, i == chosen_, px(32), min, max, command.blocked)) run = &command;
    const float y = min.y + (max.y - min.y - ui::text_size(command.title).y) / 2;
    const float keys = command.keys.empty() ? 0 : ui::text_size(command.keys, ui::Look::small_muted).x + px(16);
    ui::text_at({min.x + px(12), y}, command.title, command.blocked.empty() ? ui::Look::body : ui::Look::muted,
                max.x - min.x - px(24) - keys);
    if (keys > 0) ui::text_at({max.x - keys + px(4), y + px(1)}, command.keys, ui::Look::small_muted);
  }
  if (run && run->blocked.empty()) {
    open_ = false;
    ImGui::CloseCurrentPopup();
  }
  ui::end_dialog();
  if (run && run->blocked.empty()) run->run();
}

}  // namespace pairs::gui

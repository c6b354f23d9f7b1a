#include "app/gui/train/queue_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/gui/widgets/ui.h"
#include "core/report/number_text.h"

namespace pairs::gui {
namespace {

constexpr float kQueueRow = 30, kTime = 100;
constexpr std::size_t kMostItems = 6;  // visible without scrolling

std::string state_of(const QueueItem& item, const QueueProgress& progress) {
  if (item.state == QueueState::failed) return "failed: " + item.reason;
  if (!item.in_use.empty()) return fmt::format("waiting; in use by {}", item.in_use);
  const std::string word = item.state == QueueState::working ? "training" : "waiting";
  return progress.text.empty() ? word : fmt::format("{}, {}", word, progress.text);
}

// The index of the first item that can be moved: the current one stays in place.
std::size_t first_movable(const QueueView& view) {
  return !view.items.empty() && view.items.front().state == QueueState::working ? 1 : 0;
}

}  // namespace

void QueuePanel::head(model::RunQueue& queue, const model::QueueShown& shown) {
  if (queue.going()) {
    if (ui::button("queue/pause", "Pause all", ui::Button::normal, "", "Saves what is begun, and begins nothing more"))
      queue.pause();
  } else if (ui::button("queue/go-on", "Resume", ui::Button::normal, shown.view.left() == 0 ? "Nothing waits" : "",
                        "Trains what waits, one after the other, from where it was saved")) {
    queue.go_on();
  }
  ImGui::SameLine(0, px(8));
  ImGui::AlignTextToFramePadding();
  ui::text("Queue: " + queue.line(), ui::Look::strong);
  ui::tip(shown.left.measured ? "Estimates of what waits are scaled by the current speed"
                              : "For a machine that does nothing else");
  // Shows the switch next to the state of the queue, or below it if the line has no room.
  constexpr const char* kKeep = "Keep training when the window is closed";
  ImGui::SameLine(0, px(16));
  if (ImGui::GetContentRegionAvail().x < ui::text_size(kKeep).x + 2 * ImGui::GetFrameHeight()) ImGui::NewLine();
  ui::toggle("queue/keep", kKeep, queue.keep,
             "A process without a window continues the queue; the next start finds it. Otherwise closing saves what "
             "is begun.");
}

void QueuePanel::row(model::RunQueue& queue, const model::QueueShown& shown, std::size_t at) {
  const QueueItem& item = shown.view.items[at];
  const QueueProgress& progress = shown.progress[at];
  const std::string base = "queue/" + item.name();
  const bool failed = item.state == QueueState::failed;
  const std::size_t first = first_movable(shown.view), count = shown.view.items.size();
  ImVec2 min, max;
  ui::row(base, dragged_ == item.id, px(kQueueRow), min, max,
          item.title() + "\n" + item.folder.string() + "\nDrag it to another place");
  if (at >= first && ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) dragged_ = item.id;
  ImGui::SetItemAllowOverlap();
  const ImVec2 next = ImGui::GetCursorPos();
  const float gap = px(4), text_y = min.y + (max.y - min.y - ui::text_size("X").y) / 2;
  const float button_y = min.y + (max.y - min.y - ImGui::GetFrameHeight()) / 2;
  // From the right: buttons, the time, the state; the name gets the rest.
  float right = max.x;
  const auto place = [&](const char* label) {
    right -= ui::button_width(label) + gap;
    ImGui::SetCursorScreenPos({right, button_y});
  };
  place("Remove");
  if (ui::button(base + "/remove", "Remove", ui::Button::quiet, "",
                 item.state == QueueState::working ? "Saves it and removes it from the queue; the run stays"
                                                   : "Removes it from the queue; the run stays"))
    queue.remove(item.id);
  if (failed) {
    place("Try again");
    if (ui::button(base + "/retry", "Try again", ui::Button::quiet)) queue.retry(item.id);
  } else {
    const char* at_work = at < first ? "It is in progress" : "";
    place("↓");
    if (ui::button(base + "/down", "↓", ui::Button::quiet, at + 1 == count ? "It is the last" : at_work, "Later"))
      queue.move(item.id, at + 1);
    place("↑");
    if (ui::button(base + "/up", "↑", ui::Button::quiet, at == first ? "It is the next" : at_work, "Sooner"))
      queue.move(item.id, at - 1);
  }
  const std::string time = failed ? "" : duration_text(progress.left);
  ui::text_at({right - px(8) - ui::text_size(time).x, text_y}, time, ui::Look::muted);
  right -= failed ? px(8) : px(kTime);
  const float room = right - px(8) - min.x, name_room = std::floor(room * (failed ? 0.3f : 0.55f));
  std::vector<std::string> others;
  for (const QueueItem& other : shown.view.items) others.push_back(other.title());
  ui::name_at({min.x + px(8), text_y}, item.title(), others, ui::Look::body, name_room - px(16), base + "/name");
  ui::text_at({min.x + name_room, text_y}, state_of(item, progress), failed ? ui::Look::bad : ui::Look::muted,
              room - name_room, true, base + "/state");
  ImGui::SetCursorPos(next);
}

// Shows the target of the dragged item, and moves it there when it is released.
void QueuePanel::drop(model::RunQueue& queue, const model::QueueShown& shown, float top) {
  if (dragged_.empty()) return;
  const float step = px(kQueueRow) + ImGui::GetStyle().ItemSpacing.y;
  const auto count = static_cast<float>(shown.view.items.size());
  const float row = std::floor((ImGui::GetMousePos().y - top) / step);
  const float place = std::clamp(row, static_cast<float>(first_movable(shown.view)), count - 1);
  const ImVec2 left = {ImGui::GetWindowPos().x, top + place * step};
  ImGui::GetWindowDrawList()->AddRect(left, {left.x + ImGui::GetWindowSize().x, left.y + px(kQueueRow)},
                                      palette().accent, px(6));
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  queue.move(dragged_, static_cast<std::size_t>(place));
  dragged_.clear();
}

void QueuePanel::draw(model::RunQueue& queue) {
  const auto shown = queue.shown();
  if (!shown || shown->view.items.empty()) {
    dragged_.clear();
    return;
  }
  ui::space(4);
  head(queue, *shown);
  const std::size_t rows = std::min(shown->view.items.size(), kMostItems);
  const float high = static_cast<float>(rows) * (px(kQueueRow) + ImGui::GetStyle().ItemSpacing.y);
  ImGui::BeginChild("queue/rows", {0, high}, false);
  const float top = ImGui::GetCursorScreenPos().y;
  for (std::size_t k = 0; k < shown->view.items.size(); ++k) row(queue, *shown, k);
  drop(queue, *shown, top);
  ImGui::EndChild();
}

}  // namespace pairs::gui

#include "app/gui/task/task_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/gui/widgets/data_banner.h"
#include "app/gui/widgets/ui.h"
#include "core/report/ticks.h"

namespace pairs::gui {
namespace {

constexpr float kTaskGap = 24, kPlotLeast = 280, kArrow = 20, kBoxPad = 10;
constexpr float kTurn = 0.01f;  // radians a pixel at scale 1

std::string flops_text(double flops) {
  const char* const kUnits[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP"};
  std::size_t unit = 0;
  for (; flops >= 1000 && unit + 1 < std::size(kUnits); ++unit) flops /= 1000;
  return fmt::format("{} {}", chart::grouped_number(flops, flops < 10 && unit > 0 ? 1 : 0), kUnits[unit]);
}

std::string count_of(double value) {
  return chart::grouped_number(value, 0);
}

std::string format_of(const model::Parameter& parameter) {
  if (parameter.whole) return "%.0f";
  return parameter.unit.empty() ? "%.2f" : "%.2f " + parameter.unit;
}

struct Block {
  const char *title, *role;
};
constexpr Block kTheta{"θ", "the target: what is inferred"}, kPsi{"ψ", "nuisances: unknown too, shared by the set"},
    kNoPsi{"ψ", "nuisances"}, kX{"x", "an observation: what is seen, N times"};

// The names of what is drawn from the prior, joined by `between`.
std::string unknowns(const model::TaskCard& card, const char* between = " and ") {
  return card.psi.empty() ? "θ" : fmt::format("θ{}ψ", between);
}

void headline(const Block& block, const std::string& sentence, float width) {
  const float title = ui::text_size(block.title, ui::Look::title).x + px(10);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float drop = (ui::text_size(block.title, ui::Look::title).y - ui::text_size("X", ui::Look::small).y) * 0.62f;
  ui::text_at(at, block.title, ui::Look::title);
  ui::text_at({at.x + title, at.y + drop}, block.role, ui::Look::small_muted, width - title);
  ImGui::Dummy({width, ui::text_size(block.title, ui::Look::title).y - px(4)});
  ui::wrapped(sentence, ui::Look::body, width);
}

// Sliders in `columns` columns; returns the index of the one that was moved, or -1, with its new value.
int sliders(const std::vector<model::Parameter>& parameters, const std::vector<double>& values, int columns,
            float width, double& moved) {
  float widest_label = 0, widest_title = 0;
  for (const model::Parameter& one : parameters) {
    widest_label = std::max(widest_label, ui::text_size(one.label, ui::Look::muted).x);
    widest_title = std::max(widest_title, ui::text_size(one.title, ui::Look::muted).x);
  }
  // Their meanings are next to them if there is space.
  const bool titled = width / static_cast<float>(columns) - widest_title >= px(150);
  if (titled) widest_label = widest_title;
  // Long names leave no space for a second slider.
  if (width / static_cast<float>(columns) - widest_label < px(110)) columns = 1;
  const float gap = px(16), cell = (width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  // An odd number of sliders puts the first on its own line.
  const int alone = columns > 1 && static_cast<int>(parameters.size()) % columns == 1 ? 1 : 0;
  const auto text_of = [&](std::size_t i) {
    return titled || static_cast<int>(i) < alone ? parameters[i].title : parameters[i].label;
  };
  float first_label = 0, label = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    float& widest = static_cast<int>(i) < alone ? first_label : label;
    widest = std::max(widest, ui::text_size(text_of(i), ui::Look::muted).x + px(12));
  }
  int index = -1;
  const float left = ImGui::GetCursorScreenPos().x;
  float y = ImGui::GetCursorScreenPos().y;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const model::Parameter& one = parameters[i];
    const int place = static_cast<int>(i) - alone, column = std::max(place, 0) % columns;
    const bool whole = place < 0;
    const float name = whole ? first_label : label;
    const float x = left + static_cast<float>(column) * (cell + gap);
    ui::text_at({x, y + ImGui::GetStyle().FramePadding.y}, text_of(i), ui::Look::muted, name);
    ImGui::SetCursorScreenPos({x + name, y});
    double value = values[i];
    const std::string tip =
        fmt::format("{}{}{}: drag, or Ctrl and click to type", one.title, one.prior.empty() ? "" : ", ", one.prior);
    if (ui::slider(fmt::format("task/{}", one.name), value, one.low, one.high, format_of(one).c_str(), tip,
                   (whole ? width : cell) - name)) {
      index = static_cast<int>(i);
      moved = value;
    }
    if (whole || column == columns - 1) y = ImGui::GetItemRectMax().y + px(4);
  }
  ImGui::SetCursorScreenPos({left, ImGui::GetItemRectMax().y + ImGui::GetStyle().ItemSpacing.y});
  return index;
}

}  // namespace

void TaskPanel::draw(model::Specimen& specimen, const model::Hub& hub, model::DataFolder& data, model::Navigation& go,
                     const std::string& task) {
  if (task_ != task) {
    task_ = task;
    plot_.reset();
  }
  if (std::exchange(again_, false)) go.reopen_task();
  if (!specimen.failure().empty()) {
    ui::empty_state("This task cannot be shown", specimen.failure(), true);
    if (ui::button("task/again", "Try again", ui::Button::primary)) go.reopen_task();
    if (!hub.data_folder.empty()) {
      ImGui::SameLine();
      if (ui::button("task/settings", "Real data in the settings", ui::Button::normal, {},
                     "Which folder is used, what was found there and what is missing"))
        go.open_settings(model::SettingsSection::data);
    }
    return;
  }
  const model::TaskCard* card = specimen.card();
  if (!card) {
    ui::working_state("Getting the task ready …");
    return;
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 start = ImGui::GetCursorScreenPos();
  ui::text(card->title, ui::Look::title);
  ui::wrapped(card->summary, ui::Look::muted);
  ui::space(12);

  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float left = std::clamp(room.x * 0.36f, px(280), px(420)), right = room.x - left - px(kTaskGap);
  ImGui::BeginGroup();
  parameters(specimen, left);
  offer_data(hub, data, go, task);
  ImGui::EndGroup();
  parameters_height_ = ImGui::GetItemRectSize().y;
  ImGui::SetCursorScreenPos({top.x + left + px(kTaskGap), top.y});
  ImGui::BeginGroup();
  sample(specimen, right, room.y - (top.y - start.y) - network_height_ - px(kTaskGap));
  ImGui::EndGroup();
  const float below = std::max(top.y + parameters_height_, ImGui::GetItemRectMax().y);
  ImGui::SetCursorScreenPos({top.x, below + px(kTaskGap)});
  ImGui::BeginGroup();
  network(specimen);
  ImGui::EndGroup();
  network_height_ = ImGui::GetItemRectSize().y;
}

namespace {

// The conditions of the sample set; "" without any.
std::string given_text(const model::TaskCard& card, const model::ParameterValues& values) {
  if (card.given.empty() || values.given.size() != card.given.size()) return "";
  std::string text;
  for (std::size_t k = 0; k < card.given.size(); ++k)
    text += fmt::format("{}{} = {:.4g}", text.empty() ? "" : ", ", card.given[k], values.given[k]);
  return "Given with this set: " + text;
}

}  // namespace

void TaskPanel::parameters(model::Specimen& specimen, float width) {
  const model::TaskCard& card = *specimen.card();
  double moved = 0;
  ImGui::BeginDisabled(card.stored);
  headline(kTheta, card.theta_text, width);
  ui::space(8);
  if (const int i = sliders(card.theta, specimen.values().theta, 1, width, moved); i >= 0)
    specimen.set_theta(static_cast<std::size_t>(i), moved);
  ui::space(16);
  headline(card.psi.empty() ? kNoPsi : kPsi, card.psi_text, width);
  ui::space(8);
  if (const int i = sliders(card.psi, specimen.values().psi, card.psi.size() > 4 ? 2 : 1, width, moved); i >= 0)
    specimen.set_psi(static_cast<std::size_t>(i), moved);
  ImGui::EndDisabled();
  if (const std::string given = given_text(card, specimen.values()); !given.empty()) {
    ui::space(8);
    ui::wrapped(given, ui::Look::small_muted, width, "task/given");
  }
  if (card.stored) {
    ui::space(4);
    ui::wrapped(card.psi.empty() ? "These sets are stored: their θ is fixed. Another set has another."
                                 : "These sets are stored: their θ and ψ are fixed. Another set has others.",
                ui::Look::small_muted, width);
  }
  ui::space(16);
  headline(kX, card.x_text, width);
  ui::space(4);
  ui::wrapped(
      fmt::format("Sets hold up to {} observations. Data: {}.", count_of(static_cast<double>(card.max_n)), card.source),
      ui::Look::small_muted, width);
  if (!card.source_hint.empty()) ui::wrapped(card.source_hint, ui::Look::small_muted, width);
}

void TaskPanel::sample(model::Specimen& specimen, float width, float height) {
  const model::TaskCard& card = *specimen.card();
  const float row = ImGui::GetFrameHeightWithSpacing();
  const float note = (card.turns ? 3.0f : 2.0f) * ui::text_size("X", ui::Look::small).y;
  const float controls = row + px(34) + note + 3 * ImGui::GetStyle().ItemSpacing.y;
  const float tall =
      std::max({px(kPlotLeast), height - controls, std::min(parameters_height_ - controls, 1.1f * width)});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (card.turns) {
    plot_.let_turn([&specimen](ImVec2 by) { specimen.turn(-by.x * kTurn / px(1), by.y * kTurn / px(1)); },
                   [&specimen] { specimen.turn_back(); });
  } else {
    plot_.let_turn({}, {});
  }
  plot_.draw(specimen.figure(), {width, tall});
  if (!specimen.sample_failure().empty()) {
    const ImVec2 after = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos({at.x + px(16), at.y + px(16)});
    ui::wrapped(specimen.sample_failure(), ui::Look::bad, width - px(32), "task/sample-failure");
    ImGui::SetCursorScreenPos({at.x + px(16), ImGui::GetCursorScreenPos().y + px(8)});
    again_ = ui::button("task/again", "Try again");  // in the next frame, since this one still draws the card
    ImGui::SetCursorScreenPos(after);
  } else if (!specimen.figure()) {
    const char* words = "Simulating …";
    const ImVec2 size = ui::text_size(words, ui::Look::muted);
    ui::text_at({at.x + (width - size.x) / 2, at.y + (tall - size.y) / 2}, words, ui::Look::muted);
  }
  const float left = ImGui::GetCursorScreenPos().x;
  const float label = ui::text_size("N", ui::Look::strong).x + px(12);
  const ImVec2 line = ImGui::GetCursorScreenPos();
  ui::text_at({line.x, line.y + px(3)}, "N", ui::Look::strong);
  ImGui::SetCursorScreenPos({left + label, line.y});
  std::int64_t n = specimen.n();
  if (ui::log_slider("task/n", n, 1, card.shown_n,
                     card.shown_n < card.max_n
                         ? fmt::format("How many observations are drawn here; the task's sets go to {}",
                                       count_of(static_cast<double>(card.max_n)))
                         : "How many observations the set holds",
                     width - label))
    specimen.set_n(n);
  if (ui::button("task/new", "New set", ui::Button::primary, {},
                 fmt::format("Other random numbers, the same {} (Ctrl+N)", unknowns(card))))
    specimen.new_set();
  ImGui::SameLine();
  const std::string draw = fmt::format("Draw {}{}", unknowns(card), width > px(430) ? " from the prior" : "");
  if (ui::button("task/prior", draw, ui::Button::normal, {},
                 fmt::format("Other {}, drawn as in training", unknowns(card))))
    specimen.draw_from_prior();
  const float copy = ui::button_width("Copy command");
  ImGui::SameLine();
  if (const float free = left + width - copy - ImGui::GetCursorScreenPos().x; free >= 0) {
    ImGui::SetCursorScreenPos({left + width - copy, ImGui::GetCursorScreenPos().y});
    if (ui::button("task/command", "Copy command", ui::Button::quiet, {},
                   "Copies the command that draws sets of this task without the window:\n" + specimen.batch_command()))
      ui::copy(specimen.batch_command());
  } else {
    ImGui::NewLine();
  }
  if (card.turns)
    ui::wrapped(fmt::format("{}{}Drag the picture to turn it; a double click turns it back.", specimen.subject(),
                            specimen.subject().empty() ? "" : ". "),
                ui::Look::small_muted, width);
  else
    ui::wrapped(fmt::format("Drag {} or N: the random numbers stay the same, so what changes is what they do.",
                            unknowns(card, ", ")),
                ui::Look::small_muted, width);
}

void TaskPanel::network(model::Specimen& specimen) {
  ImGui::AlignTextToFramePadding();
  ui::text("From a set to the posterior of θ", ui::Look::strong);
  const char* const kPresets[] = {"quick", "small", "paper"};
  float segments = 0;
  for (const char* preset : kPresets) segments += ui::button_width(preset) + px(4);
  ImGui::SameLine(0, 0);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(px(16), ImGui::GetContentRegionAvail().x - segments));
  for (const char* preset : kPresets) {
    if (preset != kPresets[0]) ImGui::SameLine(0, px(4));
    if (ui::segment(fmt::format("task/preset/{}", preset), preset, specimen.preset() == preset,
                    fmt::format("The networks of the preset {}", preset)))
      specimen.set_preset(preset);
  }
  const auto network = specimen.network();
  if (!specimen.network_failure().empty()) {
    ui::notice("task/network", ui::Look::bad, specimen.network_failure());
    return;
  }
  if (!network) {
    ui::text("Counting parameters …", ui::Look::muted);
    return;
  }
  ui::space(4);

  // A weight for each box's width; all boxes are as high as the highest.
  const auto weight = [](const model::NetworkPart& part) { return part.per.empty() ? 0.8f : 1.5f; };
  float weights = 0;
  for (const model::NetworkPart& part : network->parts) weights += weight(part);
  const auto boxes = static_cast<float>(network->parts.size());
  const float unit = (ImGui::GetContentRegionAvail().x - px(kArrow) * (boxes - 1)) / weights;
  const auto texts = [&](const model::NetworkPart& part) {
    std::vector<std::pair<std::string, ui::Look>> lines = {{part.title, ui::Look::small_strong}};
    for (const std::string& line : part.lines) lines.emplace_back(line, ui::Look::small);
    if (!part.per.empty()) {
      lines.emplace_back(count_of(part.parameters) + " parameters", ui::Look::small_muted);
      lines.emplace_back(flops_text(part.flops) + (part.per == "set" ? " a set" : " an observation"),
                         ui::Look::small_muted);
    }
    if (!part.flow.empty()) lines.emplace_back("→ " + part.flow, ui::Look::small_muted);
    return lines;
  };
  const auto height_of = [](const std::string& line, ui::Look look, float width) {
    ImFont* font = ui::font(look);
    return font->CalcTextSizeA(font->FontSize, FLT_MAX, width, line.data(), line.data() + line.size()).y;
  };
  float tall = 0;
  for (const model::NetworkPart& part : network->parts) {
    float height = 2 * px(kBoxPad) - px(4);
    for (const auto& [line, look] : texts(part))
      height += height_of(line, look, unit * weight(part) - 2 * px(kBoxPad)) + px(4);
    tall = std::max(tall, height);
  }
  const ImVec2 start = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  float x = start.x;
  for (const model::NetworkPart& part : network->parts) {
    if (x > start.x) {
      const float y = start.y + tall / 2, tip = x + px(kArrow) - px(4), head = px(5);
      list.AddLine({x + px(3), y}, {tip - px(2), y}, palette().muted, px(1.5f));
      list.AddTriangleFilled({tip, y}, {tip - head, y - head * 0.8f}, {tip - head, y + head * 0.8f}, palette().muted);
      x += px(kArrow);
    }
    const float width = unit * weight(part);
    const ui::Surface on(palette().raised);
    list.AddRectFilled({x, start.y}, {x + width, start.y + tall}, palette().raised, px(8));
    const bool learned = !part.per.empty();
    if (learned)
      list.AddRectFilled({x, start.y}, {x + width, start.y + px(3)}, palette().accent, px(8),
                         ImDrawFlags_RoundCornersTop);
    float y = start.y + px(kBoxPad);
    for (const auto& [line, look] : texts(part)) {
      ImGui::SetCursorScreenPos({x + px(kBoxPad), y});
      ui::wrapped(line, look, width - 2 * px(kBoxPad));
      y += height_of(line, look, width - 2 * px(kBoxPad)) + px(4);
    }
    x += width;
  }
  ImGui::SetCursorScreenPos({start.x, start.y + tall + px(8)});
  ui::wrapped(
      fmt::format("{} parameters in all. Trained as PAIRS, the embedder learns on single observations and pairs, "
                  "as N = 1–10 on sets of up to ten, and then stays fixed; a set enters only through the "
                  "mean, so a step costs the same whatever N is.",
                  count_of(network->parameters)),
      ui::Look::small_muted);
}

}  // namespace pairs::gui

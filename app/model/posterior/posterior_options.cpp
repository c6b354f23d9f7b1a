#include "app/model/posterior/posterior_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/model/posterior/posterior_state.h"
#include "core/base/text/error.h"

namespace pairs::model {

IntervalKind PosteriorOptions::interval() const {
  return state_.request.asked.interval;
}

void PosteriorOptions::set_interval(IntervalKind kind) {
  PosteriorState& s = state_;
  if (kind == s.request.asked.interval) return;
  s.request.asked.interval = kind;
  s.follower.set_interval(kind);
  s.table.set_interval(kind);
  s.ask();
}

bool PosteriorOptions::learned_product() const {
  return state_.request.asked.learned_product;
}

void PosteriorOptions::set_learned_product(bool on) {
  PosteriorState& s = state_;
  if (on == s.request.asked.learned_product) return;
  s.request.asked.learned_product = on;
  s.ask();
}

SourceWish PosteriorOptions::source() const {
  return state_.request.asked.source;
}

void PosteriorOptions::set_source(SourceWish wish) {
  PosteriorState& s = state_;
  if (wish == s.request.asked.source) return;
  s.request.asked.source = wish;
  s.ask();
}

void PosteriorOptions::refine_now() {
  PosteriorState& s = state_;
  const auto shown = s.shown();
  if (!shown) return;
  s.request.refined_set = shown->set;
  s.request.refined_n = shown->n;
  s.ask();
}

std::vector<std::string> PosteriorOptions::derived() const {
  return state_.derived();
}

std::string PosteriorOptions::add_derived(const std::string& text) {
  PosteriorState& s = state_;
  const auto now = state_.scene();
  if (!now) return "Nothing is shown yet of which a quantity could be derived";
  std::vector<std::string> texts = derived();
  texts.push_back(text);
  try {
    derived_quantities(texts, now->names);
  } catch (const Error& error) {
    return error.what();
  }
  s.request.asked.other_derived[now->names] = std::move(texts);
  s.ask();
  return "";
}

void PosteriorOptions::remove_derived(std::size_t k) {
  PosteriorState& s = state_;
  const auto now = state_.scene();
  const auto known = now ? s.request.asked.other_derived.find(now->names) : s.request.asked.other_derived.end();
  if (known == s.request.asked.other_derived.end() || k >= known->second.size()) return;
  known->second.erase(known->second.begin() + static_cast<std::ptrdiff_t>(k));
  s.ask();
}

}  // namespace pairs::model

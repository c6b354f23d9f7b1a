#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/heads/flow_matching_head.h"
#include "core/heads/gaussian_head.h"
#include "core/heads/head.h"
#include "core/heads/spline_head.h"
#include "core/heads/umnn_head.h"

namespace pairs {

const std::vector<HeadKind>& head_kinds() {
  constexpr const char* kNll = "loss / nat";
  static const std::vector<HeadKind> all = {
      {.name = "spline",
       .images = false,
       .told_log_n = false,
       .confines = true,
       .loss_is_nll = true,
       .loss_text = kNll,
       .fields = SplineHead::fields,
       .check = [](const HeadConfig&) {},
       .make = SplineHead::make},
      {.name = "umnn",
       .images = false,
       .told_log_n = false,
       .confines = false,
       .loss_is_nll = true,
       .loss_text = kNll,
       .fields = UmnnHead::fields,
       .check = UmnnHead::check,
       .make = UmnnHead::make},
      {.name = "gaussian",
       .images = false,
       .told_log_n = true,
       .confines = false,
       .loss_is_nll = false,
       .loss_text = kNll,
       .fields = GaussianHead::fields,
       .check = [](const HeadConfig&) {},
       .make = GaussianHead::make},
      {.name = "flow-matching",
       .images = true,
       .told_log_n = false,
       .confines = false,
       .loss_is_nll = false,
       .loss_text = "mean squared error of the velocity",
       .fields = FlowMatchingHead::fields,
       .check = [](const HeadConfig&) {},
       .make = FlowMatchingHead::make},
  };
  return all;
}

const HeadKind& head_kind(const std::string& name) {
  std::vector<std::string> names;
  for (const HeadKind& kind : head_kinds()) {
    if (name == kind.name) return kind;
    names.emplace_back(kind.name);
  }
  fail_usage("there is no head of kind '{}': use {}", name, fmt::join(names, ", "));
}

std::vector<Field> fields(HeadConfig& config) {
  Field kind{"head.kind", &config.kind, "Density head"};
  for (const HeadKind& one : head_kinds()) kind.choices.emplace_back(one.name);
  std::vector<Field> all = {std::move(kind)};
  for (const HeadKind& one : head_kinds())
    for (Field& field : one.fields(config))
      if (std::none_of(all.begin(), all.end(), [&](const Field& known) { return known.key == field.key; }))
        all.push_back(std::move(field));
  return all;
}

std::string unread_because(const HeadConfig& config, const std::string& key) {
  if (key == "head.kind") return "";
  HeadConfig any;
  const std::vector<Field> own = head_kind(config.kind).fields(any);
  if (std::none_of(own.begin(), own.end(), [&](const Field& field) { return field.key == key; }))
    return fmt::format("head.kind is \"{}\"", config.kind);
  if (key == "head.attention_channels" && config.attention.empty()) return "head.attention is empty";
  if (key == "head.summary_frequencies" && config.summary == 0) return "head.summary is 0";
  if (key == "head.bound" && config.support == "box") return "head.support is \"box\"";
  return "";
}

void validate(const HeadConfig& config) {
  head_kind(config.kind).check(config);
}

std::shared_ptr<Head> make_head(const HeadConfig& config, std::span<const HeadTarget> targets, std::int64_t context,
                                at::Generator generator, const HeadImage* image) {
  PAIRS_CHECK(!targets.empty(), "a head needs at least one target");
  PAIRS_CHECK(context >= 1, "a head needs a context of at least one column");
  return head_kind(config.kind).make(config, targets, context, std::move(generator), image);
}

}  // namespace pairs

#include <algorithm>

#include "core/base/text/error.h"
#include "core/heads/flow_matching_head.h"
#include "core/heads/gaussian_head.h"
#include "core/heads/head.h"
#include "core/heads/mixture_head.h"
#include "core/heads/spline_head.h"
#include "core/heads/turned_head.h"
#include "core/heads/umnn_head.h"

namespace pairs {

namespace {
constexpr const char* kNll = "loss / nat";

bool never_confines(const HeadConfig&) {
  return false;
}
void check_nothing(const HeadConfig&) {}
}  // namespace

const std::vector<HeadKind>& head_kinds() {
  static const std::vector<HeadKind> all = {
      {.name = "spline",
       .images = false,
       .sees_log_n = false,
       .loss_is_nll = true,
       .loss_text = kNll,
       .settings = settings_of<HeadConfig, SplineHead>(),
       .confines = [](const HeadConfig& config) { return config.of<SplineHead::Settings>().box(); },
       .check = check_nothing,
       .make = SplineHead::make},
      {.name = "umnn",
       .images = false,
       .sees_log_n = false,
       .loss_is_nll = true,
       .loss_text = kNll,
       .settings = settings_of<HeadConfig, UmnnHead>(),
       .confines = never_confines,
       .check = UmnnHead::check,
       .make = UmnnHead::make},
      {.name = "mixture",
       .images = false,
       .sees_log_n = false,
       .loss_is_nll = true,
       .loss_text = kNll,
       .settings = settings_of<HeadConfig, MixtureHead>(),
       .confines = [](const HeadConfig& config) { return config.of<MixtureHead::Settings>().box(); },
       .check = check_nothing,
       .make = MixtureHead::make},
      {.name = "gaussian",
       .images = false,
       .sees_log_n = true,
       .loss_is_nll = false,
       .loss_text = kNll,
       .settings = settings_of<HeadConfig, GaussianHead>(),
       .confines = never_confines,
       .check = check_nothing,
       .make = GaussianHead::make},
      {.name = "flow-matching",
       .images = true,
       .sees_log_n = false,
       .loss_is_nll = false,
       .loss_text = "mean squared error of the velocity",
       .settings = settings_of<HeadConfig, FlowMatchingHead>(),
       .confines = never_confines,
       .check = check_nothing,
       .make = FlowMatchingHead::make},
  };
  return all;
}

const HeadKind& head_kind(const std::string& name) {
  return find_kind(head_kinds(), name, "head");
}

std::vector<Field> fields(HeadConfig& config) {
  std::vector<Field> all = {kind_field(head_kinds(), "head", &config.kind, "Density head").titled("Density head")};
  add_kinds(all, head_kinds(), "head", config);
  return all;
}

std::string unread_because(const HeadConfig& config, const std::string& key) {
  return key == "head.kind" ? "" : unread_because(head_kind(config.kind), "head", config, key);
}

bool confines(const HeadConfig& config) {
  return head_kind(config.kind).confines(config);
}

void validate(const HeadConfig& config) {
  head_kind(config.kind).check(config);
}

std::shared_ptr<Head> make_head(const HeadConfig& config, std::span<const HeadTarget> targets, std::int64_t context,
                                at::Generator generator, const HeadImage* image) {
  PAIRS_CHECK(!targets.empty(), "a head needs at least one target");
  PAIRS_CHECK(context >= 1, "a head needs a context of at least one column");
  const HeadKind& kind = head_kind(config.kind);
  std::shared_ptr<Head> head = kind.make(config, targets, context, generator, image);
  if (std::none_of(targets.begin(), targets.end(), [](const HeadTarget& one) { return one.periodic; })) return head;
  PAIRS_CHECK(kind.loss_is_nll, "{} = \"{}\" does not model a periodic target: use \"spline\", \"mixture\" or \"umnn\"",
              "head.kind"_key, config.kind);
  return std::make_shared<TurnedHead>(std::move(head), targets, context, std::move(generator));
}

}  // namespace pairs

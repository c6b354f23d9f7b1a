#include "tasks/parts/chosen_targets.h"

#include <ATen/Functions.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/base/fields/face.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/given.h"
#include "core/input_scale.h"
#include "core/joint_posterior.h"
#include "core/prior_density.h"
#include "core/simulation_budget.h"
#include "core/simulator_probe.h"
#include "core/stored_sets.h"
#include "core/target_choice.h"
#include "tasks/file_columns.h"
#include "tasks/file_reader.h"
#include "tasks/parts/outlines.h"

namespace pairs {
namespace {

// Which columns of (θ, ψ) are targets and which nuisances, and the inverse mapping.
struct Columns {
  std::vector<std::int64_t> targets, nuisances;  // columns of (θ, ψ)
  std::int64_t theta = 0;                        // how many of them belong to the inner task's θ

  Columns(const TaskInfo& inner, std::span<const Component> chosen)
      : theta(static_cast<std::int64_t>(inner.targets.size())) {
    const auto all = theta + static_cast<std::int64_t>(inner.nuisances.size());
    for (const Component& one : chosen) targets.push_back(one.nuisance ? theta + one.index : one.index);
    for (std::int64_t k = 0; k < all; ++k)
      if (std::find(targets.begin(), targets.end(), k) == targets.end()) nuisances.push_back(k);
  }

  // Maps component k of the chosen targets or of the rest to a component of the inner task.
  Component inner(Component one) const {
    const std::int64_t column = (one.nuisance ? nuisances : targets)[static_cast<std::size_t>(one.index)];
    return {column >= theta, column >= theta ? column - theta : column};
  }
};

torch::Tensor columns_of(const torch::Tensor& all, const std::vector<std::int64_t>& columns) {
  return all.index_select(-1, torch::tensor(columns, torch::kInt64));
}

// Converts latents of the inner task to those of the choice, and back.
Latents chosen_latents(const Columns& columns, const Latents& inner) {
  const torch::Tensor all = at::cat({inner.theta, inner.psi}, -1);
  return {columns_of(all, columns.targets), columns_of(all, columns.nuisances), inner.given};
}
Latents inner_latents(const Columns& columns, const Latents& chosen) {
  const torch::Tensor mixed = at::cat({chosen.theta, chosen.psi}, -1);
  std::vector<std::int64_t> order = columns.targets;
  order.insert(order.end(), columns.nuisances.begin(), columns.nuisances.end());
  std::vector<std::int64_t> back(order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    back[static_cast<std::size_t>(order[k])] = static_cast<std::int64_t>(k);
  const torch::Tensor all = columns_of(mixed, back);
  const std::int64_t rest = all.size(-1) - columns.theta;
  return {all.narrow(-1, 0, columns.theta).contiguous(), all.narrow(-1, columns.theta, rest).contiguous(),
          chosen.given};
}

class ChosenJoint final : public JointPosterior {
 public:
  ChosenJoint(std::unique_ptr<JointPosterior> inner, const Columns& columns)
      : inner_(std::move(inner)), order_(columns.targets) {
    order_.insert(order_.end(), columns.nuisances.begin(), columns.nuisances.end());
  }
  std::vector<double> center() const override { return inner_->center(); }
  double log_density(std::span<const double> u, std::span<double> gradient) const override {
    return inner_->log_density(u, gradient);
  }
  torch::Tensor parameters(const torch::Tensor& u) const override { return columns_of(inner_->parameters(u), order_); }

 private:
  std::unique_ptr<JointPosterior> inner_;
  std::vector<std::int64_t> order_;
};

// Stored sets of the inner task, used with the chosen targets.
class ChosenStored final : public StoredSets {
 public:
  ChosenStored(const StoredSets& inner, std::string names) : inner_(inner), names_(std::move(names)) {}
  std::shared_ptr<const Task> serving(std::span<const SetDemand> demands) const override {
    return with_targets(inner_.serving(demands), names_);
  }
  std::vector<SetService> service(std::span<const SetDemand> demands) const override { return inner_.service(demands); }
  std::int64_t sets(Purpose purpose, std::int64_t n) const override { return inner_.sets(purpose, n); }
  std::int64_t held(std::uint64_t seed, Purpose purpose, std::int64_t index) const override {
    return inner_.held(seed, purpose, index);
  }
  std::int64_t largest_n() const override { return inner_.largest_n(); }
  std::int64_t observations(std::int64_t n, std::int64_t wanted) const override {
    return inner_.observations(n, wanted);
  }
  bool in_order() const override { return inner_.in_order(); }
  std::vector<StoredState> state() const override { return inner_.state(); }
  std::vector<std::string> notes() const override { return inner_.notes(); }

 private:
  const StoredSets& inner_;
  std::string names_;
};

Target target_of(const Nuisance& n, const NuisanceTarget& as) {
  return {n.name,   n.label,    n.unit,      as.low,    as.high, as.location, as.scale,
          as.range, n.view_low, n.view_high, n.meaning, n.prior, n.period > 0};
}

Nuisance nuisance_of(const Target& t) {
  const double low = t.periodic ? t.low : t.view_low, high = t.periodic ? t.high : t.view_high;
  return {t.name, t.label, t.unit, low, high, -1, t.meaning, t.prior, t.period()};
}

// "signal fraction θ and bump position ψ".
std::string words_of(const std::vector<Target>& targets) {
  std::string out;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const Target& t = targets[k];
    if (k > 0) out += k + 1 == targets.size() ? " and " : ", ";
    out += t.meaning.empty() || t.meaning == t.label ? t.label : t.meaning + " " + t.label;
  }
  return out;
}

std::string names_of(const std::vector<Target>& targets) {
  std::string out;
  for (const Target& t : targets) out += (out.empty() ? "" : ",") + t.name;
  return out;
}

TaskInfo chosen_info(const Task& task, std::span<const Component> chosen, const Columns& columns) {
  const TaskInfo& inner = task.info();
  const auto nuisances = face<ChoosesTargets>(task)->nuisance_targets();
  TaskInfo info = inner;
  info.targets.clear();
  info.nuisances.clear();
  bool all_own = true;
  for (const Component& one : chosen) {
    const auto k = static_cast<std::size_t>(one.index);
    all_own = all_own && !one.nuisance;
    info.targets.push_back(one.nuisance ? target_of(inner.nuisances[k], nuisances[k].value()) : inner.targets[k]);
  }
  for (std::size_t k = 0; k < columns.nuisances.size(); ++k) {
    const Component one = columns.inner({true, static_cast<std::int64_t>(k)});
    const auto at = static_cast<std::size_t>(one.index);
    info.nuisances.push_back(one.nuisance ? inner.nuisances[at] : nuisance_of(inner.targets[at]));
  }
  // Quarter turns leave the task's own θ unchanged, but affect nuisances.
  info.rotation_invariant = inner.rotation_invariant && all_own;
  const std::string choice = "targets " + names_of(info.targets);
  info.variant = inner.variant.empty() ? choice : inner.variant + ", " + choice;
  info.theta_text = fmt::format("Inferred here: {}. {}{}", words_of(info.targets), inner.theta_text,
                                all_own ? "" : " " + inner.psi_text);
  info.psi_text = info.nuisances.empty() ? "There is no nuisance parameter: all are inferred."
                                         : "What is not inferred is unknown and shared by a set.";
  info.question = {fmt::format("Which {} {} behind this observation?", words_of(info.targets),
                               info.targets.size() == 1 ? "lies" : "lie"),
                   fmt::format("Which {} do these {{}} observations share?", words_of(info.targets))};
  return info;
}

// Knowledge that only applies to the inner task's own targets (its sufficient statistics, its null value, p(ψ | θ, X))
// is not available for others.
class ChosenTargets : public Task,
                      public HasPriorDensity,
                      public HasFileColumns,
                      public HasFileReader,
                      public HasGivenRanges {
 public:
  ChosenTargets(std::shared_ptr<const Task> inner, std::vector<Component> chosen)
      : inner_(std::move(inner)),
        chosen_(std::move(chosen)),
        columns_(inner_->info(), chosen_),
        info_(chosen_info(*inner_, chosen_, columns_)),
        choices_(*face<ChoosesTargets>(*inner_)) {
    if (const StoredSets* stored = inner_->stored())
      stored_ = std::make_unique<ChosenStored>(*stored, names_of(info_.targets));
  }

  const TaskInfo& info() const override { return info_; }
  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    return chosen_latents(columns_, inner_->latents(seed, purpose, indices));
  }
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    return inner_->observe(inner_latents(columns_, latents), seed, purpose, ranges, device);
  }
  void prepare(const Preparation& preparation) const override { inner_->prepare(preparation); }
  std::int64_t subjects(Purpose purpose) const override { return inner_->subjects(purpose); }
  PoolDraws pool_draws(const Latents& latents, std::uint64_t seed, Purpose purpose,
                       std::span<const SetRange> ranges) const override {
    return inner_->pool_draws(inner_latents(columns_, latents), seed, purpose, ranges);
  }
  std::int64_t pool_size(Purpose purpose) const override { return inner_->pool_size(purpose); }
  Observations pool_members(Purpose purpose, std::int64_t first, std::int64_t count,
                            const torch::Device& device) const override {
    return inner_->pool_members(purpose, first, count, device);
  }
  const StoredSets* stored() const override { return stored_.get(); }
  void constrain(Latents& latents, Component changed) const override {
    Latents inner = inner_latents(columns_, latents);
    inner_->constrain(inner, columns_.inner(changed));
    latents = chosen_latents(columns_, inner);
  }
  torch::Tensor density(const Latents& latents, const Observations& x) const override {
    return inner_->density(inner_latents(columns_, latents), x);
  }
  std::vector<std::string> references() const override {
    if (choices_.exact_posterior_of(chosen_)) return {"exact"};
    return {};
  }
  std::unique_ptr<ReferencePosterior> reference(const std::string& name) const override {
    std::unique_ptr<ReferencePosterior> exact = choices_.exact_posterior_of(chosen_);
    return name == "exact" && exact ? std::move(exact) : Task::reference(name);
  }
  torch::Tensor log_prior(const torch::Tensor& theta) const override { return choices_.log_prior_of(chosen_, theta); }
  const std::vector<FileColumn>& file_columns() const override {
    static const std::vector<FileColumn> none;
    const HasFileColumns* const own = face<HasFileColumns>(*inner_);
    return own ? own->file_columns() : none;
  }
  std::string file_reader(const std::filesystem::path& file) const override {
    return pairs::file_reader(*inner_, file);
  }
  // They are for the task's own targets.
  bool knows_sets() const override { return false; }
  std::unique_ptr<ReferencePosterior> reference_of(const std::vector<std::string>&) const override { return nullptr; }
  const std::vector<GivenRange>& given_ranges() const override {
    static const std::vector<GivenRange> none;
    const HasGivenRanges* const own = face<HasGivenRanges>(*inner_);
    return own ? own->given_ranges() : none;
  }

 protected:
  const Task& inner() const { return *inner_; }
  const Columns& columns() const { return columns_; }

 private:
  std::shared_ptr<const Task> inner_;
  std::vector<Component> chosen_;
  Columns columns_;
  TaskInfo info_;
  const ChoosesTargets& choices_;
  std::unique_ptr<ChosenStored> stored_;
};

class ChosenWithJoint final : public ChosenTargets, public HasJointPosterior {
 public:
  using ChosenTargets::ChosenTargets;
  std::unique_ptr<JointPosterior> joint_posterior(const Observations& x) const override {
    return std::make_unique<ChosenJoint>(face<HasJointPosterior>(inner())->joint_posterior(x), columns());
  }
};

class ChosenWithOutlines final : public ChosenTargets, public Outlines {
 public:
  using ChosenTargets::ChosenTargets;
  std::vector<Outline> outlines(std::span<const double> theta, std::span<const double> psi) const override {
    const auto tensor = [](std::span<const double> values) {
      return torch::tensor(std::vector<double>(values.begin(), values.end()), torch::kFloat64);
    };
    const Latents own = inner_latents(columns(), {tensor(theta), tensor(psi)});
    return face<Outlines>(inner())->outlines(doubles(own.theta), doubles(own.psi));
  }
};

class ChosenStandardized : public ChosenTargets, public StandardizedInput {
 public:
  using ChosenTargets::ChosenTargets;
  bool standardizes() const override { return standardizes_input(inner()); }
  InputScale input_scale() const override { return pairs::input_scale(inner()); }
};

class ChosenProbed final : public ChosenStandardized, public ProbedSimulator {
 public:
  using ChosenStandardized::ChosenStandardized;
  SimulatorProbe probe() const override { return face<ProbedSimulator>(inner())->probe(); }
};

class ChosenBudgeted final : public ChosenStandardized, public BudgetedSimulator {
 public:
  using ChosenStandardized::ChosenStandardized;
  std::int64_t simulations() const override { return budget().simulations(); }
  std::string recorded() const override { return budget().recorded(); }
  std::vector<BudgetedSets> budgeted_sets() const override { return budget().budgeted_sets(); }
  std::int64_t checks() const override { return budget().checks(); }
  bool measures_input() const override { return budget().measures_input(); }
  void simulate(std::uint64_t seed, const Preparation& preparation) const override {
    budget().simulate(seed, preparation);
  }
  std::shared_ptr<const Task> planned(std::uint64_t seed) const override {
    return with_targets(budget().planned(seed), names_of(info().targets));
  }
  SimulatorPace pace() const override { return budget().pace(); }
  std::int64_t workers() const override { return budget().workers(); }

 private:
  const BudgetedSimulator& budget() const { return *face<BudgetedSimulator>(inner()); }
};

// Adds the inner task's interfaces that are valid for every choice.
std::shared_ptr<const Task> wrapped(std::shared_ptr<const Task> task, std::vector<Component> chosen) {
  const bool joint = face<HasJointPosterior>(*task) != nullptr, outlines = face<Outlines>(*task) != nullptr,
             probed = face<ProbedSimulator>(*task) != nullptr, standardized = face<StandardizedInput>(*task) != nullptr;
  PAIRS_CHECK(joint + outlines + standardized <= 1 && probed <= standardized,
              "Of the task {} other targets cannot be chosen: nobody shows its faces together", task->info().name);
  if (joint) return std::make_shared<ChosenWithJoint>(std::move(task), std::move(chosen));
  if (outlines) return std::make_shared<ChosenWithOutlines>(std::move(task), std::move(chosen));
  if (face<BudgetedSimulator>(*task)) return std::make_shared<ChosenBudgeted>(std::move(task), std::move(chosen));
  if (probed) return std::make_shared<ChosenProbed>(std::move(task), std::move(chosen));
  if (standardized) return std::make_shared<ChosenStandardized>(std::move(task), std::move(chosen));
  return std::make_shared<ChosenTargets>(std::move(task), std::move(chosen));
}

std::vector<std::string> split_names(const std::string& names) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    std::string name = names.substr(begin, end - begin);
    name.erase(0, name.find_first_not_of(" \t"));
    name.erase(name.find_last_not_of(" \t") + 1);
    out.push_back(std::move(name));
    begin = end + 1;
  }
  return out;
}

// The task's component `name`. Throws a usage error if it cannot be inferred.
Component component_of(const Task& task, const std::string& name) {
  const TaskInfo& info = task.info();
  for (std::size_t k = 0; k < info.targets.size(); ++k)
    if (info.targets[k].name == name) return {false, static_cast<std::int64_t>(k)};
  const std::vector<std::string> known = choosable_targets(task);
  for (std::size_t k = 0; k < info.nuisances.size(); ++k) {
    if (info.nuisances[k].name != name) continue;
    if (std::find(known.begin(), known.end(), name) == known.end())
      fail_usage("{} names {}, a nuisance of {} that cannot be inferred; choose among {}", "task.targets"_key, name,
                 info.name, fmt::join(known, ", "));
    return {true, static_cast<std::int64_t>(k)};
  }
  const std::string near = nearest(name, known);
  fail_usage("{} names \"{}\", which is neither a target nor a nuisance of {}{}; choose among {}", "task.targets"_key,
             printable(name, 100), info.name, near.empty() ? "" : fmt::format(" (did you mean {}?)", near),
             fmt::join(known, ", "));
}

std::vector<Component> components_of(const Task& task, const std::string& names) {
  std::vector<Component> chosen;
  for (const std::string& name : split_names(names)) {
    if (name.empty())
      fail_usage("{} = \"{}\" leaves a name out; write names with one comma between each two", "task.targets"_key,
                 printable(names, 100));
    const Component one = component_of(task, name);
    const auto same = [&](const Component& c) { return c.nuisance == one.nuisance && c.index == one.index; };
    if (std::any_of(chosen.begin(), chosen.end(), same))
      fail_usage("{} names {} twice; name each once", "task.targets"_key, name);
    chosen.push_back(one);
  }
  std::sort(chosen.begin(), chosen.end(), [](const Component& a, const Component& b) {
    return std::pair(a.nuisance, a.index) < std::pair(b.nuisance, b.index);
  });
  return chosen;
}

}  // namespace

std::vector<Field> TargetedSettings::fields() {
  std::vector<Field> all = own.fields();
  all.push_back({kTargetsSetting, &targets,
                 "Which of θ and ψ are inferred, names with commas between; empty = the task's own targets"});
  return all;
}

TargetedSettings targeted(TaskSettings settings) {
  for (const Field& field : settings.fields())
    if (field.key == kTargetsSetting) return settings.as<TargetedSettings>();
  return {std::move(settings), ""};
}

TaskEntry choosing_targets(TaskEntry entry) {
  const bool has_own = !entry.settings.empty();
  entry.settings = TargetedSettings{entry.settings, ""};
  entry.make = [has_own, make = std::move(entry.make)](const TaskOptions& options) {
    TargetedSettings chosen = targeted(options.settings);
    PAIRS_CHECK(has_own || chosen.own.empty(), "A task was given the settings of another task");
    TaskOptions own = options;
    own.settings = std::move(chosen.own);
    return with_targets(make(own), chosen.targets);
  };
  return entry;
}

std::vector<std::string> choosable_targets(const Task& task) {
  const TaskInfo& info = task.info();
  const ChoosesTargets* const choices = face<ChoosesTargets>(task);
  std::vector<std::string> out;
  if (choices == nullptr) return out;
  for (const Target& t : info.targets) out.push_back(t.name);
  const auto nuisances = choices->nuisance_targets();
  for (std::size_t k = 0; k < nuisances.size(); ++k)
    if (nuisances[k]) out.push_back(info.nuisances[k].name);
  return out.size() > 1 ? out : std::vector<std::string>();
}

std::shared_ptr<const Task> with_targets(std::shared_ptr<const Task> task, const std::string& names) {
  if (names.empty()) return task;
  const TaskInfo& info = task->info();
  if (choosable_targets(*task).empty())
    fail_usage("{} = \"{}\" cannot be chosen: nothing but the task's own target can be inferred of {}",
               "task.targets"_key, printable(names, 100), info.name);
  std::vector<Component> chosen = components_of(*task, names);
  const bool own = chosen.size() == info.targets.size() &&
                   std::none_of(chosen.begin(), chosen.end(), [](const Component& c) { return c.nuisance; });
  return own ? task : wrapped(std::move(task), std::move(chosen));
}

}  // namespace pairs

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <charconv>

#include "core/base/files/safetensors.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/estimator.h"
#include "core/estimator_tensors.h"
#include "core/nn/initial.h"

namespace pairs {
namespace {

constexpr const char* kFormat = "pairs-estimator-1";
// The standardization of x, [channels] float64.
const std::string kLocation = std::string("embedder.") + StandardizedEmbedder::kLocation,
                  kScale = std::string("embedder.") + StandardizedEmbedder::kScale,
                  kMiddle = std::string("embedder.") + StandardizedEmbedder::kMiddle,
                  kSpread = std::string("embedder.") + StandardizedEmbedder::kSpread;

// Finds the tensor of this name and shape.
const torch::Tensor& find_tensor(const std::map<std::string, torch::Tensor>& tensors, const std::string& name,
                                 at::IntArrayRef shape) {
  const auto it = tensors.find(name);
  PAIRS_CHECK(it != tensors.end(), "The estimator's state lacks the tensor {}; it belongs to another network", name);
  PAIRS_CHECK(it->second.sizes() == shape,
              "Tensor {} has shape [{}] where this network needs [{}]; it belongs to another network", name,
              fmt::join(it->second.sizes(), ", "), fmt::join(shape, ", "));
  return it->second;
}

// Checks that `tensors` are those of the network that `config` describes, with a head for each of `sizes` (none: one
// for all). Nothing of the network's size is allocated.
void check_network(std::shared_ptr<const Task> task, const EstimatorConfig& config,
                   const std::vector<std::int64_t>& sizes, const std::map<std::string, torch::Tensor>& tensors) {
  const ShapesOnly shapes(tensors.size());
  const std::map<std::string, torch::Tensor> network = Estimator(std::move(task), config, 0).state();
  const std::string any = head_prefix(0);
  for (const auto& [name, tensor] : network) {
    // Weights may or may not have a standardization, and curved columns.
    if (name == kLocation || name == kScale || name == kMiddle || name == kSpread) continue;
    if (sizes.empty() || !name.starts_with(any)) find_tensor(tensors, name, tensor.sizes());
  }
  for (const std::int64_t n : sizes)
    for (auto it = network.lower_bound(any); it != network.end() && it->first.starts_with(any); ++it)
      find_tensor(tensors, head_prefix(n) + it->first.substr(any.size()), it->second.sizes());
}

// Takes a whole number of the metadata `key` off the start of `text`.
std::int64_t take_number(std::string_view& text, const char* key) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  PAIRS_CHECK(error == std::errc() && value >= 0, "its metadata \"{}\" holds '{}' where a whole number belongs", key,
              printable(text));
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// Parses "2,50" of the metadata head_sizes, ascending and at most `most`.
std::vector<std::int64_t> head_sizes(std::string_view list, std::size_t most) {
  constexpr const char* key = "head_sizes";
  std::vector<std::int64_t> sizes;
  while (!list.empty()) {
    const std::int64_t n = take_number(list, key);
    PAIRS_CHECK(n > (sizes.empty() ? 0 : sizes.back()), "its metadata \"{}\" does not list ascending sizes from 1",
                key);
    sizes.push_back(n);
    PAIRS_CHECK(sizes.size() <= most, "its metadata \"{}\" lists more sizes than the {} tensors it holds", key, most);
    PAIRS_CHECK(list.empty() || list.starts_with(','), "its metadata \"{}\" is not a list of numbers", key);
    if (!list.empty()) list.remove_prefix(1);
  }
  return sizes;
}

// "it infers theta, and here theta, psi are the targets"; "" if the targets are the same.
std::string other_targets(const TaskInfo& other, const TaskInfo& here) {
  const auto names = [](const TaskInfo& info) {
    std::vector<std::string> out;
    for (const Target& target : info.targets) out.push_back(target.name);
    return fmt::format("{}", fmt::join(out, ", "));
  };
  const std::string there = names(other), own = names(here);
  return there == own ? "" : fmt::format("its targets are {}, and here they are {}", there, own);
}

void check_finite(const std::map<std::string, torch::Tensor>& tensors) {
  for (const auto& [name, tensor] : tensors)
    PAIRS_CHECK(!tensor.is_floating_point() || at::isfinite(tensor).all().item<bool>(),
                "its tensor {} holds NaN or infinite values, as diverged training leaves them; train again with a "
                "lower learning rate",
                name);
}

}  // namespace

std::map<std::string, torch::Tensor> Estimator::embedder_parameters() const {
  std::map<std::string, torch::Tensor> out;
  collect_embedder(*embedder_, false, out);
  return out;
}

std::map<std::string, torch::Tensor> Estimator::head_parameters(std::int64_t n) const {
  std::map<std::string, torch::Tensor> out;
  const HeadSlot& s = slot(n);
  collect_tensors(*s.head, head_prefix(s.n), false, out);
  return out;
}

std::map<std::string, torch::Tensor> Estimator::state() const {
  check_trainable();
  std::map<std::string, torch::Tensor> out;
  collect_embedder(*embedder_, true, out);
  for (const HeadSlot& s : heads_) {
    const std::string prefix = head_prefix(s.n);
    collect_tensors(*s.head, prefix, true, out);
    if (s.weight.defined()) {
      out[prefix + "location.weight"] = s.weight;
      out[prefix + "location.bias"] = s.bias;
    }
  }
  if (statistics_.mean.defined()) {
    out["statistics.mean"] = statistics_.mean;
    out["statistics.between"] = statistics_.between;
    out["statistics.within"] = statistics_.within;
    if (statistics_.distance.defined()) out["statistics.distance"] = statistics_.distance;
  }
  return out;
}

void Estimator::load_state(const std::map<std::string, torch::Tensor>& state) {
  at::NoGradGuard no_grad;
  // Weights keep the standardization that they were trained with; those without one use x unchanged.
  const bool standardized = state.contains(kLocation), wrapped = this->state().contains(kLocation);
  if (standardized && !wrapped) {
    const torch::Tensor none = at::zeros({input_channels(task_->info())}, at::kDouble);
    const bool training = embedder_->is_training();
    embedder_ = std::make_shared<StandardizedEmbedder>(embedder_, none, none + 1, task_->info().periods);
    embedder_->to(device_);
    embedder_->train(training);
  }
  if (auto* own = dynamic_cast<StandardizedEmbedder*>(embedder_.get())) {
    const auto curve = state.find(kSpread);
    if (curve == state.end())
      own->curve({}, {});
    else
      own->curve(find_tensor(state, kMiddle, curve->second.sizes()).to(torch::kFloat64),
                 curve->second.to(torch::kFloat64));
  }
  if (state.contains("statistics.mean")) {
    for (const char* name : {"statistics.between", "statistics.within"})
      PAIRS_CHECK(state.contains(name), "The estimator's state lacks the tensor {}", name);
    AggregateStatistics statistics{state.at("statistics.mean").to(torch::kFloat64),
                                   state.at("statistics.between").to(torch::kFloat64),
                                   state.at("statistics.within").to(torch::kFloat64),
                                   {}};
    const std::int64_t l = embedder_->size();
    const std::vector<std::int64_t> vector = {l}, matrix = {l, l}, percentiles = {101};
    if (auto it = state.find("statistics.distance"); it != state.end())
      statistics.distance = it->second.to(torch::kFloat64);
    PAIRS_CHECK(statistics.mean.sizes() == vector && statistics.between.sizes() == matrix &&
                    statistics.within.sizes() == matrix &&
                    (!statistics.distance.defined() || statistics.distance.sizes() == percentiles),
                "The aggregate statistics do not fit an embedding of length {}", l);
    set_statistics(statistics, false, 0);
  }
  for (HeadSlot& s : heads_) {
    const std::string prefix = head_prefix(s.n);
    const auto weight = state.find(prefix + "location.weight"), bias = state.find(prefix + "location.bias");
    if (weight != state.end() && bias != state.end()) set_location(s.n, weight->second, bias->second);
  }
  for (auto& [name, tensor] : this->state()) {
    if (name.starts_with("statistics.")) continue;
    if (!standardized && (name == kLocation || name == kScale))
      tensor.fill_(name == kScale ? 1 : 0);
    else
      tensor.copy_(find_tensor(state, name, tensor.sizes()));
    PAIRS_CHECK(name != kScale || (tensor > 0).all().item<bool>(), "Tensor {} holds a scale that is not above 0", name);
  }
}

TensorFile Estimator::content() const {
  TensorFile content;
  content.tensors = state();
  content.metadata["format"] = kFormat;
  content.metadata["task"] = task_->info().name;
  content.metadata["data_source"] = data_source_;
  content.metadata["max_n"] = std::to_string(max_n_);
  content.metadata["head_sizes"] = fmt::format("{}", fmt::join(sizes(), ","));
  EstimatorConfig config = config_;
  content.metadata["estimator"] = write_toml(read_fields(config));
  return content;
}

void Estimator::save(const std::filesystem::path& file, std::map<std::string, std::string> metadata) const {
  TensorFile all = content();
  all.metadata.merge(metadata);
  write_safetensors(file, all);
}

Estimator Estimator::load(const std::filesystem::path& file, std::shared_ptr<const Task> task) {
  return parse(read_safetensors(file), file.string(), std::move(task));
}

Estimator Estimator::parse(const TensorFile& content, const std::string& where, std::shared_ptr<const Task> task) {
  const auto meta = [&](const std::string& key) -> const std::string& {
    const auto it = content.metadata.find(key);
    PAIRS_CHECK(it != content.metadata.end(), "{} is not an estimator of this program: its metadata lacks \"{}\"",
                where, key);
    return it->second;
  };
  PAIRS_CHECK(meta("format") == kFormat, "{} has the format \"{}\" and this program reads \"{}\"", where,
              meta("format"), kFormat);
  PAIRS_CHECK(meta("task") == task->info().name, "{} belongs to task {}, not {}", where, meta("task"),
              task->info().name);
  EstimatorConfig config;
  read_toml(meta("estimator"), fields(config), where);
  try {
    const std::vector<std::int64_t> sizes = head_sizes(meta("head_sizes"), content.tensors.size());
    check_network(task, config, sizes, content.tensors);
    check_finite(content.tensors);
    Estimator estimator(std::move(task), config, 0);
    if (!sizes.empty()) estimator.split_heads(sizes);
    estimator.load_state(content.tensors);
    std::string_view max_n = meta("max_n");
    estimator.max_n_ = take_number(max_n, "max_n");
    estimator.data_source_ = meta("data_source");
    estimator.train(false);
    return estimator;
  } catch (const Error& error) {
    fail("{} cannot be used: {}", where, error.what());
  } catch (const c10::Error& error) {
    fail("{} cannot be used: {}", where, error.what_without_backtrace());
  }
}

Estimator Estimator::clone() const {
  Estimator copy(task_, config_, 0);
  if (!sizes().empty()) copy.split_heads(sizes());
  copy.load_state(state());
  copy.max_n_ = max_n_;
  copy.pool_ = pool_;
  copy.data_source_ = data_source_;
  copy.to(device_);
  copy.train(embedder_->is_training());
  return copy;
}

std::string Estimator::start_from(const Estimator& other) {
  EstimatorConfig ours = config_, theirs = other.config_;
  const std::vector<Field> here = fields(ours), there = fields(theirs);
  const auto decides = [&](const std::string& key) {
    return key != "restrict" && (!key.starts_with("embedder.") || unread_because(ours.embedder, key).empty()) &&
           (!key.starts_with("head.") || unread_because(ours.head, key).empty());
  };
  std::string left = other_targets(other.task_->info(), task_->info());
  if (left.empty() && !other.sizes().empty())
    left = fmt::format("it holds one head for each of N = {}", fmt::join(other.sizes(), ", "));
  for (std::size_t i = 0; i < here.size(); ++i) {
    const std::string& key = here[i].key;
    const std::string own = field_text(here[i]), given = field_text(there[i]);
    if (own == given || !decides(key)) continue;
    if (key.starts_with("embedder.")) fail_usage("it has {0} = {1}, and here it is {2}; set {0}={1}", key, given, own);
    if (left.empty()) left = fmt::format("it has {} = {}, and here it is {}", key, given, own);
  }
  std::map<std::string, torch::Tensor> tensors = other.state();
  if (!left.empty()) {
    std::erase_if(tensors, [](const auto& item) { return !item.first.starts_with("embedder."); });
    for (const auto& [name, tensor] : state())
      if (!name.starts_with("embedder.")) tensors[name] = tensor;
    left = fmt::format("Of the weights to start from only the embedder is taken and the head is fresh: {}", left);
  }
  load_state(tensors);
  return left;
}

}  // namespace pairs

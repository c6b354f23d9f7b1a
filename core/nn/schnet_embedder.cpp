#include "core/nn/schnet_embedder.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/nn/initial.h"
#include "core/ops/ops.h"

namespace pairs {
namespace {

constexpr std::int64_t kElements = 100;  // rows of the embedding of atoms; row 0 is unused
// A sum over atoms is divided by this number, which makes it about as large as a mean.
constexpr double kAtomsOfSum = 32;

// Uniform, such that variances are preserved forward and backward (Glorot and Bengio 2010).
torch::Tensor xavier(std::int64_t out, std::int64_t in, const at::Generator& generator) {
  return uniform_tensor({out, in}, std::sqrt(6.0 / static_cast<double>(in + out)), generator);
}

double twice(const torch::Tensor& weight) {
  return 2.0 * static_cast<double>(weight.numel());
}

// Throws for an observation without rows and, if `values` are read, which waits for the device, for the first invalid
// row, naming its observation.
void check_atoms(const Observations& x, bool values) {
  const torch::Tensor &rows = x.rows(), &offsets = x.offsets();
  const auto* at = offsets.const_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < x.count(); ++i)
    PAIRS_CHECK(at[i] < at[i + 1], "observation {} is a molecule without atoms: leave it out", i);
  if (!values) return;
  const torch::Tensor z = rows.select(1, 0);
  const torch::Tensor good =
      (z >= 1).logical_and_(z < kElements).logical_and_(z == z.floor()).logical_and_(rows.isfinite().all(1));
  if (good.all().item<bool>()) return;
  const std::int64_t row = good.to(torch::kInt).argmin().item<std::int64_t>();
  const std::int64_t i = std::upper_bound(at, at + x.count() + 1, row) - at - 1;
  const std::vector<double> atom = doubles(rows[row]);
  fail("atom {} of observation {} is [{}]: an atom is an atomic number from 1 to {} and a finite place", row - at[i], i,
       fmt::join(atom, ", "), kElements - 1);
}

}  // namespace

SchNetInteraction::SchNetInteraction(std::int64_t hidden, std::int64_t filters, std::int64_t gaussians,
                                     at::Generator& generator) {
  const auto layer = [&](const char* name, std::int64_t out, std::int64_t in, std::vector<torch::Tensor>& weights,
                         std::vector<torch::Tensor>& biases) {
    const std::size_t i = weights.size();
    weights.push_back(register_parameter(fmt::format("{}_weight{}", name, i), xavier(out, in, generator)));
    biases.push_back(register_parameter(fmt::format("{}_bias{}", name, i), at::zeros({out}, weight_options())));
  };
  layer("filter", filters, gaussians, filter_weights_, filter_biases_);
  layer("filter", filters, filters, filter_weights_, filter_biases_);
  in_ = register_parameter("in_weight", xavier(filters, hidden, generator));
  layer("update", hidden, filters, update_weights_, update_biases_);
  layer("update", hidden, hidden, update_weights_, update_biases_);
}

torch::Tensor SchNetInteraction::forward(const torch::Tensor& h, const torch::Tensor& basis, const torch::Tensor& decay,
                                         const ops::FilterPlan& plan) const {
  const torch::Tensor table = ops::mlp(basis, filter_weights_, filter_biases_, "softplus") * decay;
  const torch::Tensor messages = ops::continuous_filter(ops::linear_act(h, in_, torch::Tensor(), "none"), table, plan);
  return h + ops::mlp(messages, update_weights_, update_biases_, "softplus");
}

double SchNetInteraction::atom_flops() const {
  return twice(in_) + twice(update_weights_[0]) + twice(update_weights_[1]);
}

double SchNetInteraction::pair_flops() const {
  return twice(filter_weights_[0]) + twice(filter_weights_[1]);
}

SchNetEmbedder::SchNetEmbedder(const Settings& own, std::int64_t embedding, double atoms, at::Generator generator)
    : atoms_(atoms),
      cutoff_(own.cutoff),
      gaussians_(own.gaussians),
      neighbors_(own.neighbors),
      sums_(own.readout == "sum") {
  PAIRS_CHECK(own.hidden >= 1 && own.filters >= 1 && own.interactions >= 1 && own.neighbors >= 1,
              "SchNet needs {}, filters, interactions and neighbors of 1 or more, not {}, {}, {} and {}",
              "embedder.hidden"_key, own.hidden, own.filters, own.interactions, own.neighbors);
  PAIRS_CHECK(gaussians_ >= 2 && cutoff_ > 0,
              "SchNet needs 2 Gaussians or more over a distance above 0, not {} over {}: set {} and {}", gaussians_,
              cutoff_, "embedder.gaussians"_key, "embedder.cutoff"_key);
  torch::Tensor elements = normal_tensor({kElements, own.hidden}, generator);
  elements.select(0, 0).zero_();
  elements_ = register_parameter("elements", elements);
  for (std::int64_t i = 0; i < own.interactions; ++i)
    interactions_.push_back(
        register_module(fmt::format("interaction{}", i),
                        std::make_shared<SchNetInteraction>(own.hidden, own.filters, gaussians_, generator)));
  out_weight_ = register_parameter("out_weight", xavier(embedding, own.hidden, generator));
  out_bias_ = register_parameter("out_bias", at::zeros({embedding}, weight_options()));
}

std::vector<Field> SchNetEmbedder::Settings::fields() {
  return {
      {"hidden", &hidden, "Numbers that are kept of an atom", 1, 4096},
      {"filters", &filters, "Numbers of a message and its filter", 1, 4096},
      {"interactions", &interactions, "Rounds of messages between the atoms", 1, 64},
      {"gaussians", &gaussians, "Gaussians in which a distance is seen", 2, 1000},
      {"cutoff", &cutoff, "Distance from which atoms do not see each other, Angstrom", 0.1, 1000},
      {"neighbors", &neighbors, "Most neighbors of an atom, the nearest", 1, 10000},
      Field::choice("readout", &readout, "Mean or sum of the atoms' numbers", {"mean", "sum"}),
  };
}

std::shared_ptr<Embedder> SchNetEmbedder::make(const EmbedderConfig& config, const ObservationShape& x,
                                               at::Generator generator) {
  PAIRS_CHECK(x.rows > 0 && x.sizes.size() == 1 && x.sizes[0] == 4,
              "an embedder of kind schnet takes molecules, ragged rows of 4 numbers [Z, x, y, z], not {} [{}]",
              x.rows > 0 ? "rows" : "observations", fmt::join(x.sizes, ", "));
  return std::make_shared<SchNetEmbedder>(config.of<Settings>(), config.size, x.rows, std::move(generator));
}

torch::Tensor SchNetEmbedder::forward(const Observations& x) {
  const torch::Tensor& rows = x.rows();
  PAIRS_CHECK(rows.size(1) == 4, "SchNet takes rows of 4 numbers [Z, x, y, z], not of {}", rows.size(1));
  PAIRS_CHECK(!rows.requires_grad(), "SchNet gives no gradient of the places of atoms: detach them");
  if (x.count() == 0) return at::empty({0, size()}, rows.options().dtype(torch::kFloat));
  check_atoms(x, !is_training());
  const torch::Tensor offsets = send(x.offsets(), rows.device());
  const bool gradients = torch::GradMode::is_enabled();

  // Distances of the tables in steps relative to a Gaussian's width, which is the distance between two Gaussians.
  const std::int64_t cells = kPointsPerGaussian * (gaussians_ - 1);
  const auto fine = rows.options().dtype(torch::kDouble);
  const torch::Tensor place =
      at::arange(-1, cells + 2, fine).div_(static_cast<double>(kPointsPerGaussian)).unsqueeze(1);
  const torch::Tensor basis = (place - at::arange(gaussians_, fine)).to(torch::kFloat).square_().mul_(-0.5).exp_();
  const torch::Tensor decay =
      place.mul(std::numbers::pi / static_cast<double>(gaussians_ - 1)).cos_().add_(1).mul_(0.5).to(torch::kFloat);

  const ops::Neighbors near = ops::nearest_neighbors(rows.slice(1, 1), offsets, cutoff_, neighbors_);
  const ops::FilterPlan plan =
      ops::plan_filter(near, offsets, cutoff_ / static_cast<double>(cells), cells + 3, gradients);
  torch::Tensor h = at::embedding(elements_, rows.select(1, 0).to(torch::kLong), 0);
  for (const auto& interaction : interactions_) h = interaction->forward(h, basis, decay, plan);
  torch::Tensor molecule = ops::segment_mean(h, offsets);
  if (sums_) molecule = molecule * (offsets.diff().to(torch::kFloat) / kAtomsOfSum).unsqueeze(1);
  return ops::linear_act(molecule, out_weight_, out_bias_, "none");
}

double SchNetEmbedder::flops() const {
  const double pairs = atoms_ * std::max(0.0, std::min(static_cast<double>(neighbors_), atoms_ - 1));
  double total = twice(out_weight_);
  for (const auto& interaction : interactions_)
    total += atoms_ * interaction->atom_flops() + pairs * interaction->pair_flops();
  return total;
}

double SchNetEmbedder::activations() const {
  const double pairs = atoms_ * std::max(0.0, std::min(static_cast<double>(neighbors_), atoms_ - 1));
  const auto hidden = static_cast<double>(elements_.size(1));
  double filters = 0;
  if (!interactions_.empty()) filters = static_cast<double>(interactions_[0]->named_parameters()["in_weight"].size(0));
  // A round keeps its atoms, their messages before and after the filter, and the update's hidden layer with its slopes
  // and result. A pair has its place in the tables and its weights, in two orders, and its distance.
  return static_cast<double>(interactions_.size()) * atoms_ * (4 * hidden + 2 * filters) + 16 * pairs;
}

NetworkDescription SchNetEmbedder::describe() const {
  return described(*this,
                   {fmt::format("SchNet, {} interactions of width {}", interactions_.size(), elements_.size(1)),
                    fmt::format("{} Gaussians up to {:g} Å, at most {} neighbors", gaussians_, cutoff_, neighbors_),
                    sums_ ? "sum over the atoms" : "mean over the atoms",
                    widths_text(std::vector<std::int64_t>{elements_.size(1), size()})},
                   {{"kind", "schnet"}, {"cutoff", fmt::format("{:g}", cutoff_)}, {"readout", sums_ ? "sum" : "mean"}},
                   flops(), "SchNet",
                   "K. T. Schütt et al. SchNet: A continuous-filter convolutional neural network for modeling quantum "
                   "interactions. NeurIPS 2017.");
}

}  // namespace pairs

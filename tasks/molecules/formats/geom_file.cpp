#include "tasks/molecules/formats/geom_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text/error.h"
#include "tasks/molecules/formats/msgpack_reader.h"

namespace pairs {
namespace {

// No molecule's coordinates are this far from its origin, in Å.
constexpr double kFarthest = 1e4;
// Coordinates of one molecule held in memory while it is read.
constexpr std::size_t kMostNumbers = 32 << 20;

struct GeomConformer {
  std::vector<std::uint8_t> elements;
  std::vector<float> positions;
  double weight = -1.0, energy = std::numeric_limits<double>::quiet_NaN();
  bool numbers = true;  // all coordinates are numbers
};

class GeomMolecule {
 public:
  GeomMolecule(MsgpackReader& in, const MoleculeLimits& limits) : in_(in), limits_(limits) {}

  // Reads the value after a SMILES into the entry.
  void read(MoleculeEntry& entry) {
    const std::optional<std::uint32_t> keys = in_.map();
    if (!keys) return refuse(entry, SetAsideReason::syntax, "the SMILES leads to no map");
    for (std::uint32_t k = 0; k < *keys; ++k) {
      if (in_.text(64).value_or("") == "conformers")
        read_conformers();
      else
        in_.skip();
    }
    if (too_large_) return refuse(entry, SetAsideReason::size, "more atoms or conformers than are read");
    if (wrong_) return refuse(entry, SetAsideReason::syntax, "its conformers are not laid out as GEOM's are");
    if (conformers_.empty()) return refuse(entry, SetAsideReason::conformer, "the file holds no conformer of it");
    deliver(entry);
  }

 private:
  static void refuse(MoleculeEntry& entry, SetAsideReason reason, const char* detail) {
    entry.bad = reason;
    entry.detail = detail;
  }

  void read_conformers() {
    conformers_.clear();
    const std::optional<std::uint32_t> count = in_.array();
    wrong_ = wrong_ || !count;
    for (std::uint32_t c = 0; c < count.value_or(0); ++c) {
      const std::optional<std::uint32_t> keys = in_.map();
      if (!keys) {
        wrong_ = true;
        continue;
      }
      GeomConformer conformer;
      double relative = std::numeric_limits<double>::quiet_NaN();
      for (std::uint32_t k = 0; k < *keys; ++k) {
        const std::string key = in_.text(64).value_or("");
        if (key == "xyz")
          read_atoms(conformer);
        else if (key == "boltzmannweight")
          conformer.weight = in_.number().value_or(-1.0);
        else if (key == "totalenergy")
          conformer.energy = in_.number().value_or(conformer.energy);
        else if (key == "relativeenergy")
          relative = in_.number().value_or(relative);
        else
          in_.skip();
      }
      absolute_ = absolute_ && std::isfinite(conformer.energy);
      relative_.push_back(relative);
      numbers_ += conformer.positions.size();
      too_large_ = too_large_ || numbers_ > kMostNumbers || conformers_.size() >= (1u << 20);
      if (!too_large_) conformers_.push_back(std::move(conformer));
    }
  }

  void read_atoms(GeomConformer& conformer) {
    const std::optional<std::uint32_t> atoms = in_.array();
    wrong_ = wrong_ || !atoms;
    conformer.elements.clear();
    conformer.positions.clear();
    for (std::uint32_t a = 0; a < atoms.value_or(0); ++a) {
      const std::optional<std::uint32_t> row = in_.array();
      if (!row || *row != 4) {
        for (std::uint32_t k = 0; k < row.value_or(0); ++k) in_.skip();
        wrong_ = true;
        continue;
      }
      double values[4];
      for (double& value : values) value = in_.number().value_or(std::numeric_limits<double>::quiet_NaN());
      if (static_cast<std::int64_t>(conformer.elements.size()) >= limits_.atoms) {
        too_large_ = true;
        continue;
      }
      const double z = values[0];
      const bool element = z >= 0.0 && z <= 255.0 && z == std::floor(z);
      wrong_ = wrong_ || !element;
      conformer.elements.push_back(element ? static_cast<std::uint8_t>(z) : 0);
      for (int k = 1; k < 4; ++k) {
        const bool good = std::abs(values[k]) < kFarthest;
        conformer.numbers = conformer.numbers && good;
        conformer.positions.push_back(good ? static_cast<float>(values[k]) : 0.0f);
      }
    }
    wrong_ = wrong_ || conformer.elements.empty();
  }

  void deliver(MoleculeEntry& entry) {
    // The order of atoms in most conformers.
    std::map<std::string, std::int64_t> orders;
    for (const GeomConformer& c : conformers_)
      if (c.numbers) ++orders[std::string(c.elements.begin(), c.elements.end())];
    if (orders.empty())
      return refuse(entry, SetAsideReason::conformer, "the coordinates of its conformers are no numbers");
    const auto most = std::max_element(orders.begin(), orders.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    entry.elements.assign(most->first.begin(), most->first.end());

    const bool relative = std::all_of(relative_.begin(), relative_.end(), [](double e) { return std::isfinite(e); });
    std::vector<std::size_t> order;
    for (std::size_t c = 0; c < conformers_.size(); ++c) {
      if (!absolute_ && relative) conformers_[c].energy = relative_[c];
      if (conformers_[c].numbers && conformers_[c].elements == entry.elements) order.push_back(c);
    }
    entry.odd_conformers = static_cast<std::int64_t>(conformers_.size() - order.size());
    if (absolute_ || relative)
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return conformers_[a].energy < conformers_[b].energy; });
    if (static_cast<std::int64_t>(order.size()) > limits_.conformers)
      order.resize(static_cast<std::size_t>(limits_.conformers));

    double total = 0.0;
    bool weighted = true;
    entry.positions.reserve(order.size() * 3 * entry.elements.size());
    for (const std::size_t c : order) {
      const GeomConformer& from = conformers_[c];
      entry.positions.insert(entry.positions.end(), from.positions.begin(), from.positions.end());
      weighted = weighted && from.weight >= 0.0 && std::isfinite(from.weight);
      total += from.weight;
    }
    if (weighted && total > 0.0 && std::isfinite(total))
      for (const std::size_t c : order) entry.weights.push_back(static_cast<float>(conformers_[c].weight / total));
  }

  MsgpackReader& in_;
  const MoleculeLimits& limits_;
  std::vector<GeomConformer> conformers_;
  std::vector<double> relative_;
  std::size_t numbers_ = 0;
  bool wrong_ = false, too_large_ = false, absolute_ = true;
};

}  // namespace

void read_geom(ByteSource& source, const std::string& where, const MoleculeLimits& limits,
               const OnMolecule& on_molecule) {
  MsgpackReader in(source, where);
  std::int64_t molecules = 0;
  MoleculeEntry entry;
  bool delivering = false;  // errors of the receiver are not the file's
  try {
    while (!in.at_end()) {
      const std::optional<std::uint32_t> count = in.map();
      PAIRS_CHECK(count || molecules > 0, "{} is not laid out as GEOM's msgpack: it does not begin with a map", where);
      for (std::uint32_t k = 0; k < count.value_or(0); ++k) {
        entry = {};
        entry.place = fmt::format("molecule {}", molecules + 1);
        const std::optional<std::string> smiles = in.text(kLongestSmiles + 1);
        entry.smiles = smiles.value_or("");
        GeomMolecule(in, limits).read(entry);
        if (!smiles) {
          entry.bad = SetAsideReason::syntax;
          entry.detail = "the key of the map is no text";
        }
        ++molecules;
        delivering = true;
        if (!on_molecule(std::move(entry))) return;
        delivering = false;
      }
    }
    PAIRS_CHECK(molecules > 0, "{} holds no molecule: check that it is the right file", where);
  } catch (const Error& error) {
    if (delivering || molecules == 0) throw;
    MoleculeEntry rest;
    rest.smiles = entry.smiles;
    rest.place = fmt::format("molecule {}", molecules + 1);
    rest.bad = SetAsideReason::damaged;
    rest.detail = error.what();
    on_molecule(std::move(rest));
  }
}

}  // namespace pairs

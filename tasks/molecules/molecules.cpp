#include "tasks/molecules/molecules.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <variant>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/sets/index_map.h"
#include "core/sets/permutation.h"
#include "tasks/molecules/charged_forms.h"
#include "tasks/molecules/chemistry/charges.h"
#include "tasks/molecules/chemistry/depiction.h"
#include "tasks/molecules/environments.h"
#include "tasks/molecules/given_molecule.h"
#include "tasks/molecules/molecule_file.h"
#include "tasks/molecules/molecule_look.h"
#include "tasks/molecules/molecule_parts.h"
#include "tasks/molecules/showcase.h"
#include "tasks/parts/bodies.h"
#include "tasks/parts/items.h"
#include "tasks/parts/rows.h"

namespace pairs {

std::vector<Field> MoleculesSettings::fields() {
  return {
      {"molecules", &molecules, "How many molecules of the source are used, the first so many; 0: all", 0, 10000000},
      {"conformers", &conformers, "Conformers of a molecule, made or kept of the file's: the largest set", 1, 1000},
      {"pretrain_conformers", &pretrain_conformers,
       "Conformers of a molecule of stage 1's part; 0: as many as of others", 0, 1000},
      {"optimize", &optimize, "Conformers that are made are optimized by MMFF94"},
      {"charged", &charged, "After each of RDKit's molecules its charged form, where it has one"},
      {"variants", &variants,
       "After each of RDKit's molecules of stage 1's part so many that are made of it by random edits, after others "
       "one",
       0, 100},
  };
}

namespace {

constexpr double kStored = 1000;  // psi of the store's first molecule
static_assert(Showcase::kMost <= kStored);

// Mean and spread of the prior of logP, about those of RDKit's molecules (2.95 and 1.37). Every source uses the same
// values, so that scores are on one scale.
constexpr double kMeanLogp = 3.0, kSdLogp = 1.4;

ConformerSettings conformers_of(const MoleculesSettings& settings) {
  ConformerSettings out;
  out.conformers = settings.conformers;
  out.optimize = settings.optimize;
  return out;
}

// Conformer settings for the molecules of the store, which are split into parts.
ConformerSettings stored_conformers_of(const MoleculesSettings& settings) {
  ConformerSettings out = conformers_of(settings);
  out.pretrain_conformers = settings.pretrain_conformers;
  return out;
}

// Packs conformers k = 0 .. count - 1 of atoms(k) atoms, which fill(k, rows) writes, as ragged rows on `device`. Uses
// all threads.
template <class Atoms, class Fill>
Observations packed(std::int64_t count, Atoms atoms, Fill fill, const torch::Device& device) {
  torch::Tensor offsets = at::empty({count + 1}, torch::kInt64);
  auto* offset = offsets.mutable_data_ptr<std::int64_t>();
  offset[0] = 0;
  for (std::int64_t k = 0; k < count; ++k) offset[k + 1] = offset[k] + atoms(k);
  torch::Tensor rows = at::empty({offset[count], 4}, torch::kFloat32);
  auto* out = rows.mutable_data_ptr<float>();
  at::parallel_for(0, count, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) fill(k, out + 4 * offset[k]);
  });
  return Observations::ragged(send(rows, device), offsets);
}

void fill_rows(const std::uint8_t* elements, const float* positions, std::int64_t atoms, float* rows) {
  for (std::int64_t a = 0; a < atoms; ++a) {
    rows[4 * a] = elements[a];
    std::copy_n(positions + 3 * a, 3, rows + 4 * a + 1);
  }
}

void fill_conformer(const PreparedMolecule& molecule, std::int64_t conformer, float* rows) {
  const auto atoms = static_cast<std::int64_t>(molecule.elements.size());
  fill_rows(molecule.elements.data(), molecule.positions.data() + 3 * atoms * conformer, atoms, rows);
}

void fill_conformer(const ConformerStore& store, std::int64_t molecule, std::int64_t conformer, float* rows) {
  const std::int64_t atoms = store.molecule(molecule).atoms;
  thread_local std::vector<std::uint8_t> elements;
  thread_local std::vector<float> positions;
  elements.resize(static_cast<std::size_t>(atoms));
  positions.resize(static_cast<std::size_t>(3 * atoms));
  store.read_conformer(molecule, conformer, elements.data(), positions.data());
  fill_rows(elements.data(), positions.data(), atoms, rows);
}

// The conformer, among a molecule's `conformers`, that is observation j of a set.
class ConformerOrder {
 public:
  ConformerOrder(std::uint64_t key, std::int64_t set, std::int64_t conformers)
      : key_(Stream(key, static_cast<std::uint64_t>(set), index_map::kSetItem).bits64()),
        conformers_(static_cast<std::uint64_t>(conformers)) {}
  std::int64_t operator()(std::int64_t j) const {
    return static_cast<std::int64_t>(permuted(key_, conformers_, static_cast<std::uint64_t>(j) % conformers_));
  }

 private:
  std::uint64_t key_, conformers_;
};

// The molecule, among `count`, that set `index` is about: each is used, in an order given by the key, before one
// repeats.
std::int64_t subject_of(std::uint64_t key, std::int64_t index, std::int64_t count) {
  const auto all = static_cast<std::uint64_t>(count), set = static_cast<std::uint64_t>(index);
  const std::uint64_t round = set / all;
  if (round > 0) key = Stream(key, round, index_map::kSetItem).bits64();
  return static_cast<std::int64_t>(permuted(key, all, set % all));
}

class Molecules final : public Task, public Bodies, public Items {
 public:
  explicit Molecules(const TaskOptions& options)
      : settings_(options.settings.as<MoleculesSettings>()),
        found_(molecules_in(options.data, settings_.charged, settings_.variants)),
        parts_(found_.source, stored_conformers_of(settings_), settings_.molecules, found_.name),
        showcase_(Showcase::of(found_, conformers_of(settings_))) {
    info_.name = "molecules";
    info_.title = "Molecular lipophilicity";
    info_.summary = "Lipophilicity (logP) of a molecule, inferred from its conformers.";
    info_.theta_text =
        "θ is the molecule's Crippen logP, the logarithm of its octanol-water partition, as RDKit adds it up.";
    info_.psi_text = "ψ is which molecule it is.";
    info_.x_text =
        "Each x is a conformer of the molecule: the elements of its atoms, hydrogens included, and their places in Å.";
    info_.targets = {{"logp", "logP", "", -std::numeric_limits<double>::infinity(),
                      std::numeric_limits<double>::infinity(), kMeanLogp, kSdLogp, 15, -2, 8, "lipophilicity"}};
    info_.nuisances = {
        {"molecule", "molecule", "", 0, static_cast<double>(Showcase::kMost - 1), -1, "which one it is"}};
    info_.question = {"Which lipophilicity θ = logP has the molecule of this conformer?",
                      "Which lipophilicity θ = logP has the molecule that takes these {} conformers?"};
    info_.max_n = settings_.conformers;
    info_.pretrain_max_n = settings_.pretrain_conformers;
    info_.kind = ObservationKind::rows;
    info_.observation_shape = {4};
    info_.observation_columns = {"Z", "x", "y", "z"};
    info_.rows = 40;
    info_.subject = "molecule";
    info_.subjects = "molecules";
    // Where all molecules of a source are used, their number is not known before the source is read.
    info_.pool = 0.2 * static_cast<double>(settings_.molecules * settings_.conformers);
    info_.data_source = found_.name;
    if (found_.bundled)
      info_.data_hint =
          "These molecules come with RDKit: for others, name a file of SMILES (.smi, .csv), an SDF or GEOM-Drugs' "
          "drugs_crude.msgpack, or the folder that holds one, under Real data on the window's Settings page, or in "
          "PAIRS_DATA before the start.";
    if (const MoleculesSettings usual; settings_.molecules != usual.molecules ||
                                       settings_.conformers != usual.conformers || settings_.optimize != usual.optimize)
      info_.variant = fmt::format(
          "{}, {} of each{}",
          settings_.molecules > 0 ? fmt::format("the first {} molecules", settings_.molecules) : "all molecules",
          counted(static_cast<std::size_t>(settings_.conformers), "conformer"), settings_.optimize ? ", MMFF94" : "");
  }

  const TaskInfo& info() const override { return info_; }

  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    const auto sets = static_cast<std::int64_t>(indices.size());
    Latents out{at::empty({sets, 1}, torch::kFloat64), at::empty({sets, 1}, torch::kFloat64)};
    if (sets == 0) return out;
    auto *theta = out.theta.mutable_data_ptr<double>(), *psi = out.psi.mutable_data_ptr<double>();
    const std::uint64_t key = stream_key(seed, purpose);
    const bool stored = MoleculeParts::holds(purpose);
    const MoleculePart* part = stored ? &parts_.part(purpose) : nullptr;
    const std::int64_t count = stored ? part->size() : showcase_->count();
    for (std::size_t k = 0; k < indices.size(); ++k) {
      const std::int64_t subject = subject_of(key, indices[k], count);
      const std::int64_t molecule = stored ? part->molecules[static_cast<std::size_t>(subject)] : subject;
      psi[k] = stored ? kStored + static_cast<double>(molecule) : static_cast<double>(molecule);
      theta[k] = stored ? parts_.store().molecule(molecule).logp : showcase_->molecule(molecule).logp;
    }
    return out;
  }

  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    const Rows rows(ranges, latents, info_);
    const std::uint64_t key = stream_key(seed, purpose);
    if (MoleculeParts::holds(purpose)) {
      const ConformerStore& store = parts_.store();
      const std::vector<Member> members = draw(latents, key, ranges, rows, &store);
      return packed(
          rows.total(),
          [&](std::int64_t k) { return store.molecule(members[static_cast<std::size_t>(k)].molecule).atoms; },
          [&](std::int64_t k, float* out) {
            const Member& member = members[static_cast<std::size_t>(k)];
            fill_conformer(store, member.molecule, member.conformer, out);
          },
          device);
    }
    embed(latents);
    const std::vector<Member> members = draw(latents, key, ranges, rows, nullptr);
    const auto molecule = [&](std::int64_t k) -> const PreparedMolecule& {
      return showcase_->conformers(members[static_cast<std::size_t>(k)].molecule);
    };
    return packed(
        rows.total(), [&](std::int64_t k) { return static_cast<std::int64_t>(molecule(k).elements.size()); },
        [&](std::int64_t k, float* out) {
          fill_conformer(molecule(k), members[static_cast<std::size_t>(k)].conformer, out);
        },
        device);
  }

  void prepare(const Preparation& preparation) const override {
    if (!found_.problem.empty()) fail("{}", found_.problem);
    parts_.prepare(preparation);
  }

  std::int64_t subjects(Purpose purpose) const override {
    return MoleculeParts::holds(purpose) ? parts_.part(purpose).size() : showcase_->count();
  }

  PoolDraws pool_draws(const Latents& latents, std::uint64_t seed, Purpose purpose,
                       std::span<const SetRange> ranges) const override {
    if (!pools(purpose)) return {};
    const Rows rows(ranges, latents, info_);
    const MoleculePart& part = parts_.part(purpose);
    const std::vector<Member> members = draw(latents, stream_key(seed, purpose), ranges, rows, &parts_.store());
    PoolDraws out{at::empty({rows.total()}, torch::kInt64), at::empty({rows.total()}, torch::kInt64),
                  part.conformers()};
    auto *member = out.member.mutable_data_ptr<std::int64_t>(), *stratum = out.stratum.mutable_data_ptr<std::int64_t>();
    for (std::size_t k = 0; k < members.size(); ++k) {
      const std::size_t place = part.place(members[k].molecule);
      member[k] = part.first[place] + members[k].conformer;
      stratum[k] = static_cast<std::int64_t>(place);
    }
    return out;
  }

  std::int64_t pool_size(Purpose purpose) const override {
    return pools(purpose) ? parts_.part(purpose).conformers() : 0;
  }

  Observations pool_members(Purpose purpose, std::int64_t first, std::int64_t count,
                            const torch::Device& device) const override {
    PAIRS_CHECK(pools(purpose), "Molecules have pools for stage 2 and its validation alone");
    const MoleculePart& part = parts_.part(purpose);
    PAIRS_CHECK(first >= 0 && count >= 0 && first <= part.conformers() - count,
                "The pool of {} conformers has no members {} .. {}", part.conformers(), first, first + count - 1);
    const ConformerStore& store = parts_.store();
    return packed(
        count, [&](std::int64_t k) { return store.molecule(part.molecules[part.owner(first + k)]).atoms; },
        [&](std::int64_t k, float* out) {
          const std::size_t owner = part.owner(first + k);
          fill_conformer(store, part.molecules[owner], first + k - part.first[owner], out);
        },
        device);
  }

  // Changing θ selects the showcase's molecule with the nearest logP; changing the molecule sets its θ.
  void constrain(Latents& latents, Component changed) const override {
    auto *theta = latents.theta.mutable_data_ptr<double>(), *psi = latents.psi.mutable_data_ptr<double>();
    std::int64_t molecule = shown_number(psi[0]);
    if (!changed.nuisance) {
      const auto distance = [&](std::int64_t k) { return std::abs(showcase_->molecule(k).logp - theta[0]); };
      // Between equally near molecules, the one that is shown stays.
      for (std::int64_t k = 0; k < showcase_->count(); ++k)
        if (distance(k) < distance(molecule)) molecule = k;
    }
    psi[0] = static_cast<double>(molecule);
    theta[0] = showcase_->molecule(molecule).logp;
  }

  std::string bodies_title() const override { return "conformers"; }

  std::vector<Body> bodies(const Latents& latents, const Observations& x, std::int64_t most) const override {
    const torch::Tensor rows = x.rows().to(torch::kCPU, torch::kFloat32).contiguous();
    const auto* offset = x.offsets().const_data_ptr<std::int64_t>();
    const auto conformer = [&](std::int64_t k) {
      return std::span<const float>(rows.const_data_ptr<float>() + 4 * offset[k],
                                    static_cast<std::size_t>(4 * (offset[k + 1] - offset[k])));
    };
    const std::optional<MoleculeIdentity> known = identity(latents);
    std::vector<std::uint8_t> elements;
    std::vector<SolidBond> bonds;
    if (known && known->graph_order) {
      elements = elements_of_graph(known->canonical);
      bonds = bonds_of_graph(known->canonical);
    }
    std::vector<Body> out;
    for (std::int64_t k = 0; k < std::min(most, x.count()); ++k) {
      const std::span<const float> atoms = conformer(k);
      out.push_back(molecule_body(atoms, is_of(atoms, elements) ? bonds : bonds_near(atoms), conformer(0)));
    }
    return out;
  }

  std::string subject_text(const Latents& latents) const override {
    const std::optional<MoleculeIdentity> known = identity(latents);
    if (!known) return "";
    return fmt::format("{}{}, logP {:.2f}", known->name.empty() ? "" : printable(known->name, 40) + ": ",
                       printable(known->canonical, 100), known->logp);
  }

  PlaneDrawing plane_drawing(const Latents& latents) const override {
    const std::optional<MoleculeIdentity> known = identity(latents);
    return known ? molecule_formula(draw_molecule(known->canonical)) : PlaneDrawing();
  }

  std::string item() const override { return "molecule"; }
  std::string item_help() const override {
    return "a SMILES string, or a file of molecules (.smi, .sdf, .mol, .csv, GEOM's .msgpack)";
  }
  bool is_item(const std::string& text) const override { return names_molecule(text); }

  // Lists the rows of a table or a list, or the records of an SDF; records are kept until another file is listed, so
  // that each is read once.
  std::vector<NamedItem> items_in(const std::filesystem::path& file, std::size_t most) const override {
    std::vector<NamedItem> items;
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return items;
    std::vector<ListedMolecule> listed = listed_molecules(file, conformers_of(settings_).limits, most);
    const bool records = !listed.empty() && listed_record(listed.front().text);
    for (ListedMolecule& one : listed) items.push_back({one.text, std::move(one.name)});
    if (records && listed.size() > 1 && listed.size() < most) {  // if these are all
      const std::lock_guard lock(mutex_);
      records_.clear();
      records_written_ = std::filesystem::last_write_time(file, error);
      for (ListedMolecule& one : listed)
        records_[std::move(one.text)] = std::make_shared<const MoleculeEntry>(std::move(one.entry));
    }
    return items;
  }

  ItemSet read_item(const std::string& text, std::int64_t n, std::uint64_t seed, const std::string& up) const override {
    if (!up.empty()) fail_usage("Molecules have no axis that points up: leave {} out", printable(up, 30));
    const std::shared_ptr<const MoleculeEntry> known = record_kept(text);
    GivenMolecule given = given_molecule(text, conformers_of(settings_), known.get());
    const PreparedMolecule& molecule = given.molecule;
    if (n < 0 || n > info_.max_n)
      fail_usage("A set has 1 to {} conformers, not {}: set {} to more", info_.max_n, n, "task.conformers"_key);
    if (n > molecule.conformers)
      fail_usage("{} has {}, not {}: ask for fewer", given.title,
                 counted(static_cast<std::size_t>(molecule.conformers), "conformer"), n);
    // For a part of a file, the first ones in its order; otherwise in an order given by the seed.
    const bool first = n > 0 && given.of_file;
    if (n == 0) n = std::min(molecule.conformers, info_.max_n);
    const ConformerOrder order(stream_key(seed, Purpose::explore), static_cast<std::int64_t>(molecule.hash >> 20),
                               molecule.conformers);
    const auto atoms = static_cast<std::int64_t>(molecule.elements.size());
    ItemSet out;
    out.title = given.title;
    out.warnings = std::move(given.warnings);
    out.x = packed(
        n, [&](std::int64_t) { return atoms; },
        [&](std::int64_t k, float* rows) { fill_conformer(molecule, first ? k : order(k), rows); }, torch::kCPU);
    out.latents.theta = torch::full({1, 1}, molecule.logp, torch::kFloat64);
    out.latents.psi = torch::full({1, 1}, remember(molecule), torch::kFloat64);
    out.kind = carries_charge(molecule.canonical) ? "charged molecule" : "uncharged molecule";
    const std::variant<Molecule, Refusal> parsed = parse_molecule(molecule.canonical);
    if (const Molecule* graph = std::get_if<Molecule>(&parsed)) out.parts = atom_environments(*graph, true);
    return out;
  }

  void training_parts(const std::function<bool(std::vector<ItemPart>&& parts, bool held_out)>& next) const override {
    const ConformerSettings settings = conformers_of(settings_);
    std::unordered_set<std::uint64_t> seen;
    read_molecules(found_.source, settings.limits, [&](MoleculeEntry&& entry) {
      if (entry.bad) return true;
      const std::variant<Molecule, Refusal> parsed = parse_molecule(entry.smiles, settings.limits);
      const Molecule* molecule = std::get_if<Molecule>(&parsed);
      if (!molecule || !seen.insert(molecule_hash(molecule->canonical)).second) return true;
      const std::uint64_t flat = molecule_hash(parent_smiles(*molecule));
      const MoleculeSplit split = molecule_split(flat);
      const bool learned = split == MoleculeSplit::pretrain && !is_validation_molecule(flat);
      // Edited molecules are training data, too; the rate of new parts in a molecule is measured on real ones.
      const bool counts = split != MoleculeSplit::test && (learned || !entry.edited);
      if (counts && !next(atom_environments(*molecule, false), !learned)) return false;
      return settings_.molecules == 0 || static_cast<std::int64_t>(seen.size()) < settings_.molecules;
    });
  }

 private:
  // The origin of an observation: a molecule of the store or of the showcase, and one of its conformers.
  struct Member {
    std::int64_t molecule, conformer;
  };

  // A molecule's identity for display.
  struct MoleculeIdentity {
    std::string canonical, name;
    double logp = 0;
    bool graph_order = false;
  };

  static bool pools(Purpose purpose) { return purpose == Purpose::finetune || purpose == Purpose::finetune_validation; }

  // The showcase's molecule nearest to a number set by hand.
  std::int64_t shown_number(double psi) const {
    const auto last = static_cast<double>(showcase_->count() - 1);
    return std::llround(std::isfinite(psi) ? std::clamp(psi, 0.0, last) : 0.0);
  }

  static std::int64_t stored_number(double psi, const ConformerStore& store) {
    const auto last = static_cast<double>(store.molecules() - 1);
    return std::llround(std::isfinite(psi) ? std::clamp(psi - kStored, 0.0, last) : 0.0);
  }

  // Embeds the requested molecules that are not embedded yet, each on its own thread.
  void embed(const Latents& latents) const {
    const auto* psi = latents.psi.const_data_ptr<double>();
    std::vector<bool> wanted(static_cast<std::size_t>(showcase_->count()), false);
    for (std::int64_t k = 0; k < latents.psi.size(0); ++k)
      wanted[static_cast<std::size_t>(shown_number(psi[k]))] = true;
    std::vector<std::int64_t> molecules;
    for (std::size_t k = 0; k < wanted.size(); ++k)
      if (wanted[k]) molecules.push_back(static_cast<std::int64_t>(k));
    at::parallel_for(0, static_cast<std::int64_t>(molecules.size()), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) showcase_->conformers(molecules[static_cast<std::size_t>(k)]);
    });
  }

  // The members behind the observations of the ranges, in the store or, if it is null, in the showcase.
  std::vector<Member> draw(const Latents& latents, std::uint64_t key, std::span<const SetRange> ranges,
                           const Rows& rows, const ConformerStore* store) const {
    const auto* psi = latents.psi.const_data_ptr<double>();
    std::vector<Member> out(static_cast<std::size_t>(rows.total()));
    std::size_t at = 0;
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      if (ranges[k].count == 0) continue;
      const std::int64_t molecule = store ? stored_number(psi[k], *store) : shown_number(psi[k]);
      const std::int64_t conformers =
          store ? store->molecule(molecule).conformers : showcase_->conformers(molecule).conformers;
      const ConformerOrder order(key, ranges[k].index, conformers);
      for (std::int64_t j = 0; j < ranges[k].count; ++j) out[at++] = {molecule, order(ranges[k].first + j)};
    }
    return out;
  }

  // The entry of a record read by items_in, if its file has not changed; else null.
  std::shared_ptr<const MoleculeEntry> record_kept(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    const auto at = records_.find(text);
    const std::optional<MoleculeRecord> record = at == records_.end() ? std::nullopt : listed_record(text);
    std::error_code error;
    return record && std::filesystem::last_write_time(record->file, error) == records_written_ ? at->second : nullptr;
  }

  // Assigns a given molecule a number, which identifies it as psi.
  double remember(const PreparedMolecule& molecule) const {
    const std::lock_guard lock(mutex_);
    const auto known = std::find_if(given_.begin(), given_.end(), [&](const MoleculeIdentity& one) {
      return one.canonical == molecule.canonical && one.graph_order == molecule.graph_order;
    });
    const auto number = static_cast<std::size_t>(known - given_.begin());
    if (known == given_.end())
      given_.push_back({molecule.canonical, molecule.name, molecule.logp, molecule.graph_order});
    return -1.0 - static_cast<double>(number);
  }

  // The molecule that one set's latents refer to; none if this task does not know it.
  std::optional<MoleculeIdentity> identity(const Latents& latents) const {
    const double psi = latents.psi[0][0].item<double>();
    if (psi < 0) {
      const std::lock_guard lock(mutex_);
      const double number = -1 - psi;
      if (!(number < static_cast<double>(given_.size()))) return std::nullopt;
      return given_[static_cast<std::size_t>(number)];
    }
    if (psi >= kStored) {
      if (!parts_.is_open()) return std::nullopt;
      const ConformerStore& store = parts_.store();
      const std::int64_t m = stored_number(psi, store);
      return MoleculeIdentity{store.canonical(m), store.name(m), store.molecule(m).logp, store.molecule(m).graph_order};
    }
    const PreparedMolecule& shown = showcase_->molecule(shown_number(psi));
    return MoleculeIdentity{shown.canonical, shown.name, shown.logp, shown.graph_order};
  }

  static std::vector<std::uint8_t> elements_of_graph(const std::string& canonical) {
    const std::variant<Molecule, Refusal> parsed = parse_molecule(canonical);
    const Molecule* molecule = std::get_if<Molecule>(&parsed);
    return molecule ? molecule_elements(*molecule) : std::vector<std::uint8_t>();
  }

  static bool is_of(std::span<const float> rows, const std::vector<std::uint8_t>& elements) {
    if (elements.empty() || rows.size() != 4 * elements.size()) return false;
    for (std::size_t a = 0; a < elements.size(); ++a)
      if (rows[4 * a] != static_cast<float>(elements[a])) return false;
    return true;
  }

  static std::vector<SolidBond> bonds_near(std::span<const float> rows) {
    std::vector<std::uint8_t> elements;
    std::vector<float> positions;
    for (std::size_t a = 0; a < rows.size(); a += 4) {
      elements.push_back(static_cast<std::uint8_t>(std::clamp(rows[a], 0.0f, 255.0f)));
      positions.insert(positions.end(), rows.begin() + static_cast<std::ptrdiff_t>(a) + 1,
                       rows.begin() + static_cast<std::ptrdiff_t>(a) + 4);
    }
    return bonds_by_distance(elements, positions);
  }

  MoleculesSettings settings_;
  FoundMolecules found_;
  MoleculeParts parts_;
  std::shared_ptr<const Showcase> showcase_;
  TaskInfo info_;
  mutable std::mutex mutex_;
  mutable std::vector<MoleculeIdentity> given_;
  mutable std::map<std::string, std::shared_ptr<const MoleculeEntry>> records_;  // records of the last listed file
  mutable std::filesystem::file_time_type records_written_;
};

}  // namespace

std::shared_ptr<const Task> make_molecules(const TaskOptions& options) {
  return std::make_shared<Molecules>(options);
}

}  // namespace pairs

#include "tasks/molecules/molecule_account.h"

#include <ATen/Parallel.h>

#include <array>
#include <filesystem>
#include <optional>
#include <unordered_set>
#include <utility>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/molecules/charged_forms.h"
#include "tasks/molecules/chemistry/chemistry.h"
#include "tasks/molecules/conformers.h"
#include "tasks/molecules/molecule_parts.h"
#include "tasks/molecules/molecule_source.h"
#include "tasks/molecules/splits.h"

namespace pairs {
namespace {

// How the store will treat a row of a file.
struct AccountRow {
  MoleculeEntry entry;
  std::optional<Refusal> refusal;
  std::uint64_t hash = 0, flat_hash = 0;
  std::int64_t conformers = 0;
};

void judge(AccountRow& row) {
  const MoleculeEntry& entry = row.entry;
  if (entry.bad) {
    row.refusal = Refusal{*entry.bad, entry.detail};
    return;
  }
  std::variant<Molecule, Refusal> parsed = parse_molecule(entry.smiles);
  const Molecule* molecule = std::get_if<Molecule>(&parsed);
  if (molecule == nullptr) {
    row.refusal = std::get<Refusal>(std::move(parsed));
    return;
  }
  row.conformers = entry.conformers();
  if (row.conformers > 0 && !same_composition(*molecule, entry.elements)) {
    row.refusal = Refusal{molecule->largest_of_many ? SetAsideReason::fragments : SetAsideReason::composition, ""};
    return;
  }
  row.hash = molecule_hash(molecule->canonical);
  row.flat_hash = molecule_hash(parent_smiles(*molecule));
}

DataAccount::Aside aside_of(const AccountRow& row) {
  const std::string text = row.entry.smiles.empty() ? row.entry.name : row.entry.smiles;
  const std::string reason(set_aside_text(row.refusal->reason));
  return {text.empty() ? row.entry.place : fmt::format("{} ({})", row.entry.place, printable(text, 100)), reason,
          row.refusal->detail.empty() ? "" : fmt::format("{}: {}", reason, printable(row.refusal->detail, 200))};
}

}  // namespace

FoundData find_molecules(const std::string& folder) {
  FoundData out;
  out.files.push_back({"a file of molecules", ""});
  std::error_code ignored;
  if (folder.empty() || !std::filesystem::exists(folder, ignored)) {
    out.problem = "no folder or file of molecules is named";
    return out;
  }
  try {
    const FoundMolecules found = molecules_in(folder);
    if (found.bundled) {
      out.problem = "no file in it, or in molecules/ below it, holds molecules";
      return out;
    }
    out.files[0].at = found.source.file.string();
    out.source = found.name;
  } catch (const Error& error) {
    out.problem = error.what();
  }
  return out;
}

DataAccount account_of_molecules(const std::string& folder, const Preparation& follow) {
  constexpr std::size_t together = 512;
  const FoundMolecules found = molecules_in(folder);
  if (!found.problem.empty()) fail("{}", found.problem);
  DataAccount out;
  std::array<std::int64_t, 5> parts{};
  std::int64_t read = 0, given = 0, conformers = 0;
  double share = 0;
  std::unordered_set<std::uint64_t> known;
  std::vector<AccountRow> rows;
  const auto flush = [&] {
    at::parallel_for(0, static_cast<std::int64_t>(rows.size()), 4, [&](std::int64_t begin, std::int64_t end) {
      for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) judge(rows[k]);
    });
    for (AccountRow& row : rows) {
      if (!row.refusal && !known.insert(row.hash).second) {
        if (row.conformers == 0) row.refusal = Refusal{SetAsideReason::duplicate, ""};
      } else if (!row.refusal) {
        const MoleculeSplit split = molecule_split(row.flat_hash);
        const std::size_t held_out = is_validation_molecule(row.flat_hash) ? 1 : 0;
        ++parts[split == MoleculeSplit::pretrain ? held_out : split == MoleculeSplit::finetune ? 2 + held_out : 4];
        given += row.conformers > 0;
      }
      if (row.refusal)
        out.set_aside.push_back(aside_of(row));
      else
        conformers += row.conformers;
    }
    read += static_cast<std::int64_t>(rows.size());
    rows.clear();
    if (follow.progress) {
      const double all = share > 0 ? static_cast<double>(read) / share : 0;
      follow.progress("rows of molecules", read, static_cast<std::int64_t>(all + 0.5));
    }
  };
  read_molecules(
      found.source, {},
      [&](MoleculeEntry&& entry) {
        if (follow.stop && follow.stop()) throw Stopped();
        rows.emplace_back().entry = std::move(entry);
        if (rows.size() == together) flush();
        return true;
      },
      &share);
  share = 1;
  flush();
  out.counts = {{"molecules for stage 1", parts[0]},        {"molecules for its validation", parts[1]},
                {"molecules for stages 2 and 3", parts[2]}, {"molecules for their validation", parts[3]},
                {"molecules for tests", parts[4]},          {"of all these with conformers in the file", given},
                {"conformers in the file", conformers}};
  out.notes = {
      "A molecule's part is decided by its SMILES without stereochemistry and charge: stereoisomers, and the charged "
      "forms of a molecule, share one.",
      "Tests take molecules with as many conformers as a set may have (task.conformers); that is not looked at here.",
      "Molecules that no conformer can be embedded of are found, and set aside, when conformers are made."};
  return out;
}

}  // namespace pairs

#pragma once

#include <cstdint>

namespace pairs {

// The parts that molecules are divided into: 60 %, 20 % and 20 %.
enum class MoleculeSplit : std::uint8_t { pretrain = 0, finetune = 1, test = 2 };

// The part of a molecule, by the hash of its parent_smiles() (PreparedMolecule::flat_hash): stereoisomers, which have
// the same Crippen logP and similar conformers for a network of distances, and charged forms of one molecule are in one
// part. It depends on nothing else: neither on the file, nor on the order or number of molecules in it.
MoleculeSplit molecule_split(std::uint64_t flat_hash);

}  // namespace pairs

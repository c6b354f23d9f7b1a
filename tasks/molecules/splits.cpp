#include "tasks/molecules/splits.h"

namespace pairs {

MoleculeSplit molecule_split(std::uint64_t flat_hash) {
  const double u = static_cast<double>(flat_hash >> 11) * 0x1p-53;
  return u < 0.6 ? MoleculeSplit::pretrain : u < 0.8 ? MoleculeSplit::finetune : MoleculeSplit::test;
}

}  // namespace pairs

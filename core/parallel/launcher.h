#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/parallel/ranks.h"

namespace pairs {

// What a launcher passes to each of its processes in environment variables.
struct Launch {
  std::string by;  // "torchrun", "Open MPI", "Slurm", "an MPI with PMI"
  RankPlace place;
  std::string host;        // where the ranks meet; "": unknown
  std::uint16_t port = 0;  // 0: unknown
  std::string attempt;     // torchrun serves the address itself; this identifies its attempt; else ""
  std::string set_by;      // the variables that set the rank, "RANK and WORLD_SIZE"
  std::string address_by;  // those that set the meeting place, "MASTER_ADDR and MASTER_PORT"; "": there are none
};

// Reads the variables of torchrun (RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT), Open MPI (OMPI_COMM_WORLD_RANK and
// _SIZE), Slurm (SLURM_PROCID, SLURM_STEP_NUM_TASKS or SLURM_NTASKS, the first host of SLURM_STEP_NODELIST or else
// SLURM_LAUNCH_NODE_IPADDR, and a port derived from the step's number) and MPIs with PMI (PMI_RANK, PMI_SIZE), in this
// order: the innermost launcher counts. Nothing if there are none. Throws a usage error if one is not a number.
std::optional<Launch> launch(const std::function<const char*(const char*)>& variable);

// "RANK is set and WORLD_SIZE is not", if only one of two variables is set that determine a rank together; "" if there
// is no such pair.
std::string half_set(const std::function<const char*(const char*)>& variable);

// The first host of a list in Slurm's notation: "node[03-07,12],gpu1" -> "node03".
std::string first_host(const std::string& list);

}  // namespace pairs

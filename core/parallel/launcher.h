#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/parallel/ranks.h"

namespace pairs {

// What a launcher tells each of the processes that it started, in variables of their environment.
struct Launch {
  std::string by;  // "torchrun", "Open MPI", "Slurm", "an MPI with PMI"
  RankPlace place;
  std::string host;        // where the ranks meet; "": it does not say
  std::uint16_t port = 0;  // 0: it does not say
  std::string attempt;     // torchrun serves the address itself, and this is its attempt; else ""
  std::string told_by;     // the variables that tell the rank, "RANK and WORLD_SIZE"
  std::string address_by;  // those that tell where the ranks meet, "MASTER_ADDR and MASTER_PORT"; "": there are none
};

// Reads torchrun's variables (RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT), Open MPI's (OMPI_COMM_WORLD_RANK and _SIZE),
// Slurm's (SLURM_PROCID, SLURM_STEP_NUM_TASKS or SLURM_NTASKS, the first host of SLURM_STEP_NODELIST or else
// SLURM_LAUNCH_NODE_IPADDR, and a port made of the step's number) and those of MPIs with PMI (PMI_RANK, PMI_SIZE), in
// this order: the innermost launcher counts. Nothing where there are none. Throws a usage error where one holds no
// number.
std::optional<Launch> launch(const std::function<const char*(const char*)>& variable);

// "RANK is set and WORLD_SIZE is not": of variables that tell a rank together where one alone does; "" where there is
// no such pair.
std::string half_told(const std::function<const char*(const char*)>& variable);

// The first host of a list as Slurm writes it: "node[03-07,12],gpu1" -> "node03".
std::string first_host(const std::string& list);

}  // namespace pairs

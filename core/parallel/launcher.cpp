#include "core/parallel/launcher.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <utility>

#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

using Variables = std::function<const char*(const char*)>;

std::optional<std::int64_t> number(const Variables& variable, const char* name) {
  const char* const text = variable(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  std::int64_t value = 0;
  const char* const end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, value);
  if (read.ec != std::errc() || read.ptr != end || value < 0)
    fail_usage("{} is \"{}\", which is no number of a rank; start the ranks with torchrun, mpirun or srun", name,
               printable(text, 100));
  return value;
}

std::string text(const Variables& variable, const char* name) {
  const char* const value = variable(name);
  return value == nullptr ? "" : value;
}

// Pairs of variables with a rank and the number of ranks, except Slurm's.
constexpr std::pair<const char*, const char*> kPairs[] = {
    {"RANK", "WORLD_SIZE"}, {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}};

// A rank and the number of ranks, if both variables are set.
std::optional<RankPlace> place(const Variables& variable, const char* rank, const char* size) {
  const auto r = number(variable, rank), s = number(variable, size);
  if (!r || !s) return std::nullopt;
  if (*r >= *s || *s > 65536)
    fail_usage("{} = {} and {} = {} are no place among ranks; start them with torchrun, mpirun or srun", rank, *r, size,
               *s);
  return RankPlace{static_cast<int>(*r), static_cast<int>(*s)};
}

std::optional<Launch> torchrun(const Variables& variable) {
  const auto found = place(variable, "RANK", "WORLD_SIZE");
  if (!found) return std::nullopt;
  Launch out{
      "torchrun", *found, text(variable, "MASTER_ADDR"), 0, "", "RANK and WORLD_SIZE", "MASTER_ADDR and MASTER_PORT"};
  const std::string port = text(variable, "MASTER_PORT");
  if (!port.empty()) {
    const auto read = std::from_chars(port.data(), port.data() + port.size(), out.port);
    if (read.ec != std::errc() || read.ptr != port.data() + port.size() || out.port == 0)
      fail_usage("MASTER_PORT is \"{}\", but a port is a number from 1 to 65535", printable(port, 100));
  }
  if (text(variable, "TORCHELASTIC_USE_AGENT_STORE") == "True")
    out.attempt = "pairs/" + text(variable, "TORCHELASTIC_RESTART_COUNT");
  return out;
}

std::optional<Launch> slurm(const Variables& variable) {
  const char* const tasks = variable("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
  const auto found = place(variable, "SLURM_PROCID", tasks);
  if (!found) return std::nullopt;
  Launch out{"Slurm",
             *found,
             first_host(text(variable, "SLURM_STEP_NODELIST")),
             0,
             "",
             std::string("SLURM_PROCID and ") + tasks,
             "SLURM_STEP_NODELIST or SLURM_LAUNCH_NODE_IPADDR"};
  if (out.host.empty()) out.host = text(variable, "SLURM_LAUNCH_NODE_IPADDR");
  // Below the ports that systems assign themselves; steps on one machine have different ports.
  const std::int64_t job = number(variable, "SLURM_JOB_ID").value_or(0),
                     step = number(variable, "SLURM_STEP_ID").value_or(0);
  out.port = static_cast<std::uint16_t>(15000 + (job * 7 + step) % 15000);
  return out;
}

}  // namespace

std::string first_host(const std::string& list) {
  std::string host;
  for (std::size_t at = 0; at < list.size() && list[at] != ','; ++at) {
    if (list[at] != '[') {
      host += list[at];
      continue;
    }
    const std::size_t close = list.find(']', at), end = list.find_first_of("-,]", at);
    if (close == list.npos) return "";
    host += list.substr(at + 1, end - at - 1);
    at = close;
  }
  return host;
}

std::string half_set(const Variables& variable) {
  for (const auto& [rank, size] : kPairs)
    if (const bool has_rank = !text(variable, rank).empty(), has_size = !text(variable, size).empty();
        has_rank != has_size)
      return fmt::format("{} is set and {} is not", has_rank ? rank : size, has_rank ? size : rank);
  return "";
}

std::optional<Launch> launch(const Variables& variable) {
  if (const auto found = torchrun(variable)) return found;
  if (const auto found = place(variable, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"))
    return Launch{"Open MPI", *found, "", 0, "", "OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE", ""};
  const auto step = slurm(variable);
  const auto pmi = place(variable, "PMI_RANK", "PMI_SIZE");
  // Slurm sets PMI variables for its tasks, too; an MPI that starts its own helpers as Slurm tasks has other numbers.
  if (pmi && (!step || step->place.size != pmi->size))
    return Launch{"an MPI with PMI", *pmi, "", 0, "", "PMI_RANK and PMI_SIZE", ""};
  return step;
}

}  // namespace pairs

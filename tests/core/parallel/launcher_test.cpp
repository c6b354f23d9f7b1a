#include "core/parallel/launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/base/text/error.h"

namespace pairs {
namespace {

using Variables = std::map<std::string, std::string>;

std::optional<Launch> launched_with(const Variables& variables) {
  return launch([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Launcher, ReadsEachLaunchersVariables) {
  EXPECT_FALSE(launched_with({}));
  EXPECT_FALSE(launched_with({{"RANK", "1"}})) << "a rank without a number of ranks";
  const auto torchrun =
      launched_with({{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "node3"}, {"MASTER_PORT", "29500"}});
  ASSERT_TRUE(torchrun);
  EXPECT_EQ(torchrun->by, "torchrun");
  EXPECT_EQ(torchrun->place.rank, 1);
  EXPECT_EQ(torchrun->place.size, 4);
  EXPECT_EQ(torchrun->host, "node3");
  EXPECT_EQ(torchrun->port, 29500);
  EXPECT_EQ(torchrun->attempt, "");
  const auto mpi = launched_with({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "8"}});
  ASSERT_TRUE(mpi);
  EXPECT_EQ(mpi->by, "Open MPI");
  EXPECT_EQ(mpi->place.rank, 2);
  EXPECT_EQ(mpi->host, "");
  const auto pmi = launched_with({{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}});
  ASSERT_TRUE(pmi);
  EXPECT_EQ(pmi->place.rank, 3);
  const auto slurm = launched_with({{"SLURM_PROCID", "5"},
                                    {"SLURM_NTASKS", "8"},
                                    {"SLURM_STEP_NODELIST", "node[03-07,12]"},
                                    {"SLURM_LAUNCH_NODE_IPADDR", "10.0.0.1"},
                                    {"SLURM_JOB_ID", "123"},
                                    {"SLURM_STEP_ID", "2"}});
  ASSERT_TRUE(slurm);
  EXPECT_EQ(slurm->by, "Slurm");
  EXPECT_EQ(slurm->place.rank, 5);
  EXPECT_EQ(slurm->place.size, 8);
  EXPECT_EQ(slurm->host, "node03");
  EXPECT_EQ(slurm->port, 15000 + 123 * 7 + 2);
  const auto without =
      launched_with({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_LAUNCH_NODE_IPADDR", "10.0.0.1"}});
  ASSERT_TRUE(without);
  EXPECT_EQ(without->host, "10.0.0.1");
}

TEST(Launcher, SaysWhichVariablesTellAndWhichLack) {
  const auto torchrun = launched_with({{"RANK", "1"}, {"WORLD_SIZE", "4"}});
  EXPECT_EQ(torchrun->port, 0);
  EXPECT_EQ(torchrun->set_by, "RANK and WORLD_SIZE");
  EXPECT_EQ(torchrun->address_by, "MASTER_ADDR and MASTER_PORT");
  const auto half = [](const Variables& variables) {
    return half_set([&](const char* name) {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
  };
  EXPECT_EQ(half({{"RANK", "1"}, {"WORLD_SIZE", ""}}), "RANK is set and WORLD_SIZE is not");
  EXPECT_EQ(half({{"OMPI_COMM_WORLD_SIZE", "2"}}), "OMPI_COMM_WORLD_SIZE is set and OMPI_COMM_WORLD_RANK is not");
  EXPECT_EQ(half({{"RANK", "1"}, {"WORLD_SIZE", "2"}}), "");
}

TEST(Launcher, TheInnermostLauncherCounts) {
  // mpirun in a Slurm allocation: the variables of the batch script are set, too.
  const Variables batch = {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}};
  Variables inner = batch;
  inner.insert({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}});
  EXPECT_EQ(launched_with(inner)->by, "Open MPI");
  inner = batch;
  inner.insert({{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}});
  EXPECT_EQ(launched_with(inner)->by, "an MPI with PMI");
  inner["PMI_SIZE"] = "8";
  EXPECT_EQ(launched_with(inner)->by, "Slurm");
}

TEST(Launcher, TorchrunServesTheAddressItself) {
  const auto found = launched_with({{"RANK", "0"},
                                    {"WORLD_SIZE", "2"},
                                    {"MASTER_ADDR", "localhost"},
                                    {"MASTER_PORT", "29400"},
                                    {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                    {"TORCHELASTIC_RESTART_COUNT", "1"}});
  EXPECT_EQ(found->attempt, "pairs/1");
}

TEST(Launcher, RefusesWhatIsNoPlace) {
  EXPECT_THROW(launched_with({{"RANK", "one"}, {"WORLD_SIZE", "4"}}), Error);
  EXPECT_THROW(launched_with({{"RANK", "4"}, {"WORLD_SIZE", "4"}}), Error);
  EXPECT_THROW(launched_with({{"SLURM_PROCID", "-1"}, {"SLURM_NTASKS", "4"}}), Error);
  for (const char* port : {"0", "99999", "-1", "http"})
    EXPECT_THROW(launched_with({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", port}}),
                 Error)
        << port;
}

TEST(Launcher, FindsTheFirstHostOfAList) {
  EXPECT_EQ(first_host("alone"), "alone");
  EXPECT_EQ(first_host("a1,a2"), "a1");
  EXPECT_EQ(first_host("node[03-07,12],gpu1"), "node03");
  EXPECT_EQ(first_host("rack[1-2]n[4,6]"), "rack1n4");
  EXPECT_EQ(first_host("node[7]-ib"), "node7-ib");
  EXPECT_EQ(first_host(""), "");
  EXPECT_EQ(first_host("node[3"), "");
}

}  // namespace
}  // namespace pairs

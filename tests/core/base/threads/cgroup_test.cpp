#include "core/base/threads/cgroup.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/base/files/files.h"
#include "core/base/threads/threads.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

// Trees as systems have them.
class Cgroup : public ::testing::Test {
 protected:
  void put(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root_ / file).parent_path());
    write_file(root_ / file, text);
  }
  std::optional<double> cores() { return container_cores(root_.path()); }
  TemporaryFolder root_;
};

TEST_F(Cgroup, NoneWithoutGroupsOrLimits) {
  EXPECT_FALSE(cores());
  put("proc/self/cgroup", "0::/user.slice/session-1.scope\n");
  put("sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
  put("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
  EXPECT_FALSE(cores());
}

TEST_F(Cgroup, TheSecondVersionsLeastQuotaOnTheWayUp) {
  put("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
  put("sys/fs/cgroup/slurm/job_7/cpu.max", "400000 100000\n");
  put("sys/fs/cgroup/slurm/job_7/step_0/cpu.max", "max 100000\n");
  EXPECT_EQ(cores(), 4);
  put("sys/fs/cgroup/slurm/cpu.max", "150000 100000\n");
  EXPECT_EQ(cores(), 1.5);
}

// Inside a container the group's path is the machine's, while the mount shows the container's own group at its top.
TEST_F(Cgroup, AContainersOwnMount) {
  put("proc/self/cgroup", "0::/docker/0123456789abcdef\n");
  put("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(cores(), 2);
}

TEST_F(Cgroup, TheFirstVersion) {
  put("proc/self/cgroup", "11:memory:/docker/a\n4:cpu,cpuacct:/docker/a\n1:name=systemd:/docker/a\n");
  put("sys/fs/cgroup/cpu/docker/a/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/cpu/docker/a/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(cores());
  put("sys/fs/cgroup/cpu/docker/a/cpu.cfs_quota_us", "300000\n");
  EXPECT_EQ(cores(), 3);
}

TEST_F(Cgroup, DamagedFilesAreNoLimit) {
  put("proc/self/cgroup", "no colons\n0::/a\n");
  put("sys/fs/cgroup/a/cpu.max", "many few\n");
  EXPECT_FALSE(cores());
  put("sys/fs/cgroup/a/cpu.max", "100 0\n");
  EXPECT_FALSE(cores());
}

TEST(UsableCores, AreNoMoreThanAJobsTask) {
  ::setenv("SLURM_CPUS_PER_TASK", "1", 1);
  EXPECT_EQ(usable_cores(), 1);
  ::setenv("SLURM_CPUS_PER_TASK", "100000", 1);
  const int all = usable_cores();
  ::setenv("SLURM_CPUS_PER_TASK", "several", 1);
  EXPECT_EQ(usable_cores(), all);
  ::unsetenv("SLURM_CPUS_PER_TASK");
  EXPECT_EQ(usable_cores(), all);
  EXPECT_GE(all, 1);
}

}  // namespace
}  // namespace pairs

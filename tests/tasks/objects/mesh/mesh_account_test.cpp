#include "tasks/objects/mesh/mesh_account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/text/error.h"
#include "tasks/objects/mesh/mesh_measure.h"
#include "tests/app/model/environment.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/objects/mesh_folders.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

class MeshAccounts : public ::testing::Test {
 protected:
  // 20 corners, one of them open, two copies of the first, two flat ones and two that end too soon.
  MeshAccounts() : cache_("PAIRS_CACHE", (folder_ / "cache").string()) {
    for (int k = 0; k < 19; ++k) put(fmt::format("corner_{:02}.off", k), corner_off(0.1 + 0.01 * k));
    put("open.off", "OFF\n4 3 0\n0 0 0\n1 0 0\n0 1 0\n0 0 0.5\n3 0 2 1\n3 0 1 3\n3 0 3 2\n");
    put("copy/a.off", corner_off(0.1));
    put("copy/b.off", corner_off(0.1));
    put("flat_1.off", corner_off(0));
    put("flat_2.off", corner_off(1e-7));
    put("torn_1.off", "OFF\n4 4 0\n0 0 0\n1 0");
    put("torn_22.off", "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1");
  }
  void put(const std::string& name, const std::string& bytes) { put_file(folder_ / "data" / "meshes" / name, bytes); }
  std::string data() const { return (folder_ / "data").string(); }

  TemporaryFolder folder_;
  model::Environment cache_;
};

TEST_F(MeshAccounts, FindsMeshesByTheirNamesAlone) {
  const FoundData found = find_mesh_data(data());
  EXPECT_EQ(found.problem, "");
  EXPECT_EQ(found.files.at(0).at, (folder_ / "data" / "meshes").string());
  EXPECT_EQ(found.training + found.test, 26);
  EXPECT_EQ(found.test, 0) << "which they are is known once they are read";
  put_file(folder_ / "data" / "more" / "a.off", corner_off(0.4));
  EXPECT_THAT(find_mesh_data(data()).notes,
              ::testing::ElementsAre(HasSubstr("more next to it holds meshes, too, and is left out")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "cache")) << "nothing was measured";
  for (const std::string& none : {std::string(), data() + "/no such folder", data() + "/meshes/flat_1.off"}) {
    EXPECT_EQ(find_mesh_data(none).missing(), 1) << none;
    EXPECT_NE(find_mesh_data(none).problem, "") << none;
  }
}

TEST_F(MeshAccounts, CountsThePartsTheRulesAndWhatIsSetAside) {
  std::int64_t done = 0, of = 0;
  const DataAccount account =
      account_of_meshes(data(), {.stop = {}, .progress = [&](const std::string&, std::int64_t k, std::int64_t all) {
                                   done = k;
                                   of = all;
                                 }});
  ASSERT_EQ(account.counts.size(), 5u);
  const auto count = [&](std::size_t k) { return account.counts[k].number; };
  EXPECT_EQ(count(0) + count(1) + count(2), 20);
  EXPECT_EQ(count(3), 19) << account.counts[3].label;
  EXPECT_EQ(count(4), 1) << account.counts[4].label;
  EXPECT_EQ(done, 26);
  EXPECT_EQ(of, 26);
  ASSERT_EQ(account.set_aside.size(), 6u);
  std::map<std::string, std::int64_t> reasons;
  for (const DataAccount::Reason& reason : account.reasons()) reasons[reason.reason] = reason.number;
  EXPECT_EQ(reasons["It is the same as another."], 2);
  EXPECT_EQ(reasons["It is flat, so it has neither a volume nor an aspect ratio."], 2);
  for (const DataAccount::Aside& one : account.set_aside) {
    if (one.label.starts_with("torn")) {
      EXPECT_THAT(one.why(), HasSubstr(one.label));
    }
    EXPECT_EQ(one.reason.find(one.label), std::string::npos) << one.reason;
    EXPECT_EQ(one.reason.find_first_of("0123456789"), std::string::npos) << one.reason;
  }
  EXPECT_EQ(account.notes, mesh_rules());
}

TEST_F(MeshAccounts, StopsWhenAskedTo) {
  EXPECT_THROW(account_of_meshes(data(), {.stop = [] { return true; }, .progress = {}}), Stopped);
  EXPECT_THROW(account_of_meshes((folder_ / "nothing").string(), {}), Error);
}

}  // namespace
}  // namespace pairs

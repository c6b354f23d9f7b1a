#include "core/train/run/shipped.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/base/text/error.h"
#include "tasks/registry.h"
#include "tests/app/model/environment.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/digits/tiny_mnist.h"
#include "tests/training/shipped_folder.h"

namespace pairs {
namespace {

class ShippedTest : public ::testing::Test {
 protected:
  ShippedTest() : mnist_((folder_ / "mnist").string()) {
    make_assets(folder_ / "assets");
    write_tiny_mnist(mnist_);
    assets_.emplace("PAIRS_ASSETS", (folder_ / "assets").string());
  }
  void ship(const std::string& name, const std::string& data) { ship_digits(folder_ / "assets", name, data); }
  std::string fitting(const std::string& data) {
    const auto found = fitting_weights(built_in_tasks(), "digits", data);
    return found ? found->filename().string() : "none";
  }

  TemporaryFolder folder_;
  std::string mnist_;
  std::optional<model::Environment> assets_;
};

// The names do not matter: the records in the files decide.
TEST_F(ShippedTest, WeightsAreChosenByTheDataAtHand) {
  ship("digits-a", mnist_);
  ship("digits-b", "");
  EXPECT_EQ(fitting(""), "digits-b");
  EXPECT_EQ(fitting(mnist_), "digits-a");
  for (const std::string& data : {std::string(), mnist_}) {
    const LoadedRun run = load_run(built_in_tasks(), "digits", data, "cpu");
    EXPECT_EQ(run.estimator->data_source(), run.task->info().data_source);
    EXPECT_EQ(run.name, "Shipped weights");
    EXPECT_EQ(find_run(built_in_tasks(), "digits", data).folder, run.folder);
  }
  const auto all = shipped_weights(built_in_tasks(), "digits");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].folder.filename(), "digits-a");
  EXPECT_EQ(all[0].data, built_in_tasks()->make("digits", {mnist_})->info().data_source);
  EXPECT_EQ(all[1].data, "generated digits");
}

TEST_F(ShippedTest, WeightsOfOtherDataServeWhereNoneFit) {
  EXPECT_EQ(fitting(""), "none");
  EXPECT_FALSE(has_shipped_weights(built_in_tasks(), "digits"));
  EXPECT_THROW(load_run(built_in_tasks(), "digits"), Error);
  ship("digits-a", mnist_);
  EXPECT_TRUE(has_shipped_weights(built_in_tasks(), "digits"));
  EXPECT_EQ(fitting(""), "digits-a");
  const LoadedRun run = load_run(built_in_tasks(), "digits", "", "cpu");
  EXPECT_NE(run.estimator->data_source(), run.task->info().data_source);
}

TEST_F(ShippedTest, OneOfSeveralIsOpenedByItsName) {
  ship("digits-a", mnist_);
  ship("digits-b", "");
  EXPECT_EQ(find_run(built_in_tasks(), "digits-a").folder.filename(), "digits-a");
  EXPECT_EQ(find_run(built_in_tasks(), "digits-a").name, "Shipped weights digits-a");
  EXPECT_THROW(find_run(built_in_tasks(), "digits-c"), Error);
  ship("digits-a-b", "");
  for (const char* part : {"digits-a-", "dig"}) EXPECT_FALSE(has_shipped_weights(built_in_tasks(), part)) << part;
  std::filesystem::remove_all(folder_ / "assets/weights/digits-a");
  EXPECT_THROW(find_run(built_in_tasks(), "digits-a"), Error) << "the beginning of a folder's name is no task";
  EXPECT_THROW(find_run(built_in_tasks(), ""), Error);
  EXPECT_THROW(find_run(built_in_tasks(), "../weights/digits-a"), Error);
}

TEST_F(ShippedTest, DataThatAreNotThereAreToldAndDamagedWeightsNamed) {
  ship("digits-a", mnist_);
  ship("digits-b", "");
  EXPECT_THROW(load_run(built_in_tasks(), "digits", (folder_ / "nowhere").string()), Error);
  std::ofstream(folder_ / "assets/weights/digits-a/estimator.safetensors") << "not weights";
  try {
    fitting_weights(built_in_tasks(), "digits", "");
    FAIL() << "damaged weights were passed over";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("digits-a/estimator.safetensors"));
  }
}

}  // namespace
}  // namespace pairs

#include "tasks/molecules/conformer_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <thread>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tasks/molecules/store_build.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class ConformerStoreTest : public ::testing::Test {
 protected:
  ConformerStoreTest() {
    write_file(source_.file,
               "CCO ethanol\nCC(=O)O acid\nC1CC bad\nOCC again\n[Na+].CC(=O)[O-] salt\nC[Hg]C metal\nc1ccccc1 ring\n"
               "CCN amine\nCCCC butane\nCC(C)O alcohol\nCCOC ether\nCCCl chloride\n");
  }
  std::shared_ptr<const ConformerStore> build(const std::string& caches, StoreOptions options = {.threads = 1}) {
    return build_store(folder_ / caches, source_, settings_, options);
  }
  fs::path file_in(const std::string& caches) { return store_file(store_folder(folder_ / caches, source_, settings_)); }
  std::string bytes_in(const std::string& caches) { return read_file(file_in(caches)); }

  TemporaryFolder folder_;
  MoleculeSource source_{.file = folder_ / "molecules.smi", .columns = {}};
  ConformerSettings settings_{.conformers = 2};
};

TEST_F(ConformerStoreTest, KeepsMoleculesAndNamesTheRest) {
  StoreProgress last;
  const auto store = build("a", {.threads = 2, .progress = [&](const StoreProgress& at) { last = at; }});
  ASSERT_TRUE(store->complete());
  EXPECT_EQ(store->molecules(), 9);
  EXPECT_EQ(store->set_aside(), 3);
  EXPECT_EQ(last.molecules, 9);
  EXPECT_EQ(last.set_aside, 3);
  EXPECT_EQ(last.share, 1.0);
  EXPECT_EQ(store->name(0), "ethanol");
  EXPECT_EQ(store->canonical(1), "CC(=O)O");
  EXPECT_TRUE(store->molecule(2).largest_of_many);
  EXPECT_EQ(store->set_aside(0).reason, SetAsideReason::syntax);
  EXPECT_EQ(store->set_aside(1).reason, SetAsideReason::duplicate);
  EXPECT_EQ(store->set_aside(2).reason, SetAsideReason::element);
  EXPECT_EQ(set_aside_line(store->set_aside(2)),
            "line 6 (C[Hg]C): a metal or another element that is not read: it holds Hg");
  EXPECT_EQ(set_aside_summary(store->set_aside_counts()),
            "3 set aside: 1 not a valid SMILES or record, 1 a metal or another element that is not read, 1 the same "
            "molecule again");
  EXPECT_EQ(store->verify(), "");
  // What is read is what is made.
  const PreparedMolecule made = molecules_given("CCO", settings_).at(0);
  std::vector<std::uint8_t> elements(9);
  std::vector<float> positions(27);
  for (std::int64_t c = 0; c < 2; ++c) {
    store->read_conformer(0, c, elements.data(), positions.data());
    EXPECT_EQ(elements, made.elements);
    EXPECT_TRUE(std::equal(positions.begin(), positions.end(), made.positions.begin() + c * 27));
  }
  EXPECT_EQ(store->molecule(0).logp, made.logp);
  EXPECT_EQ(store->weights(0), (std::vector<float>{0.5f, 0.5f}));
  EXPECT_THROW(store->read_conformer(0, 2, elements.data(), positions.data()), Error);
  EXPECT_THROW(store->read_conformer(9, 0, elements.data(), positions.data()), Error);
}

TEST_F(ConformerStoreTest, BytesDependNeitherOnThreadsNorOnInterruptions) {
  build("a");
  build("b", {.threads = 3});
  ASSERT_EQ(bytes_in("a"), bytes_in("b"));
  // Stopped after every molecule.
  for (int tries = 0; tries < 40; ++tries) {
    std::atomic<int> asked{0};
    try {
      build("c", {.threads = 1, .stop = [&] { return ++asked > 14; }});
      break;
    } catch (const Stopped&) {
    }
  }
  build("c");
  EXPECT_EQ(bytes_in("a"), bytes_in("c"));
  // Killed at any byte.
  const std::string whole = bytes_in("a");
  for (std::size_t length = whole.size() - 1; length > 600; length -= 499) {
    write_file(file_in("a"), whole.substr(0, length));
    build("a");
    ASSERT_EQ(bytes_in("a"), whole) << length;
  }
}

TEST_F(ConformerStoreTest, IsExtendedAndReadInPart) {
  const auto two = build("a", {.molecules = 2, .threads = 2});
  EXPECT_EQ(two->molecules(), 2);
  EXPECT_FALSE(two->complete());
  EXPECT_EQ(build("a")->molecules(), 9);
  bool worked = false;
  const auto again =
      build("a", {.molecules = 2, .threads = 1, .progress = [&](const StoreProgress&) { worked = true; }});
  EXPECT_FALSE(worked);
  EXPECT_EQ(again->molecules(), 2);
  EXPECT_EQ(again->set_aside(), 0);
  build("b");
  EXPECT_EQ(bytes_in("a"), bytes_in("b"));
}

TEST_F(ConformerStoreTest, SettingsHaveStoresOfTheirOwn) {
  const auto with = [&](auto change) {
    ConformerSettings other = settings_;
    change(other);
    return store_folder("x", source_, other);
  };
  std::set<fs::path> folders = {
      store_folder("x", source_, settings_),
      with([](ConformerSettings& s) { s.conformers = 3; }),
      with([](ConformerSettings& s) { s.optimize = true; }),
      with([](ConformerSettings& s) { s.seed = 3; }),
      with([](ConformerSettings& s) { s.attempts = 3; }),
      with([](ConformerSettings& s) { s.limits.atoms = 3; }),
  };
  write_file(source_.file, "CCC\n");
  folders.insert(store_folder("x", source_, settings_));
  EXPECT_EQ(folders.size(), 7u);
}

TEST_F(ConformerStoreTest, DamageIsNamedAndMadeAgain) {
  build("a");
  const std::string whole = bytes_in("a");
  int named = 0;
  for (std::size_t k = 8; k < whole.size(); k += 61) {
    std::string flipped = whole;
    flipped[k] = static_cast<char>(flipped[k] ^ 0x10);
    write_file(file_in("a"), flipped);
    std::string reported;
    try {
      reported = ConformerStore(file_in("a").parent_path()).verify();
    } catch (const Error& error) {
      reported = error.what();
    }
    named += !reported.empty() && reported.find("conformers.store") != reported.npos;
  }
  // All but flips of unused bytes, and of lengths that look like a torn end.
  EXPECT_GT(named, static_cast<int>(whole.size() / 61 * 8 / 10));
  std::string flipped = whole;
  flipped[flipped.find("acid")] ^= 1;
  write_file(file_in("a"), flipped);
  EXPECT_THAT(ConformerStore(file_in("a").parent_path()).damage(), HasSubstr("behind 1 molecule"));
  build("a");
  EXPECT_EQ(bytes_in("a"), whole);
}

TEST_F(ConformerStoreTest, TheSecondWriterWaitsForTheFirst) {
  fs::create_directories(file_in("a").parent_path());
  auto held = std::make_unique<FolderLock>(file_in("a").parent_path());
  int asked = 0;
  EXPECT_THROW(build("a", {.threads = 1, .stop = [&] { return ++asked > 2; }}), Stopped);
  EXPECT_EQ(asked, 3);
  EXPECT_FALSE(fs::exists(file_in("a")));
  std::atomic<bool> waited{false};
  std::thread first([&] {
    while (!waited) std::this_thread::yield();
    held.reset();
  });
  const auto store = build("a", {.threads = 1, .stop = [&] {
                                   waited = true;
                                   return false;
                                 }});
  first.join();
  EXPECT_TRUE(waited);
  EXPECT_EQ(store->molecules(), 9);
}

TEST_F(ConformerStoreTest, RecordsOfOneMoleculeAreMerged) {
  const auto record = [](const char* a, const char* b, double x) {
    return fmt::format(
        "{}\n  test 3D\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n    0.0000    0.0000    0.0000 {}   0  0\n"
        "    0.0000    0.0000{:10.4f} {}   0  0\n  1  2  1  0\nM  END\n$$$$\n",
        a, a, x, b);
  };
  source_.file = folder_ / "m.sdf";
  settings_.conformers = 10;
  write_file(source_.file, record("C", "C", 1.5) + record("C", "C", 1.6) + record("C", "O", 1.4) +
                               record("C", "C", 1.7) + record("C", "O", 1.3) + record("C", "C", 1.8));
  const auto store = build("a");
  ASSERT_EQ(store->molecules(), 2);
  ASSERT_EQ(store->molecule(0).conformers, 4);
  ASSERT_EQ(store->molecule(1).conformers, 2);
  std::vector<std::uint8_t> elements(8);
  std::vector<float> positions(24);
  for (std::int64_t c = 0; c < 4; ++c) {
    store->read_conformer(0, c, elements.data(), positions.data());
    EXPECT_NEAR(positions[5], 1.5 + 0.1 * static_cast<double>(c), 1e-5);
  }
}

TEST_F(ConformerStoreTest, ThreadsReadTogether) {
  const auto store = build("a");
  std::atomic<int> wrong{0};
  const auto work = [&] {
    for (int k = 0; k < 200; ++k)
      for (std::int64_t m = 0; m < store->molecules(); ++m) {
        std::vector<std::uint8_t> elements(static_cast<std::size_t>(store->molecule(m).atoms));
        std::vector<float> positions(3 * elements.size());
        store->read_conformer(m, k % 2, elements.data(), positions.data());
        wrong += elements[0] == 0;
      }
  };
  {
    std::jthread other(work);
    work();
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace pairs

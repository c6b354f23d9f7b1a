#include "tasks/molecules/molecules.h"

#include <ATen/Parallel.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "core/base/fields/face.h"
#include "core/base/files/files.h"
#include "core/base/gpu/transfer.h"
#include "core/base/system/caches.h"
#include "core/base/text/error.h"
#include "core/nn/schnet_embedder.h"
#include "tasks/molecules/chemistry/chemistry.h"
#include "tasks/molecules/chemistry/depiction.h"
#include "tasks/molecules/conformer_store.h"
#include "tasks/molecules/given_molecule.h"
#include "tasks/molecules/molecule_account.h"
#include "tasks/molecules/molecule_look.h"
#include "tasks/molecules/showcase.h"
#include "tasks/molecules/store_build.h"
#include "tasks/parts/bodies.h"
#include "tasks/parts/items.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/molecules/molecule_files.h"

namespace pairs {
namespace {

using namespace pairs::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::int64_t kConformers = 3;
constexpr Purpose kStoredPurposes[] = {Purpose::pretrain, Purpose::pretrain_validation, Purpose::finetune,
                                       Purpose::finetune_validation, Purpose::test};

// Small molecules that embed in milliseconds, enough of them that every part has some.
std::string many_smiles() {
  std::string out;
  for (const char* head : {"", "O", "N", "Cl", "Br", "OC(=O)", "NC(=O)", "N#C", "SC", "c1ccccc1", "c1ccncc1", "C1CC1"})
    for (int length = 1; length <= 6; ++length) out += head + std::string(static_cast<std::size_t>(length), 'C') + "\n";
  return out;
}

// The tests share a folder of caches of their own.
class MoleculesTask : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (const char* named = std::getenv("PAIRS_CACHE")) cache_before_ = named;
    shared_.emplace();
    write_file(*shared_ / "many.smi", many_smiles());
    use_caches(*shared_ / "caches");
  }
  static void TearDownTestSuite() {
    cache_before_ ? ::setenv("PAIRS_CACHE", cache_before_->c_str(), 1) : ::unsetenv("PAIRS_CACHE");
    shared_.reset();
  }
  static void use_caches(const fs::path& folder) { ::setenv("PAIRS_CACHE", folder.c_str(), 1); }

  static std::shared_ptr<const Task> make(const std::string& data,
                                          MoleculesSettings settings = {.molecules = 0, .conformers = kConformers}) {
    return make_molecules({.data = data, .settings = settings});
  }
  static std::shared_ptr<const Task> task() { return make((*shared_ / "many.smi").string()); }

  static std::string refusal_of(const std::function<void()>& work, ErrorKind kind = ErrorKind::usage) {
    try {
      work();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
  static inline std::optional<TemporaryFolder> shared_;
  static inline std::optional<std::string> cache_before_;
};

Latents latents_of(const Task& task, Purpose purpose, std::int64_t first, std::int64_t sets, std::uint64_t seed = 5) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(sets));
  std::iota(indices.begin(), indices.end(), first);
  return task.latents(seed, purpose, indices);
}

Observations set_of(const Task& task, Purpose purpose, std::int64_t index, std::int64_t n, std::uint64_t seed = 5) {
  const SetRange range[] = {{index, 0, n}};
  return task.observe(latents_of(task, purpose, index, 1, seed), seed, purpose, range, torch::kCPU);
}

// Bit for bit.
bool same(const Observations& a, const Observations& b) {
  return at::equal(a.offsets(), b.offsets()) && at::equal(a.rows(), b.rows());
}

// The observations as a multiset of their bytes.
std::multiset<std::string> contents(const Observations& x) {
  std::multiset<std::string> out;
  for (std::int64_t k = 0; k < x.count(); ++k) {
    const torch::Tensor rows = x.slice(k, k + 1).rows().contiguous();
    out.emplace(static_cast<const char*>(rows.const_data_ptr()), rows.nbytes());
  }
  return out;
}

std::string smiles_of(const Task& task, const Latents& latents) {
  const std::string text = face<Bodies>(task)->subject_text(latents);
  return text.substr(0, text.find(", logP"));
}

Latents row(const Latents& all, std::int64_t k) {
  return {all.theta.slice(0, k, k + 1).contiguous(), all.psi.slice(0, k, k + 1).contiguous()};
}

TEST_F(MoleculesTask, PartsShareNoMolecule) {
  const auto made = task();
  std::map<double, int> owners;
  std::set<std::string> flat;
  std::int64_t molecules = 0;
  for (const Purpose purpose : kStoredPurposes) {
    const std::int64_t subjects = made->subjects(purpose);
    ASSERT_GT(subjects, 0) << static_cast<int>(purpose);
    molecules += subjects;
    for (const double psi : doubles(latents_of(*made, purpose, 0, subjects).psi)) ++owners[psi];
  }
  EXPECT_EQ(static_cast<std::int64_t>(owners.size()), molecules);
  for (const auto& [psi, count] : owners) EXPECT_EQ(count, 1) << psi;
  EXPECT_EQ(molecules, 72) << "every one of the file's 72 molecules is used";
  EXPECT_GT(made->subjects(Purpose::pretrain), 28);
  EXPECT_LT(made->subjects(Purpose::pretrain), 50);
}

TEST_F(MoleculesTask, SetsGoRoundTheirMoleculesInAnOrderOfTheSeed) {
  const auto made = task();
  const std::int64_t subjects = made->subjects(Purpose::test);
  const std::vector<double> first = doubles(latents_of(*made, Purpose::test, 0, subjects).psi),
                            second = doubles(latents_of(*made, Purpose::test, subjects, subjects).psi),
                            other = doubles(latents_of(*made, Purpose::test, 0, subjects, 6).psi);
  EXPECT_EQ(std::set<double>(first.begin(), first.end()).size(), static_cast<std::size_t>(subjects));
  EXPECT_THAT(second, ::testing::UnorderedElementsAreArray(first));
  EXPECT_THAT(other, ::testing::UnorderedElementsAreArray(first));
  EXPECT_NE(second, first);
  EXPECT_NE(other, first);
  // Far indices, as stage 2 has them.
  const std::int64_t far[] = {(std::int64_t{1} << 47) + 3, (std::int64_t{1} << 42)};
  EXPECT_TRUE(made->latents(5, Purpose::finetune, far).theta.isfinite().all().item<bool>());
}

TEST_F(MoleculesTask, ObservationsDependOnTheirNumbersAlone) {
  const auto made = task();
  for (const Purpose purpose : {Purpose::pretrain, Purpose::test, Purpose::explore}) {
    const Latents latents = latents_of(*made, purpose, 3, 3);
    const SetRange whole[] = {{3, 0, 9}, {4, 0, 9}, {5, 0, 9}};
    const Observations all = made->observe(latents, 5, purpose, whole, torch::kCPU);
    ASSERT_EQ(all.count(), 27);
    // Other pieces, in another order, an empty one among them, and on other threads.
    const SetRange pieces[] = {{5, 7, 2}, {3, 0, 0}, {4, 2, 5}, {3, 8, 1}};
    const Latents moved{at::cat({latents.theta[2], latents.theta[0], latents.theta[1], latents.theta[0]}).unsqueeze(1),
                        at::cat({latents.psi[2], latents.psi[0], latents.psi[1], latents.psi[0]}).unsqueeze(1)};
    const Observations parts[] = {all.slice(25, 27), all.slice(11, 16), all.slice(8, 9)};
    const int threads = at::get_num_threads();
    for (const int t : {1, 3}) {
      at::set_num_threads(t);
      EXPECT_TRUE(same(made->observe(moved, 5, purpose, pieces, torch::kCPU), Observations::concatenate(parts))) << t;
    }
    at::set_num_threads(threads);
    EXPECT_FALSE(same(made->observe(latents, 6, purpose, whole, torch::kCPU), all)) << "the seed orders conformers";
    // A task made anew draws the same.
    EXPECT_TRUE(same(task()->observe(latents, 5, purpose, whole, torch::kCPU), all));
  }
}

TEST_F(MoleculesTask, ConformersRepeatOnlyOnceAllWereSeen) {
  const auto made = task();
  for (const Purpose purpose : {Purpose::finetune, Purpose::explore}) {
    const Observations x = set_of(*made, purpose, 2, 2 * kConformers);
    const auto once = contents(x.slice(0, kConformers)), again = contents(x.slice(kConformers, 2 * kConformers));
    EXPECT_EQ(std::set<std::string>(once.begin(), once.end()).size(), static_cast<std::size_t>(kConformers));
    EXPECT_EQ(once, again);
  }
}

TEST_F(MoleculesTask, ThetaIsCrippensLogpOfTheMoleculeInTheRows) {
  const auto made = task();
  for (const Purpose purpose : {Purpose::pretrain, Purpose::test, Purpose::explore}) {
    const Latents all = latents_of(*made, purpose, 0, 8);
    for (std::int64_t k = 0; k < 8; ++k) {
      const Latents one = row(all, k);
      const auto parsed = parse_molecule(smiles_of(*made, one));
      ASSERT_TRUE(std::holds_alternative<Molecule>(parsed)) << smiles_of(*made, one);
      const Molecule& molecule = std::get<Molecule>(parsed);
      EXPECT_NEAR(one.theta.item<double>(), crippen_logp(molecule), 1e-9);
      const Observations x = set_of(*made, purpose, k, 1);
      std::vector<std::uint8_t> elements;
      for (const double z : doubles(x.rows().select(1, 0))) elements.push_back(static_cast<std::uint8_t>(z));
      EXPECT_EQ(elements, molecule_elements(molecule)) << molecule.canonical;
      EXPECT_TRUE(x.rows().isfinite().all().item<bool>());
    }
  }
}

TEST_F(MoleculesTask, ShowsMoleculesForTestsWithTheStoresConformers) {
  const auto made = task();
  const std::int64_t shown = made->subjects(Purpose::explore), tested = made->subjects(Purpose::test);
  ASSERT_GT(shown, 3);
  const Latents showcase = latents_of(*made, Purpose::explore, 0, shown),
                stored = latents_of(*made, Purpose::test, 0, tested);
  std::map<std::string, std::int64_t> index;
  for (std::int64_t k = 0; k < tested; ++k) index[smiles_of(*made, row(stored, k))] = k;
  for (std::int64_t k = 0; k < shown; ++k) {
    const std::string smiles = smiles_of(*made, row(showcase, k));
    ASSERT_TRUE(index.contains(smiles)) << smiles;
    EXPECT_EQ(showcase.theta[k].item<double>(), stored.theta[index[smiles]].item<double>());
    EXPECT_EQ(contents(set_of(*made, Purpose::explore, k, kConformers)),
              contents(set_of(*made, Purpose::test, index[smiles], kConformers)))
        << smiles;
  }
  // It needs no store: none is made where nothing but the showcase is drawn.
  use_caches(folder_ / "none");
  const auto fresh = task();
  set_of(*fresh, Purpose::check, 0, 2);
  EXPECT_FALSE(fs::exists(folder_ / "none"));
  use_caches(*shared_ / "caches");
}

TEST_F(MoleculesTask, PoolsHoldTheObservationsOfStageTwo) {
  const auto made = task();
  for (const Purpose purpose : {Purpose::finetune, Purpose::finetune_validation}) {
    const std::int64_t size = made->pool_size(purpose);
    EXPECT_EQ(size, kConformers * made->subjects(purpose));
    const Observations pool = made->pool_members(purpose, 0, size, torch::kCPU);
    ASSERT_EQ(pool.count(), size);
    if (size > 5) {
      EXPECT_TRUE(same(made->pool_members(purpose, 3, 2, torch::kCPU), pool.slice(3, 5)));
    }
    const Latents latents = latents_of(*made, purpose, 0, 6);
    std::vector<SetRange> ranges;
    for (std::int64_t k = 0; k < 6; ++k) ranges.push_back({k, k % 2, 5});
    const Observations x = made->observe(latents, 5, purpose, ranges, torch::kCPU);
    const PoolDraws draws = made->pool_draws(latents, 5, purpose, ranges);
    EXPECT_EQ(draws.size, size);
    ASSERT_EQ(draws.member.numel(), x.count());
    for (std::int64_t k = 0; k < x.count(); ++k) {
      const auto member = draws.member[k].item<std::int64_t>();
      ASSERT_TRUE(member >= 0 && member < size);
      EXPECT_TRUE(same(pool.slice(member, member + 1), x.slice(k, k + 1))) << k;
      EXPECT_EQ(draws.stratum[k].item<std::int64_t>(), member / kConformers);
    }
    EXPECT_THROW(made->pool_members(purpose, size - 1, 2, torch::kCPU), Error);
  }
  for (const Purpose purpose : {Purpose::pretrain, Purpose::test, Purpose::explore}) {
    EXPECT_EQ(made->pool_size(purpose), 0);
    const SetRange range[] = {{0, 0, 1}};
    EXPECT_EQ(made->pool_draws(latents_of(*made, purpose, 0, 1), 5, purpose, range).size, 0);
  }
}

TEST_F(MoleculesTask, SettlesOnMoleculesThereAre) {
  const auto made = task();
  const std::int64_t shown = made->subjects(Purpose::explore);
  std::vector<double> logp;
  for (std::int64_t k = 0; k < shown; ++k) {
    Latents latents{at::full({1, 1}, 99.0, torch::kFloat64), at::full({1, 1}, k + 0.2, torch::kFloat64)};
    made->constrain(latents, {.nuisance = true, .index = 0});
    EXPECT_EQ(latents.psi.item<double>(), static_cast<double>(k));
    logp.push_back(latents.theta.item<double>());
  }
  for (const double wanted : {-5.0, 0.4, 1.9, 3.0, 50.0}) {
    Latents latents{at::full({1, 1}, wanted, torch::kFloat64), at::full({1, 1}, 1.0, torch::kFloat64)};
    made->constrain(latents, {.nuisance = false, .index = 0});
    double nearest = 1e9;
    for (const double v : logp) nearest = std::min(nearest, std::abs(v - wanted));
    EXPECT_EQ(std::abs(latents.theta.item<double>() - wanted), nearest);
    EXPECT_EQ(latents.theta.item<double>(), logp.at(static_cast<std::size_t>(latents.psi.item<double>())));
  }
  for (const double number : {-7.0, 1e9, std::nan("")}) {
    Latents latents{at::full({1, 1}, 0.0, torch::kFloat64), at::full({1, 1}, number, torch::kFloat64)};
    const SetRange range[] = {{0, 0, 1}};
    const Observations x = made->observe(latents, 5, Purpose::explore, range, torch::kCPU);
    made->constrain(latents, {.nuisance = true, .index = 0});
    EXPECT_EQ(latents.psi.item<double>(), number > 0 ? static_cast<double>(shown - 1) : 0.0);
    EXPECT_TRUE(same(x, made->observe(latents, 5, Purpose::explore, range, torch::kCPU)));
  }
}

TEST_F(MoleculesTask, PreparesOnceAndGoesOnWhereItWasStopped) {
  const auto store = [&](const char* caches) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / caches))
      if (entry.path().filename() == "conformers.store") files.push_back(entry.path());
    return files.size() == 1 ? read_file(files[0]) : "";
  };
  use_caches(folder_ / "whole");
  std::int64_t last = 0, all = -1;
  std::string what;
  task()->prepare({.stop = {}, .progress = [&](const std::string& text, std::int64_t done, std::int64_t total) {
                     what = text;
                     EXPECT_GE(done, last);
                     last = done;
                     all = total;
                   }});
  EXPECT_EQ(what, "molecules embedded");
  EXPECT_EQ(last, 72);
  EXPECT_EQ(all, 72);
  const std::string whole = store("whole");
  ASSERT_FALSE(whole.empty());

  use_caches(folder_ / "stopped");
  int stops = 0;
  for (bool done = false; !done && stops < 100;) {
    std::atomic<int> asked{0};
    try {
      task()->prepare({.stop = [&] { return ++asked > 100; }, .progress = {}});
      done = true;
    } catch (const Stopped&) {
      ++stops;
    }
  }
  EXPECT_GT(stops, 0);
  EXPECT_EQ(store("stopped"), whole);
  // Prepared, it has nothing left to do.
  bool worked = false;
  task()->prepare({.stop = [] { return true; }, .progress = [&](auto&&...) { worked = true; }});
  EXPECT_FALSE(worked);
  use_caches(*shared_ / "caches");
}

TEST_F(MoleculesTask, TestsTakeMoleculesWithEnoughConformers) {
  // Ethane and butane's isomers from an SDF, of which some records repeat: 3 conformers, or 1.
  const auto record = [](const char* a, const char* b, const char* c, double x) {
    return fmt::format(
        "{}{}{}\n  test 3D\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n    0.0000    0.0000    0.0000 {}   0  0\n"
        "    0.0000    0.0000{:10.4f} {}   0  0\n    0.0000    1.4000    1.9000 {}   0  0\n  1  2  1  0\n  2  3  1  0\n"
        "M  END\n$$$$\n",
        a, b, c, a, x, b, c);
  };
  std::string text;
  std::map<std::string, int> wanted;
  int k = 0;
  for (const char* a : {"C", "N", "O", "F", "Cl", "Br"})
    for (const char* b : {"C", "N"})
      for (const char* c : {"C", "N", "O", "F", "Cl", "Br", "I"}) {
        const int records = ++k % 2 == 0 ? 3 : 1;
        for (int r = 0; r < records; ++r) text += record(a, b, c, 1.4 + 0.1 * r);
      }
  write_file(folder_ / "several.sdf", text);
  const auto made = make((folder_ / "several.sdf").string(), {.molecules = 0, .conformers = 3});
  const auto one = make((folder_ / "several.sdf").string(), {.molecules = 0, .conformers = 1});
  const std::int64_t few = made->subjects(Purpose::test);
  EXPECT_GT(few, 0);
  EXPECT_LT(few, one->subjects(Purpose::test));
  for (std::int64_t i = 0; i < few; ++i) {
    const auto three = contents(set_of(*made, Purpose::test, i, 3));
    EXPECT_EQ(std::set<std::string>(three.begin(), three.end()).size(), 3u) << i;
  }
  const std::string shown = smiles_of(*made, latents_of(*made, Purpose::explore, 0, 1));
  EXPECT_EQ(contents(set_of(*made, Purpose::explore, 0, 3)).size(), 3u) << shown;
}

// Stage 1's molecules have as many conformers as its sets need, all others as many as ever.
TEST_F(MoleculesTask, StageOneMayHaveFewerConformers) {
  const auto all = task();
  const auto made =
      make((*shared_ / "many.smi").string(), {.molecules = 0, .conformers = kConformers, .pretrain_conformers = 2});
  EXPECT_EQ(all->info().pretrain_max_n, 0);
  EXPECT_EQ(made->info().pretrain_max_n, 2);
  EXPECT_EQ(made->info().max_n, kConformers);
  for (const Purpose purpose : kStoredPurposes) {
    ASSERT_EQ(made->subjects(purpose), all->subjects(purpose)) << static_cast<int>(purpose);
    const bool first = purpose == Purpose::pretrain || purpose == Purpose::pretrain_validation;
    for (std::int64_t k = 0; k < made->subjects(purpose); ++k) {
      const auto x = contents(set_of(*made, purpose, k, kConformers));
      EXPECT_EQ(std::set<std::string>(x.begin(), x.end()).size(), first ? 2u : static_cast<std::size_t>(kConformers));
      const auto theta = [&](const Task& of) { return latents_of(of, purpose, k, 1).theta.item<double>(); };
      EXPECT_EQ(theta(*made), theta(*all));
    }
  }
  EXPECT_EQ(made->pool_size(Purpose::finetune), all->pool_size(Purpose::finetune));
  // A molecule that somebody names has all of them, whichever part it would be of.
  for (const char* smiles : {"CCO", "CCCO", "CCCCO", "CCN", "CCCN", "CCCCN"})
    EXPECT_EQ(face<Items>(*made)->read_item(smiles, 0, 1).x.count(), kConformers) << smiles;
}

TEST_F(MoleculesTask, SaysWhatIsMissing) {
  EXPECT_THAT(refusal_of([&] { make((folder_ / "nowhere").string()); }), HasSubstr("There is no file or folder"));
  write_file(folder_ / "a.png", "x");
  EXPECT_THAT(refusal_of([&] { make((folder_ / "a.png").string()); }), HasSubstr("is no file of molecules"));
  write_file(folder_ / "few.smi", "CCO\nCCN\n");
  const auto few = make((folder_ / "few.smi").string());
  try {
    for (const Purpose purpose : kStoredPurposes) latents_of(*few, purpose, 0, 1);
    FAIL() << "two molecules cannot fill five parts";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("2 molecules"), HasSubstr("few.smi"), HasSubstr("give more molecules")));
  }
  write_file(folder_ / "bad.smi", "C1CC\nxyz\n");
  const auto bad = make((folder_ / "bad.smi").string());
  EXPECT_THROW(latents_of(*bad, Purpose::explore, 0, 1), Error);
  EXPECT_THROW(bad->prepare({}), Error);
}

TEST_F(MoleculesTask, TakesOneFileOfAFolderByItsRule) {
  fs::create_directories(folder_ / "data" / "molecules");
  const auto source = [&] { return make((folder_ / "data").string())->info().data_source; };
  const auto found = [&] { return find_molecules((folder_ / "data").string()); };
  // Files of other things are none.
  write_file(folder_ / "data" / "README.txt", "This folder holds nothing.\nNothing at all.\n");
  write_file(folder_ / "data" / "table.csv", "a,b\n1,2\n");
  const std::string without = source();
  EXPECT_THAT(found().problem, HasSubstr("holds molecules"));
  EXPECT_EQ(found().missing(), 1);
  EXPECT_EQ(without, make("")->info().data_source);
  EXPECT_FALSE(make("")->info().data_hint.empty());
  write_file(folder_ / "data" / "top.smi", many_smiles());
  EXPECT_THAT(source(), HasSubstr("top.smi (SMILES"));
  write_file(folder_ / "data" / "molecules" / "less.smi", "CCO\n");
  EXPECT_THAT(source(), HasSubstr("less.smi"));
  write_file(folder_ / "data" / "molecules" / "more.csv", "smiles,x\nCCO,1\nCCN,2\n");
  EXPECT_THAT(source(), HasSubstr("more.csv"));
  write_file(folder_ / "data" / "molecules" / "drugs.msgpack", std::string("\x81\xa1O\xc0", 4));
  EXPECT_THAT(source(), HasSubstr("more.csv")) << "its only molecule is empty";
  write_file(folder_ / "data" / "molecules" / "drugs.msgpack", std::string("\x81\xa1O\x80", 4));
  EXPECT_EQ(found().problem, "");
  EXPECT_EQ(found().missing(), 0);
  EXPECT_EQ(make((folder_ / "data" / "top.smi").string())->info().data_hint, "");
}

TEST_F(MoleculesTask, AccountsForEveryRow) {
  write_file(folder_ / "rows.smi", many_smiles() + "CO again\nC1CC bad\nC[Hg]C metal\nxyz\n");
  const std::string file = (folder_ / "rows.smi").string();
  EXPECT_EQ(find_molecules(file).files.at(0).at, file);
  std::int64_t last = 0, all = 0;
  const DataAccount account =
      account_of_molecules(file, {.stop = {}, .progress = [&](const std::string&, std::int64_t done, std::int64_t of) {
                                    last = done;
                                    all = of;
                                  }});
  const auto made = task();
  const Purpose purposes[] = {Purpose::pretrain, Purpose::pretrain_validation, Purpose::finetune,
                              Purpose::finetune_validation, Purpose::test};
  ASSERT_GE(account.counts.size(), 5u);
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_EQ(account.counts[k].number, made->subjects(purposes[k])) << account.counts[k].label;
  EXPECT_EQ(last, 76);
  EXPECT_EQ(all, 76);
  ASSERT_EQ(account.set_aside.size(), 4u);
  EXPECT_EQ(account.set_aside[0].label, "line 73 (CO)");
  EXPECT_EQ(account.set_aside[0].why(), set_aside_text(SetAsideReason::duplicate));
  EXPECT_EQ(account.set_aside[2].reason, set_aside_text(SetAsideReason::element));
  EXPECT_THAT(account.set_aside[2].why(), HasSubstr("Hg"));
  EXPECT_EQ(account.reasons().at(0).number, 2) << "two rows are no SMILES";
  EXPECT_THROW(account_of_molecules(file, {.stop = [] { return true; }, .progress = {}}), Stopped);
}

// The hash alone might hold none of a handful back.
TEST_F(MoleculesTask, FewMoleculesAreValidatedAllTheSame) {
  std::string some = many_smiles();
  some.resize(some.find("NC(=O)"));
  for (std::size_t k = 0; k < 3; ++k) {
    write_file(folder_ / "part.smi", some);
    const auto made = make((folder_ / "part.smi").string(), {.molecules = 0, .conformers = 1});
    for (const Purpose purpose :
         {Purpose::pretrain, Purpose::pretrain_validation, Purpose::finetune, Purpose::finetune_validation})
      EXPECT_GT(made->subjects(purpose), 0) << some;
    for (int line = 0; line < 6; ++line) some.erase(0, some.find('\n') + 1);
  }
}

TEST_F(MoleculesTask, RdkitsMoleculesAreShownWithoutAnyData) {
  const auto made = make("", {});
  ASSERT_EQ(made->info().data_source, "RDKit's molecules (WEHI) and their charged forms");
  EXPECT_EQ(made->info().variant, "");
  EXPECT_NE(make("", {.molecules = 20})->info().variant, "");
  EXPECT_EQ(made->subjects(Purpose::explore), Showcase::kMost);
  const Observations x = set_of(*made, Purpose::explore, 0, 10);
  EXPECT_EQ(x.count(), 10);
  SchNetEmbedder embedder({.hidden = 16, .filters = 16, .interactions = 2}, 8, 45, at::detail::createCPUGenerator(1));
  const torch::Tensor embeddings = embedder.forward(x);
  EXPECT_EQ(embeddings.size(0), 10);
  EXPECT_TRUE(embeddings.isfinite().all().item<bool>());
}

TEST_F(MoleculesTask, TasksShareTheShowcaseOfRdkitsMolecules) {
  const FoundMolecules own = molecules_in("");
  EXPECT_EQ(Showcase::of(own, {}), Showcase::of(molecules_in(""), {}));
  EXPECT_NE(Showcase::of(own, {}), Showcase::of(own, {.conformers = 3}));
  EXPECT_NE(Showcase::of(own, {}), Showcase::of(molecules_in("", false), {}));
  write_file(folder_ / "some.smi", many_smiles());
  const FoundMolecules file = molecules_in((folder_ / "some.smi").string());
  EXPECT_NE(Showcase::of(file, {}), Showcase::of(file, {})) << "a file may change";
}

TEST_F(MoleculesTask, RealFilesAreRead) {
  for (const char* name : {"zinc_jtvae_test.txt", "geom_format/synthetic_drugs_crude.msgpack"}) {
    const fs::path file = molecule_data(name);
    if (file.empty()) GTEST_SKIP() << "no real molecules on this machine: set PAIRS_DATA";
    const auto made = make(file.string(), {.molecules = 0, .conformers = 2});
    const Latents latents = latents_of(*made, Purpose::explore, 0, 2);
    const Observations x = set_of(*made, Purpose::explore, 1, 2);
    EXPECT_EQ(x.count(), 2) << name;
    EXPECT_NE(face<Bodies>(*made)->subject_text(row(latents, 1)), "");
  }
}

TEST_F(MoleculesTask, BodiesHaveTheAtomsAndBondsOfTheirConformers) {
  const auto made = task();
  const Latents latents = latents_of(*made, Purpose::explore, 1, 1);
  const Observations x = set_of(*made, Purpose::explore, 1, 3);
  const std::vector<Body> all = face<Bodies>(*made)->bodies(latents, x, 2);
  ASSERT_EQ(all.size(), 2u);
  const std::string smiles = smiles_of(*made, latents);
  std::size_t strands = 0;
  for (const SolidBond& bond : bonds_of_graph(smiles)) strands += static_cast<std::size_t>(bond.order);
  for (const Body& body : all) {
    EXPECT_EQ(body.balls.size(), static_cast<std::size_t>(x.slice(0, 1).rows().size(0)));
    EXPECT_EQ(body.sticks.size(), strands) << smiles;
    EXPECT_TRUE(body.faces.empty());
    double middle = 0;
    for (const Body::Ball& ball : body.balls) middle += ball.center[0];
    EXPECT_NEAR(middle, 0, 1e-3);
  }
  const PlaneDrawing formula = face<Bodies>(*made)->plane_drawing(latents);
  EXPECT_FALSE(formula.empty());
  EXPECT_GT(formula.width, 0);
  // Latents that match none of the molecules give no formula; bonds are then inferred from distances.
  const Latents unknown{latents.theta, at::full({1, 1}, -12.0, torch::kFloat64)};
  EXPECT_EQ(face<Bodies>(*made)->subject_text(unknown), "");
  EXPECT_TRUE(face<Bodies>(*made)->plane_drawing(unknown).empty());
  EXPECT_EQ(face<Bodies>(*made)->bodies(unknown, x, 1).at(0).sticks.size(), bonds_of_graph(smiles).size());
}

TEST_F(MoleculesTask, ItemsAreMoleculesOfPeople) {
  const auto made = task();
  const Items& reads = *face<Items>(*made);
  const ItemSet all = reads.read_item("OCC", 0, 3);
  EXPECT_EQ(all.title, "CCO");
  EXPECT_EQ(all.x.count(), kConformers);
  EXPECT_TRUE(all.warnings.empty());
  EXPECT_NEAR(all.latents.theta.item<double>(), crippen_logp(std::get<Molecule>(parse_molecule("CCO"))), 1e-9);
  EXPECT_EQ(face<Bodies>(*made)->subject_text(all.latents),
            fmt::format("CCO, logP {:.2f}", all.latents.theta.item<double>()));
  EXPECT_FALSE(face<Bodies>(*made)->plane_drawing(all.latents).empty());
  EXPECT_TRUE(same(reads.read_item("CCO", 2, 3).x, all.x.slice(0, 2)));
  EXPECT_TRUE(same(face<Items>(*task())->read_item("CCO", 0, 3).x, all.x));
  EXPECT_FALSE(same(reads.read_item("CCO", 0, 4).x, all.x));
  EXPECT_EQ(contents(reads.read_item("CCO", 0, 4).x), contents(all.x));
  // Others of the same task keep their names.
  const ItemSet other = reads.read_item("CCN", 1, 3);
  EXPECT_NE(other.latents.psi.item<double>(), all.latents.psi.item<double>());
  EXPECT_THAT(face<Bodies>(*made)->subject_text(all.latents), HasSubstr("CCO"));
  const ItemSet salt = reads.read_item("[Na+].CC(=O)[O-]", 1, 3);
  ASSERT_EQ(salt.warnings.size(), 1u);
  EXPECT_THAT(salt.warnings[0], HasSubstr("largest"));
}

TEST_F(MoleculesTask, ItemsAreReadFromFiles) {
  const auto made = task();
  const Items& reads = *face<Items>(*made);
  const auto water = [](const char* title, double z) {
    return fmt::format(
        "{}\n  test 3D\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n    0.0000    0.0000    0.0000 H   0  0\n"
        "    0.0000    0.7500{:10.4f} O   0  0\n    0.0000    1.5000    0.0000 H   0  0\n  1  2  1  0\n  2  3  1  0\n"
        "M  END\n$$$$\n",
        title, z);
  };
  write_file(folder_ / "water.sdf", water("water", 0.5) + water("water", 0.6));
  const ItemSet two = reads.read_item((folder_ / "water.sdf").string(), 0, 1);
  EXPECT_EQ(two.title, "water.sdf");
  ASSERT_EQ(two.x.count(), 2);
  ASSERT_EQ(two.warnings.size(), 1u);
  EXPECT_THAT(two.warnings[0], HasSubstr("2 conformers"));
  EXPECT_EQ(doubles(two.x.slice(0, 1).rows().select(1, 0)), (std::vector<double>{1, 8, 1})) << "in the file's order";
  EXPECT_EQ(face<Bodies>(*made)->bodies(two.latents, two.x, 5).at(1).sticks.size(), 2u);
  // The first, whatever the seed.
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const torch::Tensor atoms = reads.read_item((folder_ / "water.sdf").string(), 1, seed).x.rows();
    EXPECT_NEAR((atoms[1] - atoms[0]).narrow(0, 1, 3).norm().item<double>(), std::hypot(0.75, 0.5), 1e-5) << seed;
  }
  EXPECT_THAT(refusal_of([&] { reads.read_item((folder_ / "water.sdf").string(), 3, 1); }),
              HasSubstr("has 2 conformers"));

  write_file(folder_ / "several.smi", "bad(\nCCCl first\nCCBr second\n");
  const ItemSet first = reads.read_item((folder_ / "several.smi").string(), 1, 1);
  EXPECT_THAT(face<Bodies>(*made)->subject_text(first.latents), HasSubstr("first: CCCl"));
  ASSERT_EQ(first.warnings.size(), 1u);
  EXPECT_THAT(first.warnings[0], AllOf(HasSubstr("more than one"), HasSubstr("CCCl")));

  write_file(folder_ / "empty.sdf", "");
  EXPECT_NE(refusal_of([&] { reads.read_item((folder_ / "empty.sdf").string(), 0, 1); }, ErrorKind::failed), "");
}

TEST_F(MoleculesTask, ItemsThatAreNoMoleculesAreSentences) {
  const auto made = task();
  const auto refusal = [&](const std::string& text, std::int64_t n = 1) {
    return refusal_of([&] { face<Items>(*made)->read_item(text, n, 1); },
                      n == 1 ? ErrorKind::failed : ErrorKind::usage);
  };
  EXPECT_THAT(refusal("CC("), HasSubstr("not a valid SMILES"));
  EXPECT_THAT(refusal("C(C)(C)(C)(C)C"), HasSubstr("no molecule to use"));
  EXPECT_THAT(refusal("C[Hg]C"), HasSubstr("Hg"));
  EXPECT_THAT(refusal(std::string(120, 'C')), HasSubstr("300"));
  EXPECT_THAT(refusal((folder_ / "missing.sdf").string()), HasSubstr("does not exist"));
  EXPECT_THAT(refusal("CCO", kConformers + 1), HasSubstr("task.conformers"));
  EXPECT_NE(refusal("CCO", -1), "");
}

}  // namespace
}  // namespace pairs

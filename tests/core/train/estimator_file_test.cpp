// The file of an estimator is not trusted: its description of the network is compared with its contents.
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <fstream>

#include "core/base/files/safetensors.h"
#include "core/estimator.h"
#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Lets this process map only `more` bytes beyond what it has, while it lives.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::uint64_t more) {
    ::getrlimit(RLIMIT_AS, &before_);
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = before_;
    limit.rlim_cur = pages * 4096 + more;
    ::setrlimit(RLIMIT_AS, &limit);
  }
  ~MemoryLimit() { ::setrlimit(RLIMIT_AS, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  rlimit before_{};
};

class EstimatorFileTest : public ::testing::Test {
 protected:
  void save(const EstimatorConfig& config) {
    Estimator(std::make_shared<ToyTask>(), config, 1).save(file());
    content_ = read_safetensors(file());
  }
  std::filesystem::path file() const { return folder_ / "estimator.safetensors"; }
  Estimator load() const { return Estimator::load(file(), std::make_shared<ToyTask>()); }
  // The sentence with which the file is refused when its metadata `key` holds `to` in place of `from`, in no more
  // memory than a gigabyte.
  std::string refusal(const std::string& key, const std::string& from, const std::string& to) {
    TensorFile changed = content_;
    std::string& text = changed.metadata.at(key);
    const std::size_t at = text.find(from);
    if (at == text.npos) return "there is no " + from + " in " + text;
    text.replace(at, from.size(), to);
    write_safetensors(file(), changed);
    const MemoryLimit limit(std::uint64_t{1} << 30);
    return message_of([&] { load(); });
  }

  TemporaryFolder folder_;
  TensorFile content_;
};

TEST_F(EstimatorFileTest, LayersOfAnySizeAreComparedWithTheFileBeforeTheyAreMade) {
  save(toy_estimator());
  EXPECT_THAT(refusal("estimator", "layers = [16]", "layers = [65536, 65536]"),
              AllOf(HasSubstr("estimator.safetensors cannot be used: Tensor embedder.net.bias0 has shape [16] where "
                              "this network needs [65536]")));
  EXPECT_THAT(refusal("estimator", "hidden = 16", "hidden = 65536"),
              HasSubstr("65536]; it belongs to another network"));
  std::string many = "layers = [16";
  for (int k = 0; k < 200000; ++k) many += ",1";
  EXPECT_THAT(refusal("estimator", "layers = [16]", many + "]"), HasSubstr("a network of more than the"));
}

TEST_F(EstimatorFileTest, HeadSizesAreThoseOfTheFilesHeads) {
  save(toy_estimator());
  std::string many = "1";
  for (int n = 2; n <= 5000; ++n) many += "," + std::to_string(n);
  EXPECT_THAT(refusal("head_sizes", "", many), HasSubstr("\"head_sizes\" lists more sizes than the"));
  EXPECT_THAT(refusal("head_sizes", "", "2,50"), HasSubstr("lacks the tensor head.N2."));
  for (const char* list : {"0", "-3", "2,2", "5,2"})
    EXPECT_THAT(refusal("head_sizes", "", list), HasSubstr("its metadata \"head_sizes\"")) << list;
  for (const char* list : {"two", "2;50", "99999999999999999999"})
    EXPECT_THAT(refusal("head_sizes", "", list), HasSubstr("its metadata \"head_sizes\"")) << list;
  EXPECT_THAT(refusal("max_n", "0", "-1"), HasSubstr("its metadata \"max_n\" holds '-1'"));
}

TEST_F(EstimatorFileTest, WeightsThatAreNoNumbersAreRefused) {
  save(toy_estimator());
  content_.tensors.at("head.context.bias0")[0] = NAN;
  write_safetensors(file(), content_);
  EXPECT_THAT(message_of([&] { load(); }), HasSubstr("its tensor head.context.bias0 holds NaN or infinite values"));
}

TEST_F(EstimatorFileTest, EveryKindOfNetworkIsKnownByItsShapes) {
  for (const char* kind : {"spline", "umnn", "mixture", "gaussian"}) {
    EstimatorConfig config = toy_estimator();
    config.head.kind = kind;
    set_fields(config, {"head.affine=true", "head.conditioner=12,9", "head.integrand=10", "embedder.frequencies=3"});
    save(config);
    const std::map<std::string, torch::Tensor> state = load().state();
    EXPECT_EQ(state.size(), content_.tensors.size()) << kind;
    for (const auto& [name, tensor] : content_.tensors) EXPECT_TRUE(state.at(name).equal(tensor)) << kind << name;
    EXPECT_THAT(refusal("estimator", "\nsize = 6", "\nsize = 7"), HasSubstr("this network needs"));
  }
}

}  // namespace
}  // namespace pairs

#include "app/gpu/package_index.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "core/base/files/files.h"
#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::gpu {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// pip's variables, and a home without settings.
class PipTest : public ::testing::Test {
 protected:
  PipTest() {
    for (const char* const name : {"PIP_INDEX_URL", "XDG_CONFIG_HOME"}) ::unsetenv(name);
    // Files of this machine's own would count as well.
    ::setenv("PIP_CONFIG_FILE", (folder_ / "pip.conf").c_str(), 1);
  }
  ~PipTest() override {
    for (const char* const name : {"PIP_INDEX_URL", "PIP_CONFIG_FILE"}) ::unsetenv(name);
  }
  TemporaryFolder folder_;
};

TEST_F(PipTest, TheIndexIsTheOneGivenElsePipsOwn) {
  ErrorKind kind = ErrorKind::failed;
  EXPECT_THAT(message_of([] { index_address(""); }, &kind),
              HasSubstr("give the address of its simple index with --index"));
  EXPECT_EQ(kind, ErrorKind::usage);
  write_file(folder_ / "pip.conf", "[global]\nindex-url = https://mirror.example/simple/\n");
  EXPECT_EQ(index_address(""), "https://mirror.example/simple");
  ::setenv("PIP_INDEX_URL", "https://variable.example/simple", 1);
  EXPECT_EQ(index_address(""), "https://variable.example/simple");
  EXPECT_EQ(index_address("http://given.example/"), "http://given.example");
  EXPECT_THAT(message_of([] { index_address("given.example"); }), HasSubstr("begins with https://"));
  EXPECT_THAT(message_of([] { index_address("file:///etc"); }), HasSubstr("begins with https://"));
}

TEST(PipSettings, TheIndexIsFoundInTheirSections) {
  EXPECT_EQ(index_in_settings("[global]\nindex_url: https://a.example\n"), "https://a.example");
  EXPECT_EQ(index_in_settings("# [global]\n[global]\ntimeout = 60\nextra-index-url =\n    https://b.example\n"), "");
  EXPECT_EQ(index_in_settings("[global]\nindex-url = https://a.example\n[install]\nindex-url=https://c.example"),
            "https://c.example");
  EXPECT_EQ(index_in_settings("index-url = https://a.example\n[freeze]\nindex-url = https://b.example"), "");
}

TEST(ShownAddress, HidesNameAndPassword) {
  EXPECT_EQ(shown_address("https://me:secret@host.example/simple"), "https://host.example/simple");
  EXPECT_EQ(shown_address("https://token@host.example"), "https://host.example");
  EXPECT_EQ(shown_address("https://host.example/a@b"), "https://host.example/a@b");
  EXPECT_EQ(shown_address("nothing"), "nothing");
}

TEST(IndexPage, LinksAreReadWherePagesDiffer) {
  const std::string hash(64, 'b');
  const auto files = files_of_page(
      "<!DOCTYPE html><html><body><a href=\"https://files.example/p/a-1.0-py3-none-any.whl#sha256=" + hash +
          "\">a</a><br>\n<A class='x' HREF='../../pool/b%2B1-1.0.whl?x=1&amp;y=2'>b</A>" +
          "<a href=\"/root/c.whl#md5=12\">c</a><a href=\"//other.example/d.whl\">d</a></body>",
      "https://host.example/simple/a/");
  ASSERT_THAT(files, SizeIs(4));
  EXPECT_EQ(files[0].name, "a-1.0-py3-none-any.whl");
  EXPECT_EQ(files[0].address, "https://files.example/p/a-1.0-py3-none-any.whl");
  EXPECT_EQ(files[0].sha256, hash);
  EXPECT_EQ(files[1].name, "b+1-1.0.whl");
  EXPECT_EQ(files[1].address, "https://host.example/simple/a/../../pool/b%2B1-1.0.whl?x=1&y=2");
  EXPECT_EQ(files[2].address, "https://host.example/root/c.whl");
  EXPECT_EQ(files[2].sha256, "");
  EXPECT_EQ(files[3].address, "https://other.example/d.whl");
  EXPECT_THAT(files_of_page("{\"files\": []}", "https://host.example/"), SizeIs(0));
}

// Patterns that call themselves run out of stack.
TEST(IndexPage, LongTagsAndAttributesEndNothing) {
  const std::string much(1 << 20, 'x'), link = "<a title=\"" + much + "\" href=\"a.whl\">a</a>";
  EXPECT_THAT(files_of_page("<a " + much + " href='b.whl'>b</a>" + link, "https://host.example/"), SizeIs(2));
  EXPECT_THAT(files_of_page("<a href=\"" + much + "\">a</a>" + link, "https://host.example/"), SizeIs(1));
  EXPECT_THAT(files_of_page("<a title=\"a > b\" href=\"c.whl\">", "https://host.example/"), SizeIs(1));
  std::string open;
  for (int k = 0; k < 200000; ++k) open += "<a href=";
  EXPECT_THAT(files_of_page(open + "\"", "https://host.example/"), SizeIs(0));
}

TEST(IndexPage, AWheelIsFoundByItsHashElseByItsName) {
  const std::string hash(64, 'c'), other(64, 'd');
  const Wheel wheel{"nvidia-cuda-runtime", "13.0.96", {hash}};
  const IndexFile newer{"nvidia_cuda_runtime-13.0.961-py3-none-manylinux2014_x86_64.whl", "1", ""};
  const IndexFile arm{"nvidia_cuda_runtime-13.0.96-py3-none-manylinux2014_aarch64.whl", "2", ""};
  const IndexFile right{"nvidia_cuda_runtime-13.0.96-py3-none-manylinux2014_x86_64.whl", "3", ""};
  IndexFile hashed = right;
  hashed.sha256 = hash;
  EXPECT_EQ(find_wheel(wheel, {newer, arm, right}, "the index").address, "3");
  EXPECT_EQ(find_wheel(wheel, {{"renamed.whl", "4", hash}, right}, "the index").address, "4");
  hashed.sha256 = other;
  EXPECT_THAT(message_of([&] {
                find_wheel(wheel, {newer, arm, hashed}, "the index");
              }),
              HasSubstr("the index has no wheel of nvidia-cuda-runtime 13.0.96 with the pinned hash"));
  EXPECT_THAT(message_of([&] { find_wheel(wheel, {}, "the index"); }), HasSubstr("no wheel"));
}

}  // namespace
}  // namespace pairs::gpu

#include "tasks/objects/mesh/mesh_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "core/base/numbers/random.h"
#include "core/base/text/text.h"
#include "tasks/objects/mesh/measured_meshes.h"
#include "tasks/objects/mesh/mesh_file.h"
#include "tasks/objects/mesh/mesh_folder.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/objects/mesh_folders.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

// A closed surface of its own for each number: a dented ball of 12 by 24 quadrangles, cut into triangles.
TriangleMesh dented(std::uint64_t number) {
  Stream stream(stream_key(number, Purpose::check), 0);
  const double a = stream.uniform64(), b = stream.uniform64(), wide = 0.4 + stream.uniform64(),
               deep = 0.4 + stream.uniform64();
  constexpr std::uint32_t rings = 12, around = 24;
  TriangleMesh mesh;
  for (std::uint32_t r = 0; r <= rings; ++r)
    for (std::uint32_t k = 0; k < around; ++k) {
      const double t = M_PI * r / rings, p = 2 * M_PI * k / around;
      const double radius = 1 + 0.3 * std::sin(3 * p + a) * std::sin(t) + 0.2 * std::cos(2 * t + b);
      mesh.vertices.push_back(
          {wide * radius * std::sin(t) * std::cos(p), deep * radius * std::sin(t) * std::sin(p), radius * std::cos(t)});
    }
  for (std::uint32_t r = 0; r < rings; ++r)
    for (std::uint32_t k = 0; k < around; ++k) {
      const std::uint32_t here = r * around + k, next = r * around + (k + 1) % around;
      mesh.triangles.push_back({here, here + around, next});
      mesh.triangles.push_back({next, here + around, next + around});
    }
  return mesh;
}

template <class Number>
void put_bytes(std::string& out, Number value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The mesh as other programs write it: OFF in the order of its corners, OBJ in another unit to six digits, moved and
// its corners turned round, binary STL without shared corners, PLY in float32 with the axes exchanged.
std::map<std::string, std::string> written(const TriangleMesh& mesh) {
  std::string off = fmt::format("OFF\n{} {} 0\n", mesh.vertices.size(), mesh.triangles.size()), obj, stl(80, ' '),
              ply = fmt::format(
                  "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\n"
                  "property float y\nproperty float z\nelement face {}\n"
                  "property list uchar int vertex_indices\nend_header\n",
                  mesh.vertices.size(), mesh.triangles.size());
  for (const auto& v : mesh.vertices) off += fmt::format("{:.9g} {:.9g} {:.9g}\n", v[0], v[1], v[2]);
  for (std::size_t k = mesh.vertices.size(); k-- > 0;) {
    const auto& v = mesh.vertices[k];
    obj += fmt::format("v {:.6g} {:.6g} {:.6g}\n", 250 * v[0] + 40, 250 * v[1] - 3, 250 * v[2]);
  }
  for (const auto& v : mesh.vertices)
    for (const std::size_t d : {2u, 0u, 1u}) put_bytes(ply, static_cast<float>(v[d]));
  put_bytes(stl, static_cast<std::uint32_t>(mesh.triangles.size()));
  const std::size_t count = mesh.vertices.size();
  for (const auto& t : mesh.triangles) {
    off += fmt::format("3 {} {} {}\n", t[0], t[1], t[2]);
    obj += fmt::format("f {} {} {}\n", count - t[1], count - t[2], count - t[0]);
    for (int k = 0; k < 3; ++k) put_bytes(stl, 0.0f);
    for (const std::uint32_t corner : t)
      for (const double value : mesh.vertices[corner]) put_bytes(stl, static_cast<float>(value));
    put_bytes(stl, std::uint16_t{0});
    ply += '\3';
    for (const std::uint32_t corner : t) put_bytes(ply, static_cast<std::int32_t>(corner));
  }
  return {{"off", off}, {"obj", obj}, {"stl", stl}, {"ply", ply}};
}

TEST(MeshForm, IsTheSameInEveryFormat) {
  std::vector<MeshForm> forms;
  for (std::uint64_t number = 0; number < 20; ++number) {
    const MeshForm form = mesh_form(dented(number));
    for (const auto& [format, bytes] : written(dented(number))) {
      const MeshForm other = mesh_form(parse_mesh(bytes, *mesh_format("a." + format), format).mesh);
      EXPECT_TRUE(same_form(form, other)) << number << format;
      EXPECT_EQ(split_of_form(form), split_of_form(other)) << number << format;
    }
    for (const MeshForm& before : forms) EXPECT_FALSE(same_form(form, before));
    forms.push_back(form);
  }
  EXPECT_FALSE(same_form(mesh_form({}), mesh_form({}))) << "nothing is known of it";
}

TEST(MeshForm, OfACubeIsKnown) {
  // Area 6; of the surface of a unit cube the second moments are 5/36 each.
  TriangleMesh cube;
  for (int k = 0; k < 8; ++k) cube.vertices.push_back({3.0 * (k & 1), 3.0 * (k >> 1 & 1), 3.0 * (k >> 2)});
  for (const auto& [a, b, c, d] : std::vector<std::array<std::uint32_t, 4>>{
           {0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    cube.triangles.push_back({a, b, c});
    cube.triangles.push_back({a, c, d});
  }
  const MeshForm form = mesh_form(cube);
  EXPECT_NEAR(form[0], std::log(6.0), 1e-12);
  for (const std::size_t k : {1u, 2u, 3u}) EXPECT_NEAR(form[k], 5.0 / 36, 1e-9);
  EXPECT_NEAR(form[4], 1, 1e-12);
}

TEST(MeshForm, DividesThreeToOneToOne) {
  std::map<MeshSplit, int> count;
  for (std::uint64_t number = 0; number < 1000; ++number) ++count[split_of_form(mesh_form(dented(number)))];
  EXPECT_NEAR(count[MeshSplit::pretrain], 600, 5 * std::sqrt(1000 * 0.24));
  EXPECT_NEAR(count[MeshSplit::finetune], 200, 5 * std::sqrt(1000 * 0.16));
  EXPECT_NEAR(count[MeshSplit::test], 200, 5 * std::sqrt(1000 * 0.16));
}

class FormedFolder : public ::testing::Test {
 protected:
  MeasuredMeshes measured() const { return measure_meshes(*open_mesh_folder(root_), folder_ / "caches"); }

  TemporaryFolder folder_;
  const std::filesystem::path root_ = folder_ / "meshes";
};

TEST_F(FormedFolder, OneObjectInTwoFormatsStandsInOnePart) {
  for (std::uint64_t number = 0; number < 40; ++number) {
    const auto texts = written(dented(number));
    put_file(root_ / fmt::format("a/{:02}.off", number), texts.at("off"));
    put_file(root_ / fmt::format("b/{:02}.{}", number, number % 2 ? "obj" : "stl"),
             texts.at(number % 2 ? "obj" : "stl"));
  }
  const MeasuredMeshes meshes = measured();
  EXPECT_EQ(meshes.usable.size(), 40u) << "each once";
  EXPECT_EQ(meshes.copies, 40u);
  EXPECT_GT(meshes.parts[2], 0u);
  ASSERT_EQ(meshes.set_aside.size(), 40u);
  for (const MeshAside& aside : meshes.set_aside)
    EXPECT_THAT(aside.why, ::testing::AllOf(HasSubstr("It is the same as "), HasSubstr(", written in another way.")));
}

TEST_F(FormedFolder, RenamingMovesNothingIntoAnotherPart) {
  const auto parts = [&] {
    std::map<std::string, MeshSplit> out;  // by the objects' volumes
    for (const MeasuredMesh& mesh : measured().usable)
      out[fmt::format("{:.6f} {:.6f}", mesh.record.facts.volume, mesh.record.facts.log_aspect)] = mesh.split;
    return out;
  };
  for (std::uint64_t number = 0; number < 40; ++number)
    put_file(root_ / fmt::format("a/{}.off", number), written(dented(number)).at("off"));
  const auto before = parts();
  EXPECT_EQ(before.size(), 40u);
  const std::string content = open_mesh_folder(root_)->content();
  std::filesystem::rename(root_ / "a", root_ / "other");
  for (std::uint64_t number = 0; number < 40; ++number)
    std::filesystem::rename(root_ / fmt::format("other/{}.off", number), root_ / fmt::format("x{}.off", 100 - number));
  EXPECT_EQ(parts(), before);
  EXPECT_EQ(open_mesh_folder(root_)->content(), content);
  put_file(root_ / "new.off", written(dented(77)).at("off"));
  EXPECT_NE(open_mesh_folder(root_)->content(), content) << "other data";
}

TEST_F(FormedFolder, AStrayMeshLeavesADistributionAsItIs) {
  for (std::uint64_t number = 0; number < 20; ++number)
    put_file(root_ / fmt::format("chair/{}/{}.off", number % 4 ? "train" : "test", number),
             written(dented(number)).at("off"));
  put_file(root_ / "readme/stray.off", written(dented(50)).at("off"));
  const auto source = open_mesh_folder(root_);
  EXPECT_FALSE(source->divided_by_form());
  EXPECT_EQ(source->size(), 20u);
  ASSERT_EQ(source->unread().size(), 1u);
  EXPECT_EQ(source->unread()[0].label, "readme/stray.off");
  EXPECT_THAT(source->unread()[0].why, HasSubstr("is left out"));
  EXPECT_EQ(measured().parts[2], 5u);
  // Three in twenty-three are no strays any more.
  for (const char* name : {"a.off", "b.off"}) put_file(root_ / name, written(dented(60)).at("off"));
  EXPECT_TRUE(open_mesh_folder(root_)->divided_by_form());
}

TEST_F(FormedFolder, FoldersThatAreLeftOutAreNamed) {
  for (const char* name : {"ModelNet/chair/train/a.off", "ModelNet/chair/test/b.off", "own/c/d/e.obj", "own/f.ply",
                           "meshlab/x.stl", "notes/readme.txt", ".hidden/x.off"})
    put_file(root_ / name, "x");
  EXPECT_EQ(find_meshes(root_.string()).folder, root_ / "ModelNet");
  EXPECT_EQ(meshes_left_out(root_, root_ / "ModelNet"), (std::vector<std::string>{"meshlab", "own"}));
  EXPECT_TRUE(meshes_left_out(root_, root_).empty());
}

}  // namespace
}  // namespace pairs

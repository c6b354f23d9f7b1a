#include "tasks/objects/mesh/mesh_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <chrono>
#include <cmath>

#include "core/base/files/files.h"
#include "core/base/threads/clock.h"
#include "tasks/objects/mesh/mesh_measure.h"
#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/objects/real_meshes.h"

namespace pairs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

MeshFile off(const std::string& text) {
  return parse_mesh(text, MeshFormat::off, "FILE");
}
std::string off_complaint(const std::string& text) {
  const std::string message = message_of([&] { off(text); });
  EXPECT_THAT(message, StartsWith("FILE"));
  return message;
}

const std::string corners = "0 0 0\n1 0 0\n1 1 0\n0 1 0.5\n";

TEST(MeshFile, ReadsTheFormsOfOff) {
  for (const std::string& text :
       {"OFF\n4 2 0\n" + corners + "3 0 1 2\n3 0 2 3\n", "OFF4 2 0\n" + corners + "3 0 1 2\n3 0 2 3",
        "4 2\r\n" + corners + "3 0 1 2\r\n3 0 2 3\r\n",
        "\t OFF 4 2 0 # counts\n\n" + corners + "# faces\n4 0 1 2 3 0.5 1 0.5\n2 0 1\n",
        std::string("COFF\n4 2 0\n0 0 0 1 1 1 1\n1 0 0 1 1 1 1\n+1 1 0 1 1 1 1\n0 1 5e-1 0 0 0 nan\n3 0 1 2 7\n3 0 2 3 "
                    "0 0 0 1\n")}) {
    const MeshFile file = off(text);
    ASSERT_EQ(file.mesh.vertices.size(), 4u) << text;
    EXPECT_EQ(file.mesh.vertices[3], (std::array<double, 3>{0, 1, 0.5}));
    ASSERT_EQ(file.mesh.triangles.size(), 2u) << text;
    EXPECT_EQ(file.mesh.triangles[0], (std::array<std::uint32_t, 3>{0, 1, 2}));
    EXPECT_EQ(file.mesh.triangles[1], (std::array<std::uint32_t, 3>{0, 2, 3}));
  }
  const MeshFile counted = off("OFF\n4 3 0\n" + corners + "4 0 1 2 3\n2 0 1\n0\n");
  EXPECT_EQ(counted.polygons, 1u);
  EXPECT_EQ(counted.flawed, 2u);
}

TEST(MeshFile, KeepsPlacesInFloat64) {
  EXPECT_EQ(off("OFF 3 1 0\n0.1234567890123456 1e-320 1e-400\n1 0 0\n0 1 0\n3 0 1 2\n").mesh.vertices[0],
            (std::array<double, 3>{0.1234567890123456, 1e-320, 0}));
}

TEST(MeshFile, RefusesWhatIsNoOff) {
  EXPECT_THAT(off_complaint("OFF\n1000000000 1000000000 0\n" + corners), HasSubstr("more than its"));
  EXPECT_THAT(off_complaint("OFF\n4 1000000000 0\n" + corners + "3 0 1 2\n"), HasSubstr("1000000000 faces"));
  EXPECT_THAT(off_complaint("OFF\n4 99999999999999999999999 0\n" + corners), HasSubstr("does not give"));
  EXPECT_THAT(off_complaint("OFF\n-4 1 0\n" + corners), HasSubstr("does not give"));
  EXPECT_THAT(off_complaint("OFF\n4 1 0\n0 0 0\nend_header\n" + corners), HasSubstr("line 4: 'end_header'"));
  EXPECT_THAT(off_complaint("OFF\n4 1 0\n" + corners + "3 0 1 2\n3 0 2 3\n"),
              HasSubstr("behind the last of its 1 face"));
  EXPECT_THAT(off_complaint("OFF\n4 2 0\n" + corners + "3 0 1 2\n"), HasSubstr("after 1 of 2 faces"));
  EXPECT_THAT(off_complaint("OFF\n4 1 0\n" + corners + "3 0 1 4\n"), HasSubstr("beyond the last of 4"));
  EXPECT_THAT(off_complaint("OFF\n4 1 0\n" + corners + "3 0 1 -1\n"), HasSubstr("no index"));
  EXPECT_THAT(off_complaint("OFF\n4 1 0\n" + corners + "3 0 1\n"), HasSubstr("of 3 corners of which 2"));
  EXPECT_THAT(off_complaint("OFF\n4 1 0\n" + corners + "3 0 1 2 blue\n"), HasSubstr("no color"));
  EXPECT_THAT(off_complaint("OFF\n4 1 0\n" + corners + "2 0 1\n"), HasSubstr("no surface"));
  for (const char* number : {"nan", "inf", "-inf", "1e999"})
    EXPECT_THAT(off_complaint("OFF\n3 1 0\n0 0 " + std::string(number) + "\n1 0 0\n0 1 0\n3 0 1 2\n"),
                HasSubstr("not a finite number"));
  EXPECT_THAT(off_complaint("4OFF\n3 1 0\n"), HasSubstr("three dimensions"));
  EXPECT_THAT(off_complaint("OFF BINARY\n\1\2"), HasSubstr("binary"));
  EXPECT_THAT(off_complaint("\x7f"
                            "ELF\n"),
              HasSubstr("not with OFF"));
  for (const char* nothing : {"", "\n \n", "# only\n", "OFF", "OFF\n"}) off_complaint(nothing);
}

// Twice the vectorial area of the triangles, and the sum of their areas.
std::pair<double, double> area(const TriangleMesh& mesh) {
  double signed_sum = 0, sum = 0;
  for (const auto& t : mesh.triangles) {
    const auto &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    const double twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    signed_sum += twice / 2;
    sum += std::abs(twice) / 2;
  }
  return {signed_sum, sum};
}

TEST(MeshFile, CutsDentedFacesIntoTrianglesThatDoNotOverlap) {
  // A comb of k teeth: a bar of k x 1 and teeth of 1/2 x 2.
  for (const int teeth : {1, 3, 40}) {
    std::string places = fmt::format("0 0 7\n{} 0 7\n", teeth), face;
    int count = 2;
    for (int k = teeth - 1; k >= 0; --k, count += 4)
      places += fmt::format("{0} 1 7\n{0} 3 7\n{1} 3 7\n{1} 1 7\n", k + 0.75, k + 0.25);
    for (int k = 0; k < count; ++k) face += fmt::format(" {}", k);
    const MeshFile file = off(fmt::format("OFF {} 1 0\n{}{}{}\n", count, places, count, face));
    EXPECT_EQ(file.mesh.triangles.size(), static_cast<std::size_t>(count - 2));
    const auto [turned, sum] = area(file.mesh);
    EXPECT_NEAR(turned, sum, 1e-12 * sum);
  }
}

TEST(MeshFile, AFaceOfAbsurdlyManyDentsIsRefusedInTime) {
  std::string places, face;
  constexpr int count = 200000;
  for (int k = 0; k < count; ++k) {
    places += fmt::format("{} {} 0\n", std::cos(k * 6.283185307179586 / count) * (1 + k % 2),
                          std::sin(k * 6.283185307179586 / count) * (1 + k % 2));
    face += fmt::format(" {}", k);
  }
  EXPECT_THAT(off_complaint(fmt::format("OFF {} 1 0\n{}{}{}\n", count, places, count, face)), HasSubstr("too long"));
}

TEST(MeshFile, APlyThatAnnouncesABillionIsRefusedBeforeAssimpAllocates) {
  const auto complaint = [](const std::string& text) {
    return message_of([&] { parse_mesh(text, MeshFormat::ply, "FILE"); });
  };
  const std::string place = "property float x\nproperty float y\nproperty float z\n";
  const std::string list = "property list uchar int vertex_indices\nend_header\n";
  for (const char* format : {"ascii", "binary_little_endian"}) {
    const std::string head = fmt::format("ply\nformat {} 1.0\n", format);
    EXPECT_THAT(complaint(head + "element vertex 1000000000\n" + place + "end_header\n0 0 0\n"), HasSubstr("'vertex'"));
    EXPECT_THAT(complaint(head + "element vertex 1\n" + place + "element face 1000000000\n" + list + "0 0 0\n        "),
                HasSubstr("'face'"));
  }
  EXPECT_THAT(complaint("ply\nformat ascii 1.0\nelements vertex 4\nend_header\n"), HasSubstr("no line of PLY"));
}

// An unsigned -1 would be 32 GB of corners.
TEST(MeshFile, APlyWhoseListCannotBeIsRefusedBeforeAssimpAllocates) {
  const auto header = [](const char* format, const char* count) {
    return fmt::format(
        "ply\nformat {} 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
        "element face 1\nproperty list {} int vertex_indices\nend_header\n",
        format, count);
  };
  const auto complaint = [](const std::string& text) {
    return message_of([&] { parse_mesh(text, MeshFormat::ply, "FILE"); });
  };
  const std::string places = "0 0 0\n1 0 0\n0 1 0\n";
  for (const char* entries : {"-1 0 1 2", "4 0 1 2", "99999999999 0 1 2", "99999999999999999999999 0 1 2", "x 0 1 2"}) {
    const std::string found = complaint(header("ascii", "int") + places + entries + "\n");
    EXPECT_THAT(found, AllOf(StartsWith("FILE"), HasSubstr("'face'"), HasSubstr("get it again"))) << entries;
  }
  EXPECT_EQ(
      parse_mesh(header("ascii", "int") + places + "+3 0 1 2 255 0 0\n", MeshFormat::ply, "FILE").mesh.triangles.size(),
      1u);
  // A vertex behind an empty line is no list of -1 entries.
  EXPECT_THAT(complaint(header("ascii", "int") + places + "3 0 1 2\n3 0 2 1\n"),
              HasSubstr("holds more lines than its header announces, the first '3 0 2 1'"));
  EXPECT_NO_THROW(
      parse_mesh(header("ascii", "int") + places + "3 0 1 2\n\n  \ncomment the end\n", MeshFormat::ply, "FILE"));
  EXPECT_EQ(parse_mesh(header("ascii", "int") + "0 0 0\n\n1 0 0\n-1 1 0\n3 0 1 2\n", MeshFormat::ply, "FILE")
                .mesh.triangles.size(),
            1u);
  const std::string binary_places = [] {
    std::string out(36, '\0');
    out[14] = out[30 - 2] = '\x80',
    out[15] = out[30 - 1] = '\x3f';  // 1.0f in the second x and the third y, little endian
    return out;
  }();
  const auto face = [&](std::string count) { return count + std::string("\0\0\0\0\1\0\0\0\2\0\0\0", 12); };
  const std::string little = "binary_little_endian";
  EXPECT_EQ(parse_mesh(header(little.c_str(), "char") + binary_places + face("\3"), MeshFormat::ply, "FILE")
                .mesh.triangles.size(),
            1u);
  for (const auto& [type, count] : {std::pair<const char*, std::string>{"char", "\xff"},
                                    {"uchar", "\xff"},
                                    {"short", "\xff\xff"},
                                    {"int", "\xff\xff\xff\xff"},
                                    {"uint", "\xff\xff\xff\xff"}})
    EXPECT_THAT(complaint(header(little.c_str(), type) + binary_places + face(count)), HasSubstr("'face'")) << type;
  EXPECT_THAT(complaint(header("binary_big_endian", "short") + binary_places + face(std::string("\3\0", 2))),
              HasSubstr("'768'"));
  EXPECT_THAT(complaint(header("ascii", "float") + places + "3 0 1 2\n"), HasSubstr("no line of PLY"));
}

TEST(MeshFile, AnObjOfVeryManyGroupsIsReadInTime) {
  std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  for (int k = 0; k < 100000; ++k)
    text += fmt::format("g part{}\nf {} {} {}\n", k, 1 + k % 4, 1 + (k + 1) % 4, 1 + (k + 2) % 4);
  const Stopwatch watch;
  const MeshFile file = parse_mesh(text, MeshFormat::obj, "FILE");
  EXPECT_EQ(file.mesh.triangles.size(), 100000u);
  EXPECT_LT(watch.seconds(), 5);
}

TEST(MeshFile, ReadsOneCubeInEveryFormat) {
  const TemporaryFolder folder;
  const std::string obj =
      "mtllib /etc/passwd\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
      "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\nl 1 2\n";
  write_file(folder / "cube.OBJ", obj);
  const MeshFile file = read_mesh_file(folder / "cube.OBJ");
  EXPECT_EQ(file.mesh.triangles.size(), 12u);
  EXPECT_EQ(file.polygons, 6u);
  EXPECT_EQ(file.flawed, 1u);
  // Assimp gives each face corners of its own.
  const std::size_t places = file.mesh.vertices.size();
  std::string off = fmt::format("OFF\n{} 12 0\n", places), stl = "solid cube\n",
              ply = fmt::format(
                  "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
                  "element face 12\nproperty list uchar int vertex_indices\nend_header\n",
                  places);
  const auto place = [&](std::uint32_t v) { return fmt::format("{}\n", fmt::join(file.mesh.vertices[v], " ")); };
  for (std::uint32_t v = 0; v < places; ++v) {
    off += place(v);
    ply += place(v);
  }
  for (const auto& triangle : file.mesh.triangles) {
    off += fmt::format("3 {}\n", fmt::join(triangle, " "));
    ply += fmt::format("3 {}\n", fmt::join(triangle, " "));
    stl += "facet normal 0 0 0\nouter loop\n";
    for (const std::uint32_t corner : triangle) stl += "vertex " + place(corner);
    stl += "endloop\nendfacet\n";
  }
  const MeshFacts facts = measure_mesh(file.mesh);
  EXPECT_EQ(facts.vertices, 8u);
  EXPECT_NEAR(facts.volume, 1, 1e-12);
  for (const auto& [name, text] :
       {std::pair("cube.off", off), {"cube.stl", stl + "endsolid cube\n"}, {"cube.ply", ply}}) {
    write_file(folder / name, text);
    const MeshFile same = read_mesh_file(folder / name);
    EXPECT_EQ(same.mesh.triangles.size(), 12u) << name;
    EXPECT_NEAR(measure_mesh(same.mesh).volume, 1, 1e-6) << name;
  }
  // Among mesh files, the first bytes determine the format, not the ending of the name.
  for (const auto& [name, text] : {std::pair("off.stl", off), {"ply.off", ply}, {"ply.stl", ply}}) {
    write_file(folder / name, text);
    EXPECT_EQ(read_mesh_file(folder / name).mesh.triangles.size(), 12u) << name;
  }
  EXPECT_THAT(message_of([&] { read_mesh_file(folder / "cube.step"); }), HasSubstr("OFF, OBJ, STL and PLY"));
  EXPECT_THAT(message_of([&] { read_mesh_file(folder / "cube.png"); }), HasSubstr("must end in .off"));
  EXPECT_THAT(message_of([&] { read_mesh_file(folder / "gone.off"); }), HasSubstr("gone.off"));
}

// STL as its many writers have it.
TEST(MeshFile, ReadsTheFormsOfStl) {
  constexpr float places[4][9] = {{0, 0, 0, 0, 1, 0, 1, 0, 0},
                                  {0, 0, 0, 1, 0, 0, 0, 0, 1},
                                  {0, 0, 0, 0, 0, 1, 0, 1, 0},
                                  {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  std::string text = "solid tetrahedron\n", triangles;
  for (const auto& one : places) {
    text += " facet normal 0 0 0\n  outer loop\n";
    for (int corner = 0; corner < 3; ++corner)
      text += fmt::format("   vertex {:e} {:e} {:e}\n", one[3 * corner], one[3 * corner + 1], one[3 * corner + 2]);
    text += "  endloop\n endfacet\n";
    triangles +=
        std::string(12, '\0') + std::string(reinterpret_cast<const char*>(one), sizeof one) + std::string(2, '\0');
  }
  text += "endsolid tetrahedron\n";
  std::string upper = text, windows = text;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  for (std::size_t at = 0; (at = windows.find('\n', at)) != windows.npos; at += 2) windows.insert(at, "\r");
  const auto binary = [&](const std::string& head, std::uint8_t count, const std::string& behind) {
    return head + std::string(80 - head.size(), head.empty() ? '\0' : ' ') +
           std::string{static_cast<char>(count), 0, 0, 0} + triangles + behind;
  };
  const std::string forms[] = {
      text,
      " " + text,
      "\n\n\t" + text,
      "\xef\xbb\xbf" + text,
      upper,
      windows,
      binary("", 4, ""),
      binary("made by someone", 4, ""),
      binary("solid but binary", 4, ""),
      binary("", 4, "\n"),
      binary("", 4, std::string(7, '\0')),
      binary("solid but binary", 4, "COLOR=abcd and what else a program wrote behind it all.....")};
  for (const std::string& form : forms) {
    const MeshFile file = parse_mesh(form, MeshFormat::stl, "FILE");
    EXPECT_EQ(file.mesh.triangles.size(), 4u) << form.substr(0, 30);
    EXPECT_NEAR(std::abs(measure_mesh(file.mesh).volume), 1.0 / 6, 1e-6) << form.substr(0, 30);
  }
  const auto complaint = [](const std::string& form) {
    return message_of([&] { parse_mesh(form, MeshFormat::stl, "FILE"); });
  };
  EXPECT_THAT(complaint(binary("", 5, "")), HasSubstr("is cut short, or no STL: it announces 5 triangles and holds 4"));
  EXPECT_THAT(complaint(binary("", 3, "")), HasSubstr("its count is wrong"));
  EXPECT_THAT(complaint("v 0 0 0\nf 1 1 1\n"), HasSubstr("is no STL"));
}

TEST(MeshFile, OtherFormatsAreRefusedWithThoseThatAreRead) {
  const TemporaryFolder folder;
  for (const char* name :
       {"a.glb", "a.gltf", "a.FBX", "a.dae", "a.3ds", "a.3mf", "a.blend", "a.x3d", "a.wrl", "a.stp"}) {
    write_file(folder / name, "x");
    EXPECT_THAT(message_of([&] { read_mesh_file(folder / name); }),
                AllOf(HasSubstr(name), HasSubstr("is not read"), HasSubstr("OFF, OBJ, STL and PLY")));
  }
  const std::pair<std::string, const char*> kinds[] = {{std::string("glTF\2\0\0\0", 8), "is a GLB file"},
                                                       {"PK\x03\x04....", "is an archive, as 3MF files are"},
                                                       {"Kaydara FBX Binary  ", "is an FBX file"},
                                                       {"<?xml version=\"1.0\"?><COLLADA/>", "is an XML file"},
                                                       {std::string("\xff\xfe"
                                                                    "O\0F\0F\0",
                                                                    8),
                                                        "is text in UTF-16"},
                                                       {std::string("\xfe\xff\0O\0F\0F", 8), "is text in UTF-16"},
                                                       {"\x1f\x8b.......", "is compressed by gzip"}};
  for (const auto& [bytes, words] : kinds)
    for (const MeshFormat format : {MeshFormat::off, MeshFormat::obj, MeshFormat::stl, MeshFormat::ply})
      EXPECT_THAT(message_of([&] { parse_mesh(bytes, format, "FILE"); }), HasSubstr(words));
}

TEST(MeshFile, EveryBrokenFileIsReadOrRefusedWithItsName) {
  const std::filesystem::path folder = real_meshes();
  if (folder.empty()) GTEST_SKIP() << "no real meshes on this machine: set PAIRS_DATA";
  int read = 0, refused = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "broken")) {
    if (!entry.is_regular_file()) continue;
    const auto before = std::chrono::steady_clock::now();
    try {
      const MeshFile file = read_mesh_file(entry.path());
      for (const auto& triangle : file.mesh.triangles)
        for (const std::uint32_t corner : triangle) ASSERT_LT(corner, file.mesh.vertices.size());
      ++read;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(entry.path().filename().string()));
      ++refused;
    }
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5)) << entry.path();
  }
  EXPECT_EQ(read, 21);
  EXPECT_EQ(refused, 34);
}

}  // namespace
}  // namespace pairs

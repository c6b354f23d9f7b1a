#include "tasks/objects/mesh/mesh_up.h"

#include <gtest/gtest.h>

#include "tasks/objects/mesh/mesh_measure.h"

namespace pairs {
namespace {

std::string reported(const std::string& bytes, MeshFormat format) {
  const auto up = stated_up(bytes, format);
  return up ? up_text(up->up) : "";
}

TEST(MeshUp, IsReadFromCommentsOfTheHeaderAlone) {
  EXPECT_EQ(reported("# made by hand, Y-up\nv 0 0 0\n", MeshFormat::obj), "y");
  EXPECT_EQ(reported("# up axis: +X\r\nv 0 0 0\r\n", MeshFormat::obj), "x");
  EXPECT_EQ(reported("OFF\n# z up\n3 1 0\n", MeshFormat::off), "z");
  EXPECT_EQ(reported("ply\nformat ascii 1.0\ncomment up=y\n", MeshFormat::ply), "y");
  EXPECT_EQ(reported("solid chair y_up\n facet", MeshFormat::stl), "y");
  EXPECT_EQ(reported("# Blender v2.79 (sub 0) OBJ File: 'a.blend'\nv 0 0 0\n", MeshFormat::obj), "y");
  EXPECT_EQ(reported("# Blender 3, Z up\nv 0 0 0\n", MeshFormat::obj), "z") << "what is said counts more";
  EXPECT_EQ(reported("ply\ncomment Created by Blender\n", MeshFormat::ply), "") << "its PLY files are z-up by default";
  EXPECT_EQ(reported("v 0 0 0\no y-up\n", MeshFormat::obj), "") << "no comment";
  EXPECT_EQ(reported("# a cup; backup y; pickup x\n", MeshFormat::obj), "");
  EXPECT_EQ(reported("", MeshFormat::off), "");
  EXPECT_EQ(reported("# " + std::string(100000, 'u') + " y-up", MeshFormat::obj), "") << "a header has an end";
  EXPECT_FALSE(up_axis("w"));
}

TEST(MeshUp, TurnsWithoutMirroring) {
  TriangleMesh mesh;
  mesh.vertices = {{1, 0, 0}, {0, 2, 0}, {0, 0, 3}, {0, 0, 0}};
  mesh.triangles = {{3, 1, 0}, {3, 2, 1}, {3, 0, 2}, {0, 1, 2}};
  for (const UpAxis up : {UpAxis::x, UpAxis::y, UpAxis::z}) {
    const TriangleMesh turned = turned_upright(mesh, up);
    EXPECT_EQ(turned.vertices[static_cast<std::size_t>(up)][2], 1 + static_cast<double>(up)) << up_text(up);
    // The signed volume, which a mirror would turn round.
    const auto &a = turned.vertices[0], &b = turned.vertices[1], &c = turned.vertices[2];
    const double volume =
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    EXPECT_EQ(volume, 6) << up_text(up);
    EXPECT_NEAR(measure_mesh(turned).volume, measure_mesh(mesh).volume, 1e-12);
  }
}

}  // namespace
}  // namespace pairs

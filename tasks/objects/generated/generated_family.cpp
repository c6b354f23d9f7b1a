#include "tasks/objects/generated/generated_family.h"

#include "tasks/objects/generated/furniture_parts.h"
#include "tasks/objects/generated/solids.h"

namespace pairs::generated {
namespace {

// The up axis: z, y or x. Rotations that move the z axis there.
constexpr Affine z_up{};
constexpr Affine y_up{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}, {}};
constexpr Affine x_up{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {}};

Affine draw_upright(Draw& draw, bool furniture) {
  if (draw.chance(furniture ? 0.1 : 0.3)) return draw_rotation(draw);
  if (!furniture) {
    const int axis = draw.count(0, 2);
    return axis == 0 ? x_up : axis == 1 ? y_up : z_up;
  }
  const double share = draw.in(0, 1);
  return share < 0.55 ? z_up : share < 0.94 ? y_up : x_up;
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> all = {
      {"chair", true, 0.15, build_chair},
      {"block", false, 0.3, build_block},
      {"sofa", true, 0.4, build_sofa},
      {"sheet", false, 1, build_sheet},
      {"stool", true, 0.12, build_stool},
      {"ball", false, 1, build_ball},
      {"table", true, 0.2, build_table},
      {"cylinder", false, 1, build_cylinder},
      {"bookcase", true, 0.3, build_bookcase},
      {"ring", false, 1, build_ring},
      {"cupboard", true, 0.25, build_cupboard},
      {"turned solid", false, 1, build_turned},
      {"bed", true, 0.3, build_bed},
      {"extrusion", false, 1, build_extrusion},
      {"lamp", true, 0.15, build_lamp},
      {"beam", false, 1, build_beam},
      {"vessel", true, 0.05, build_vessel},
      {"blocks", false, 1, build_blocks},
      {"ladder", true, 0.2, build_ladder},
      {"tower", false, 1, build_tower},
      {"carved solid", false, 1, build_carved},
      {"figure", false, 1, build_figure},
      {"several solids", false, 1, build_several},
      {"open surface", false, 1, build_open},
  };
  return all;
}

Body build_object(const Family& family, Draw& draw) {
  Body upright(family.cell), turned(family.cell);
  family.build(upright, draw);
  turned.add(upright, draw_upright(draw, family.furniture));
  return turned;
}

}  // namespace pairs::generated

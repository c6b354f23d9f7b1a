#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tasks/objects/mesh_source.h"

namespace pairs {

// Furniture and vessels by a generator, for machines without a folder of meshes. They are ours, drawn to look like
// what their names say, and are neither ModelNet's objects nor drawn from its distribution: the source's name and every
// label say "generated".
//
// Object i is of family i mod 27 (furniture_families()): chair, office chair, cantilever chair, armchair, sofa, stool,
// bench, table, round table, desk, bookcase, shelf, wardrobe, chest of drawers, sideboard, bed, floor lamp, desk lamp,
// vase, bottle, bowl, cup, goblet, plant pot, bathtub, ladder, coat stand. Most draw from several kinds (a stool is a
// drum, a cube, stands on a column, a star, three legs or four) and 10 to 60 measures of common sizes in metres: seats
// 0.3 to 0.6 high, tables 0.28 to 0.8, wardrobes 1.5 to 2.4, ladders 0.5 to 3.4, cups 0.06 to 0.16. Objects stand on
// z = 0, upright along z and parallel to the axes, as ModelNet's do.
//
// An object is a sum of closed parts of volumes known in closed form: blocks, plain or rounded; outlines that change
// linearly between heights (tapered and turned legs, vessels as what their outside holds less what their inside does);
// tubes, mitred at their corners. Parts touch, they do not cut through each other; closed furniture (wardrobes, chests)
// is solid, vessels and shades have walls. Round outlines have 8 to 48 sides. 200 to 10,000 triangles.
//
// Facts come from these sums in float64; of them only the hull's volume is Qhull's.

// Objects 0 .. objects - 1, each a function of (seed, its number) alone. Three of five objects of a family are of
// pretrain, one of finetune, one of test, in an order of their five's own; this too depends on nothing else. Throws
// UsageError for no object, or more than 2^40.
std::shared_ptr<const MeshSource> make_furniture(std::size_t objects, std::uint64_t seed);

// The families' names in the objects' order.
std::vector<std::string> furniture_families();

}  // namespace pairs

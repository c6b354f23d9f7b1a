#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tasks/objects/mesh_source.h"

namespace pairs {

// Solids and furniture by a generator, for machines without a folder of meshes. They are ours, drawn to look like what
// their names say, and are drawn from no data set's distribution: the source's name and every label say "generated".
//
// Object i is of family i mod 24 (generated_families()). Ten are furniture and vessels: chair, sofa, stool, table,
// bookcase, cupboard, bed, lamp, vessel, ladder. Fourteen are solids: block, sheet, ball, cylinder, ring, turned solid,
// extrusion, beam, blocks, tower, carved solid (unions and differences), figure, several solids apart, open surface.
// Each draws 2 to 60 measures, and most draw from several kinds. Half of the furniture stands upright along z, as
// ModelNet's does; 35 % of it has y up, as most meshes of other makers have, 5 % x, and a tenth is turned at random. Of
// the solids seven tenths have one of the axes up, the others are turned at random. The bounding box is that of what is
// turned.
//
// V is what an object encloses, a sum over closed parts in float64: blocks, plain or rounded; outlines that change
// linearly between heights; tubes, mitred at their corners; these of volumes in closed form, and triangulated solids by
// the divergence theorem. Parts touch or stay apart, they do not cut through each other; closed furniture is solid,
// vessels and shades have walls. An open surface (one object in 24, some of them doubled) has no thickness and encloses
// nothing: its V is its convex hull's, by rule 4 of mesh_measure.h, and its facts say so (VolumeRule::hull, why). Hulls
// are Qhull's. 12 to 12,000 triangles.

// Objects 0 .. objects - 1, each a function of (seed, its number) alone. Three of five objects of a family are of
// pretrain, one of finetune, one of test, in an order of their five's own; this too depends on nothing else. Throws
// UsageError for no object, or more than 2^40.
std::shared_ptr<const MeshSource> make_generated_objects(std::size_t objects, std::uint64_t seed);

// The families' names in the objects' order.
std::vector<std::string> generated_families();

}  // namespace pairs

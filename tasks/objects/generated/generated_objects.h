#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tasks/objects/mesh/mesh_source.h"

namespace pairs {

// Solids and furniture by a generator, for machines without a folder of meshes. They are made to look like what their
// names say and do not follow any data set's distribution: the source's name and every label contain "generated".
//
// Object i is of family i mod 24 (generated_families()). Ten are furniture and vessels: chair, sofa, stool, table,
// bookcase, cupboard, bed, lamp, vessel, ladder. Fourteen are solids: block, sheet, ball, cylinder, ring, turned solid,
// extrusion, beam, blocks, tower, carved solid (unions and differences), figure, several solids apart, open surface.
// Each has 2 to 60 random measures, and most have several kinds. Half of the furniture is upright along z, as
// ModelNet's is; 35 % has y up, like most meshes from other sources, 5 % x, and a tenth is rotated at random. Of the
// solids seven tenths have one of the axes up, the others are rotated at random. The bounding box is that of the
// rotated object.
//
// V is what an object encloses, a sum over closed parts in float64: blocks, plain or rounded; outlines that change
// linearly between heights; tubes, mitred at their corners; these of volumes in closed form, and triangulated solids by
// the divergence theorem. Parts touch or stay apart, they do not cut through each other; closed furniture is solid,
// vessels and shades have walls. An open surface (one object in 24, some of them doubled) has no thickness and encloses
// nothing: its V is its convex hull's, by rule 4 of mesh_measure.h, and its facts record this (VolumeRule::hull, why).
// Hulls are Qhull's. 12 to 12,000 triangles.

// Objects 0 .. objects - 1, each a function of (seed, its number) only. Of every five objects of a family, three are
// for pretrain, one for finetune, one for test, in a random order; this too depends on nothing else. Throws UsageError
// for no object, or more than 2^40.
std::shared_ptr<const MeshSource> make_generated_objects(std::size_t objects, std::uint64_t seed);

// The families' names in the objects' order.
std::vector<std::string> generated_families();

}  // namespace pairs

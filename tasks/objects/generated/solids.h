#pragma once

#include "tasks/objects/generated/generated_body.h"

namespace pairs::generated {

// Families of solids, with no particular unit and place. Each call draws its measures; the body is passed empty.
void build_block(Body& body, Draw& draw);      // a cube, a box, a box with round edges, a wedge
void build_sheet(Body& body, Draw& draw);      // thin: a plate, a disc, a frame, bent or folded; 1:10 to 1:1500
void build_ball(Body& body, Draw& draw);       // a ball, an ellipsoid, a capsule, an egg
void build_cylinder(Body& body, Draw& draw);   // a cylinder, a cone, a prism, a pyramid, whole or cut off
void build_ring(Body& body, Draw& draw);       // a torus, a pipe, an arc of one, a chain
void build_turned(Body& body, Draw& draw);     // a solid of revolution of a random profile
void build_extrusion(Body& body, Draw& draw);  // a star, a gear, a random outline; tapered and twisted
void build_beam(Body& body, Draw& draw);       // boxes in the shape of an L, a T, a U, an H, a cross, an I
void build_blocks(Body& body, Draw& draw);     // boxes next to each other, each of its own height
void build_tower(Body& body, Draw& draw);      // simple solids on top of each other
void build_carved(Body& body, Draw& draw);     // boxes, ellipsoids, cylinders and rings added and cut
void build_figure(Body& body, Draw& draw);     // limbs about a trunk, grown together
void build_several(Body& body, Draw& draw);    // two to six of the above that do not touch
void build_open(Body& body, Draw& draw);       // surfaces without thickness, some doubled

}  // namespace pairs::generated

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pairs {

// A molecule drawn in the plane, as plain data: whoever draws it knows neither RDKit nor chemistry. Lengths are in
// bonds (a bond is about 1 long), y goes up, the middle of the drawing's bounds is the origin.
struct MoleculeDrawing {
  struct Label {
    double x, y;
    std::string text;  // "O", "NH", "HO" (turned so that the heavy atom is nearer to its bond), "NH3+"
    int element;       // atomic number, which decides the colour
  };
  enum class Stroke { plain, wedge, hash };  // a wedge begins at (x0, y0) with no width
  struct Line {
    double x0, y0, x1, y1;
    int first, second;  // elements of the atoms at its ends
    Stroke stroke = Stroke::plain;
  };
  std::vector<Label> labels;
  std::vector<Line> lines;  // a double bond is two, a triple three; cut short before labels
  double width = 0.0, height = 0.0;
};

// Throws Error where the SMILES cannot be read. Carbons within chains and rings have no label.
MoleculeDrawing draw_molecule(std::string_view smiles);

// A bond between atoms of a conformer.
struct SolidBond {
  std::int32_t first, second;
  int order;  // 1, 2, 3; aromatic bonds alternate; 1 where only distances tell of it
};

// The bonds of the graph, for conformers whose atoms are ordered as molecule_elements orders them.
std::vector<SolidBond> bonds_of_graph(std::string_view smiles);

// The bonds that distances tell of: pairs nearer than the sum of their covalent radii (Cordero et al. 2008) and 0.4 Å,
// hydrogens to their nearest atom alone. elements [atoms], positions [atoms, 3] in Å.
std::vector<SolidBond> bonds_by_distance(std::span<const std::uint8_t> elements, std::span<const float> positions);

// Covalent radius in Å; 1.5 where the table has none.
double covalent_radius(int atomic_number);

}  // namespace pairs

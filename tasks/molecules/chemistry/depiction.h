#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pairs {

// A molecule drawn in the plane, as plain data, to be drawn without RDKit or chemistry. Lengths are in bonds (a bond is
// about 1 long), y goes up, the center of the drawing's bounds is the origin.
struct MoleculeDrawing {
  struct Label {
    double x, y;
    std::string text;  // "O", "NH", "HO" (reversed so that the heavy atom is nearer to its bond), "NH3+"
    int element;       // atomic number, which determines the color
  };
  enum class Stroke { plain, wedge, hash };  // a wedge begins at (x0, y0) with zero width
  struct Line {
    double x0, y0, x1, y1;
    int first, second;  // elements of the atoms at its ends
    Stroke stroke = Stroke::plain;
  };
  std::vector<Label> labels;
  std::vector<Line> lines;  // a double bond is two, a triple three; cut short before labels
  double width = 0.0, height = 0.0;
};

// Throws Error if the SMILES cannot be read. Carbons within chains and rings have no label.
MoleculeDrawing draw_molecule(std::string_view smiles);

// A bond between atoms of a conformer.
struct SolidBond {
  std::int32_t first, second;
  int order;  // 1, 2, 3; aromatic bonds alternate; 1 if known only from distances
};

// The bonds of the graph, for conformers whose atoms have the order of molecule_elements.
std::vector<SolidBond> bonds_of_graph(std::string_view smiles);

// Bonds inferred from distances: pairs closer than the sum of their covalent radii (Cordero et al. 2008) and 0.4 Å;
// hydrogens only to their nearest atom. elements [atoms], positions [atoms, 3] in Å.
std::vector<SolidBond> bonds_by_distance(std::span<const std::uint8_t> elements, std::span<const float> positions);

// Covalent radius in Å; 1.5 if the table has none.
double covalent_radius(int atomic_number);

}  // namespace pairs

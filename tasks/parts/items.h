#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// A part of an item, if a task distinguishes parts: an atom with its environment.
struct ItemPart {
  std::uint64_t hash = 0;   // equal parts have equal hashes
  std::int64_t weight = 1;  // its weight if no training item contains it
  std::string text = {};    // "N in C[N+](=O)[O-]"; "" for training items
};

// A set made from a user's item.
struct ItemSet {
  std::string title;                  // "chair.off", a SMILES: for figures and windows
  Observations x;                     // float32
  Latents latents;                    // one row: θ computed from the item itself (RDKit's logP, the mesh's volume), ψ
  std::vector<std::string> warnings;  // sentences
  // The kind of item ("open mesh", "charged molecule"), by which external validation is reported. "" if a task
  // distinguishes no kinds.
  std::string kind = {};
  // For each target: which other quantity the item's own value is, in words ("volume of its convex hull"), "" if it is
  // the target itself. Empty: all are. A value of another quantity is not a truth for the posterior.
  std::vector<std::string> other = {};
  std::vector<ItemPart> parts = {};
  std::string read_as = {};  // how it was read if that is ambiguous ("… is read as z-up …"), a sentence; else ""
};

struct NamedItem {
  std::string text, name;
};

// A task that also makes sets from users' items: views of a mesh, conformers of a molecule.
class Items {
 public:
  virtual ~Items() = default;
  // "mesh", as in "Open mesh…"; and the accepted input, for help texts: "a mesh file (.off, .obj, .stl, .ply)".
  virtual std::string item() const = 0;
  virtual std::string item_help() const = 0;
  // Whether a text (the name of a file, or an expression such as a SMILES) is meant for `read_item`, without reading
  // it.
  virtual bool is_item(const std::string& text) const = 0;
  // The items in a file, as texts for read_item, with their names or ""; at most `most`. Empty for a file that is a
  // single item, whose parts no text names, or that lists one per line.
  virtual std::vector<NamedItem> items_in(const std::filesystem::path& file, std::size_t most) const {
    static_cast<void>(file);
    static_cast<void>(most);
    return {};
  }
  // Axes that may point up, the usual one first; empty if items have none.
  virtual std::vector<std::string> ups() const { return {}; }
  // The first n observations of the set of an item (0: as many as there are, or the task's max_n); they depend only on
  // the item, the seed and the up axis. `up`: one of ups(); "": according to the item, else the usual one. Throws Error
  // with one sentence on what is wrong with it.
  virtual ItemSet read_item(const std::string& text, std::int64_t n, std::uint64_t seed,
                            const std::string& up = "") const = 0;
  // Passes on the parts of one item after another, from those that stage 1 is trained on and from others, held out,
  // that belong to later stages; none from tests. Ends if `next` returns false. Does nothing if items have no parts.
  virtual void training_parts(const std::function<bool(std::vector<ItemPart>&& parts, bool held_out)>& next) const {
    static_cast<void>(next);
  }
};

}  // namespace pairs

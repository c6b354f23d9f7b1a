#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// One of the parts that a thing is made of, where a task tells them apart: an atom with those around it.
struct ThingPart {
  std::uint64_t hash = 0;   // equal parts have equal ones
  std::int64_t weight = 1;  // how much it counts where training has none like it
  std::string text = {};    // "N in C[N+](=O)[O-]"; "" of training's things
};

// A set made of a thing that a person has.
struct ThingSet {
  std::string title;                  // "chair.off", a SMILES: figures and windows
  Observations x;                     // float32
  Latents latents;                    // one row: θ as the thing itself tells it (RDKit's logP, the mesh's volume), ψ
  std::vector<std::string> warnings;  // sentences
  // Which sort of thing it is ("open mesh", "charged molecule"): what was tried is told by these. "" where a task knows
  // no sorts.
  std::string kind = {};
  // By target: which other quantity the thing's own value is, in words ("volume of its convex hull"), "" where it is
  // the target itself. Empty: all are. A value of another quantity is no truth that a posterior could miss.
  std::vector<std::string> other = {};
  std::vector<ThingPart> parts = {};
  std::string read_as = {};  // how it was read where that can be doubted ("… is read as z-up …"), a sentence; else ""
};

struct NamedThing {
  std::string text, name;
};

// A task that also makes sets of things people have: views of a mesh, conformers of a molecule.
class Things {
 public:
  virtual ~Things() = default;
  // "mesh": "Open mesh…"; and what may be given, for help texts: "a mesh file (.off, .obj, .stl, .ply)".
  virtual std::string thing() const = 0;
  virtual std::string thing_help() const = 0;
  // Whether a text (the name of a file, or words of the task's own such as a SMILES) is meant for `read_thing`, judged
  // without reading it.
  virtual bool is_thing(const std::string& text) const = 0;
  // The things that a file holds beside each other, by the texts that read_thing takes, with their names or ""; at most
  // so many of them. Empty of a file that is one thing, whose parts no text names, or that lists them a line each.
  virtual std::vector<NamedThing> things_in(const std::filesystem::path& file, std::size_t most) const {
    static_cast<void>(file);
    static_cast<void>(most);
    return {};
  }
  // Which of its axes may point up, the usual one first; empty where things have none.
  virtual std::vector<std::string> ups() const { return {}; }
  // The first n observations of the set of a thing (0: as many as there are, or the task's max_n), which depend on the
  // thing, the seed and what points up alone. `up`: one of ups(); "": what the thing tells, else the usual one. Throws
  // Error with one sentence saying what is wrong with it.
  virtual ThingSet read_thing(const std::string& text, std::int64_t n, std::uint64_t seed,
                              const std::string& up = "") const = 0;
  // Hands on the parts of one thing after the other, of those that stage 1 learns from and of others, held out, that
  // the later stages have; none of tests. Ends where `next` returns false. Does nothing where things have no parts.
  virtual void training_parts(const std::function<bool(std::vector<ThingPart>&& parts, bool held_out)>& next) const {
    static_cast<void>(next);
  }
};

}  // namespace pairs

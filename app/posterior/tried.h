#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/posterior/known_parts.h"
#include "app/posterior/known_values.h"
#include "app/posterior/recalibration.h"
#include "core/train/run.h"
#include "tasks/parts/things.h"

namespace pairs {

// Marks of an item that show whether a run has learnt from items of its kind.
struct ThingMarks {
  std::string kind = {};                // ThingSet::kind
  std::vector<ThingPart> parts = {};    // ThingSet::parts
  std::vector<double> own = {};         // its θ
  std::vector<std::string> other = {};  // ThingSet::other

  bool of_thing() const { return !own.empty(); }
  // Whether its own value is of another quantity than the target.
  bool other_quantity(std::size_t target) const { return target < other.size() && !other[target].empty(); }
  // Its own values as a posterior is compared with them: NaN of other quantities.
  std::vector<double> truth() const;
};
ThingMarks marks_of(const ThingSet& set);

// What a run's posteriors of real things of one kind were worth, by the things' own θ.
struct TriedKind {
  std::string kind;                // kind_of()
  std::int64_t count = 0, n = 0;   // things, and observations of each
  std::vector<double> inside90;    // by target: share whose θ lies in the central 90 % interval
  std::vector<std::string> other;  // ThingSet::other of the kind

  // Whether such things have another quantity of their own than the target, so that their share says nothing of it.
  bool other_quantity(std::size_t target) const { return target < other.size() && !other[target].empty(); }

  std::int64_t missed99 = 0;       // things with a θ, not of another quantity, beyond its central 99 % interval,
  std::int64_t missed_unlike = 0;  // that were reported as out of distribution
  std::int64_t missed_told = 0;    // or that the ensemble's runs disagree
  std::int64_t unlike = 0;         // of all those unlike training,
  std::int64_t disagreed = 0;      // and those about which the ensemble's runs disagree
};
// Of one thing of them; numbers by target.
struct TriedThing {
  std::string name, kind;  // the text that named it, kind_of()
  std::vector<double> own, low90 = {}, high90 = {};
  bool missed99 = false, unlike = false, disagreed = false;
  double spread = 0;  // largest_spread() of the ensemble's runs; 0 where there is no ensemble
};
struct Tried {
  std::string on;  // what was tried, in words: "meshes"
  std::vector<TriedKind> kinds;
  std::vector<Recalibration> recalibrations;  // of kinds that were tried enough, by which their posteriors are widened
  std::int64_t unread = 0;           // things that could not be read or have fewer observations
  std::int64_t repeated = 0;         // things that had been named before, by another name, too
  std::vector<std::string> refused;  // why, a sentence each; not stored
  std::vector<TriedThing> things;    // as they were named; not stored
  std::string problem;               // why nothing of it can be shown, a sentence; "" where it can
  // What training had, kept in files of its own, by which a thing is reported as unlike training: its parts, which make
  // a kind, or where it has none, its θ, which makes none.
  KnownParts parts;
  KnownValues values;

  bool unlike_training(const ThingMarks& marks) const { return parts.unlike(marks.parts) || values.unlike(marks.own); }

  // Null where none of the kind was tried.
  const TriedKind* find(const std::string& kind) const;
};

// What the kind of things with too many new parts ends with: "charged molecule, unlike training".
inline constexpr const char* kUnlikeTraining = ", unlike training";

// The kind as which a thing is tried and reported: ThingSet::kind, and "…, unlike training" where it has too many new
// parts. The thing's own θ has no part in it.
std::string kind_of(const Tried& tried, const ThingMarks& marks);
// Keeps the shares of one kind alone.
Tried only_kind(Tried tried, const std::string& kind);
// How the posterior of this thing is widened: the recalibrations of its kind; none where `tried` has a problem.
std::vector<Recalibration> recalibrations_of(const Tried& tried, const ThingMarks& marks);

// Asks the run about each of the texts that name things, of n observations each (0: as many as training saw), and
// compares `draws` samples with the item's own values. `hearer` receives the progress through the training items,
// which come first, and through the tried ones; its stop throws Stopped.
Tried try_things(const LoadedRun& run, const Things& known, const std::vector<std::string>& texts, std::int64_t n,
                 std::int64_t draws, const Preparation& hearer);

// Whether for some target, of which the items' own values are the same quantity, so few lay in the 90 % interval that
// chance does not explain it: below 80 %, and by two standard errors.
bool doubtful(const TriedKind& kind);

// "Learnt from generated furniture. Real ones tried at N = 80, own values in the 90 % interval: closed mesh (24): V
// 46 %, log a 54 %."
std::string learnt_text(const LoadedRun& run, const Tried& tried);
// "tried on 24 (closed mesh) at N = 80: V 46 %, log a 54 % in the 90 % interval", for a figure's source; "" where it
// was not.
std::string tried_note(const LoadedRun& run, const Tried& tried, const std::string& kind);
// The sentence that warns of a thing of this kind: never tried, or too few, or doubtful, or not to be tried, since the
// own values of such items are of another quantity; "" where none of these.
std::string tried_warning(const LoadedRun& run, const Tried& tried, const std::string& kind);
// The warnings about an item called `name`, sentences: that of its kind, and what of it is out of distribution.
std::vector<std::string> thing_warnings(const LoadedRun& run, const Tried& tried, const std::string& name,
                                        const ThingMarks& marks);

}  // namespace pairs

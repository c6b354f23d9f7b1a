#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/posterior/validation/known_parts.h"
#include "app/posterior/validation/known_values.h"
#include "app/posterior/validation/recalibration.h"
#include "core/train/run/run.h"
#include "tasks/parts/items.h"

namespace pairs {

// Marks of an item that show whether a run was trained on items of its kind.
struct ItemMarks {
  std::string kind = {};                // ItemSet::kind
  std::vector<ItemPart> parts = {};     // ItemSet::parts
  std::vector<double> own = {};         // its θ
  std::vector<std::string> other = {};  // ItemSet::other

  bool of_item() const { return !own.empty(); }
  // Whether its own value is of another quantity than the target.
  bool other_quantity(std::size_t target) const { return target < other.size() && !other[target].empty(); }
  // Its own values for comparison with a posterior: NaN for other quantities.
  std::vector<double> truth() const;
};
ItemMarks marks_of(const ItemSet& set);

// The external validation of a run on real items of one kind, by the items' own θ.
struct ValidatedKind {
  std::string kind;                // kind_of()
  std::int64_t count = 0, n = 0;   // number of items, and observations of each
  std::vector<double> inside90;    // by target: share whose θ lies in the central 90 % interval
  std::vector<std::string> other;  // ItemSet::other of the kind

  // Whether such items have a value of another quantity than the target, so that the share is meaningless.
  bool other_quantity(std::size_t target) const { return target < other.size() && !other[target].empty(); }

  std::int64_t missed99 = 0;          // items with a θ of the same quantity outside its central 99 % interval,
  std::int64_t missed_outside = 0;    // of these, reported as out of distribution
  std::int64_t missed_disagreed = 0;  // or on which the ensemble disagrees
  std::int64_t unlike = 0;            // all items reported as out of distribution,
  std::int64_t disagreed = 0;         // and those on which the ensemble disagrees
};
// The result for one item; numbers by target.
struct ValidatedItem {
  std::string name, kind;  // the text that named it; kind_of()
  std::vector<double> own, low90 = {}, high90 = {};
  bool missed99 = false, unlike = false, disagreed = false;
  double spread = 0;  // largest_spread() of an ensemble; else 0
};
struct ExternalValidation {
  std::string on;  // the validation items in words: "meshes"
  std::vector<ValidatedKind> kinds;
  std::vector<Recalibration> recalibrations;  // of kinds with enough items; they widen the posteriors
  std::int64_t unread = 0;                    // items that were unreadable or have fewer observations
  std::int64_t repeated = 0;                  // items named before, also by another name
  std::vector<std::string> refused;           // reasons, one sentence each; not stored
  std::vector<ValidatedItem> items;           // in the order named; not stored
  std::string problem;                        // why it cannot be shown, a sentence; else ""
  // The parts and values in training, kept in their own files, by which an item is reported as out of distribution: by
  // its parts, which define a kind, or, if it has none, by its θ, which does not.
  KnownParts parts;
  KnownValues values;

  bool out_of_distribution(const ItemMarks& marks) const {
    return parts.unlike(marks.parts) || values.unlike(marks.own);
  }

  // Null if no item of the kind was validated.
  const ValidatedKind* find(const std::string& kind) const;
};

// The suffix of the kind of items with too many new parts: "charged molecule, out of distribution".
inline constexpr const char* kOutOfDistribution = ", out of distribution";

// The kind under which an item is validated and reported: ItemSet::kind, plus "…, out of distribution" if it has too
// many new parts. It does not depend on the item's own θ.
std::string kind_of(const ExternalValidation& validated, const ItemMarks& marks);
// Keeps only the shares of one kind.
ExternalValidation only_kind(ExternalValidation validated, const std::string& kind);
// The recalibrations of this item's kind; none if `validated` has a problem.
std::vector<Recalibration> recalibrations_of(const ExternalValidation& validated, const ItemMarks& marks);

// Evaluates the run on each item named by `texts`, with n observations each (0: as many as in training), and compares
// `draws` samples with the item's own values. `hearer` receives the progress through the training items, which come
// first, and through the validation items; its stop throws Stopped.
ExternalValidation validate_items(const LoadedRun& run, const Items& known, const std::vector<std::string>& texts,
                                  std::int64_t n, std::int64_t draws, const Preparation& hearer);

// Whether, for some target, the coverage of the 90 % interval is too low to be chance: below 80 %, and by two standard
// errors. Ignores values of another quantity.
bool doubtful(const ValidatedKind& kind);

// "Learned from generated furniture. Real ones validated at N = 80, own values in the 90 % interval: closed mesh (24):
// V 46 %, log a 54 %."
std::string learned_text(const LoadedRun& run, const ExternalValidation& validated);
// "validated on 24 (closed mesh) at N = 80: V 46 %, log a 54 % in the 90 % interval", for a figure's source; "" if it
// was not.
std::string validation_note(const LoadedRun& run, const ExternalValidation& validated, const std::string& kind);
// The warning for an item of this kind: never validated, too rarely, doubtful, or impossible to validate because its
// own values are of another quantity; else "".
std::string validation_warning(const LoadedRun& run, const ExternalValidation& validated, const std::string& kind);
// The warnings about an item called `name`: that of its kind, and what is out of distribution.
std::vector<std::string> item_warnings(const LoadedRun& run, const ExternalValidation& validated,
                                       const std::string& name, const ItemMarks& marks);

}  // namespace pairs

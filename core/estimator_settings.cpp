#include <iterator>

#include "core/estimator.h"
#include "core/heads/mass.h"

namespace pairs {

std::vector<Field> fields(EstimatorConfig& c) {
  std::vector<Field> all = {
      Field::choice("encoding", &c.encoding, "How the set size is encoded for the head", {"none", "linear", "log"}),
      {"standardize", &c.standardize, "Stage 3 standardizes aggregates at each N"},
      Field{"restrict", &c.head.of<SupportSettings>().restrict,
            "Posteriors are restricted to the targets' supports where the head reaches beyond them"}
          .rarely_shown()};
  for (std::vector<Field> part : {fields(c.embedder), fields(c.head)})
    all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  return all;
}

std::vector<Field> read_fields(EstimatorConfig& c) {
  std::vector<Field> all = fields(c);
  std::erase_if(all, [&](const Field& field) {
    return (field.key.starts_with("embedder.") && !unread_because(c.embedder, field.key).empty()) ||
           (field.key.starts_with("head.") && !unread_because(c.head, field.key).empty());
  });
  return all;
}

}  // namespace pairs

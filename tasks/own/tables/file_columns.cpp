#include "tasks/file_columns.h"

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {

void convert_columns(const std::vector<FileColumn>& columns, const std::string& where, std::int64_t first,
                     std::int64_t count, double* values) {
  if (std::none_of(columns.begin(), columns.end(), [](const FileColumn& column) { return column.converts(); })) return;
  for (std::int64_t row = 0; row < count; ++row)
    for (const FileColumn& column : columns) {
      double& value = *values++;
      if (!column.converts()) continue;
      const double linear = (value - column.location) / column.scale;
      PAIRS_CHECK(!column.log || linear > 0,
                  "{}: column {} of row {} is {}, which has no logarithm, and task.toml asks for it; drop the row, or "
                  "correct log, location or scale of [[x.columns]]",
                  where, printable(column.from), first + row + 1, value);
      value = column.log ? std::log(linear) : linear;
      PAIRS_CHECK(std::isfinite(value), "{}: column {} of row {} is no finite number once it is converted; correct it",
                  where, printable(column.from), first + row + 1);
    }
}

}  // namespace pairs

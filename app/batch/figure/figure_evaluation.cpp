#include "app/batch/figure/figure_evaluation.h"

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::batch {

std::vector<Metrics> written_evaluation(const std::string& file, const std::vector<LoadedRun>& runs) {
  if (runs.size() != 1) fail_usage("--evaluation is that of one run; {} are named", runs.size());
  const std::string where = printable(file, 300);
  Metrics metrics = parse_metrics(read_file(file), where);
  PAIRS_CHECK(metrics.weights == weights_checksum(runs.front()),
              "{} is of other weights than {} has by now; evaluate it again with --out", where, runs.front().name);
  return {std::move(metrics)};
}

}  // namespace pairs::batch

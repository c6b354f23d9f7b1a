#include "app/posterior/files/refined_report.h"

#include <string>
#include <vector>

#include "app/kinds/target/parameters_room.h"
#include "app/posterior/source/refined_source.h"

namespace pairs {

void report_refined(const PosteriorAnswer& answer, const TaskInfo& info, IntervalKind interval,
                    nlohmann::json& document, Table& table) {
  document["source"] = source_word(answer.refined_first() ? SourceWish::refined : SourceWish::run);
  if (!answer.refined) return;
  const std::vector<TargetNumbers> refined = answer.refined_numbers(info.targets);
  document["refined"] = numbers_document(refined, interval);
  document["refined_by"] = refined_document(*answer.refined);
  if (answer.refined_first()) {
    const std::vector<TargetNumbers> own = answer.own_numbers(info.targets);
    document["run_alone"] = numbers_document(own, interval);
    add_numbers(table, info, "the run's own", own, interval);
  } else {
    add_numbers(table, info, kRefined, refined, interval);
  }
}

std::string refined_line(const PosteriorAnswer& answer) {
  if (!answer.refined) return "";
  return (answer.refined_first() ? answer.why_first + " " : "") + refined_text(*answer.refined, answer.n);
}

}  // namespace pairs

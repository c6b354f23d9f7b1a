#include "app/posterior/validation/tried_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/json.h"

namespace pairs {
namespace {

constexpr std::uint64_t kTriedBytes = 1 << 20;

// "parts": tried-parts.npz next to tried.json.
std::filesystem::path beside(const std::filesystem::path& tried, const char* what) {
  return tried.parent_path() / (tried.stem().string() + "-" + what + ".npz");
}

// Throws if its targets are not `targets`, or its numbers are impossible.
TriedKind kind_of_json(const nlohmann::json& one, std::size_t targets) {
  const auto whole = [&](const char* key) {
    PAIRS_CHECK(one.at(key).is_number_integer(), "{} is no whole number", key);
    return one.at(key).get<std::int64_t>();
  };
  TriedKind kind;
  kind.kind = one.at("kind").get<std::string>();
  kind.count = whole("count");
  kind.n = whole("n");
  kind.inside90 = one.at("inside_90").get<std::vector<double>>();
  kind.other = one.at("other").get<std::vector<std::string>>();
  kind.missed99 = whole("missed_99");
  kind.missed_unlike = whole("missed_99_and_unlike_training");
  kind.missed_told = whole("missed_99_and_told");
  kind.unlike = whole("unlike_training");
  kind.disagreed = whole("disagreed");
  const auto part_of = [](std::int64_t some, std::int64_t all) { return some >= 0 && some <= all; };
  const bool sound =
      kind.count > 0 && kind.n > 0 && kind.inside90.size() == targets &&
      std::all_of(kind.inside90.begin(), kind.inside90.end(), [](double share) { return share >= 0 && share <= 1; }) &&
      part_of(kind.missed99, kind.count) && part_of(kind.unlike, kind.count) && part_of(kind.disagreed, kind.count) &&
      part_of(kind.missed_unlike, std::min(kind.missed99, kind.unlike)) && part_of(kind.missed_told, kind.missed99) &&
      kind.missed_told >= kind.missed_unlike;
  PAIRS_CHECK(sound, "its numbers about {} cannot be", kind.kind);
  return kind;
}

// The checksum of a document without its own entry ("check").
std::string check_of(nlohmann::json document) {
  document.erase("check");
  return fmt::format("{:08x}", checksum(document.dump()));
}

void read_kinds(Tried& tried, const std::filesystem::path& file, const LoadedRun& run) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return;
  const nlohmann::json document = parse_json(read_file(file, kTriedBytes));
  try {
    // Files of earlier versions have none.
    PAIRS_CHECK(!document.is_object() || !document.contains("check") || document["check"] == check_of(document),
                "it was changed or damaged: it does not fit its checksum");
    tried.on = document.at("on").get<std::string>();
    tried.unread = document.at("unread").get<std::int64_t>();
    tried.repeated = document.at("repeated").get<std::int64_t>();
    const std::string from = document.at("learned_from").get<std::string>();
    PAIRS_CHECK(from == run.estimator->data_source(), "it is about weights that were trained on {}", from);
    PAIRS_CHECK(document.at("weights").get<std::string>() == weights_checksum(run), "it is about other weights");
    PAIRS_CHECK(document.at("kinds").is_array(), "its kinds are no list");
    for (const nlohmann::json& one : document.at("kinds"))
      tried.kinds.push_back(kind_of_json(one, run.task->info().targets.size()));
    if (document.value("known_by", "") == "values" && !tried.values.known())
      fail("it finds items out of distribution by {}, which is missing", beside(file, "values").filename().string());
    if (document.contains("recalibrated"))
      tried.recalibrations = recalibrations_of_json(document.at("recalibrated"), run.task->info().targets);
  } catch (const nlohmann::json::exception&) {
    fail("{} is damaged: it does not hold what the program writes", file.string());
  } catch (const Error& wrong) {
    fail("{} cannot be used: {}", file.string(), wrong.what());
  }
}

}  // namespace

Tried tried_of(const LoadedRun& run) {
  const std::filesystem::path file = run.folder / kTriedFile;
  Tried tried;
  try {
    tried.parts = read_known_parts(beside(file, "parts"));
    if (!tried.parts.known())
      tried.values =
          read_known_values(beside(file, "values"), static_cast<std::int64_t>(run.task->info().targets.size()));
    read_kinds(tried, file, run);
    const bool apart = std::any_of(tried.kinds.begin(), tried.kinds.end(),
                                   [](const TriedKind& kind) { return kind.kind.ends_with(kUnlikeTraining); });
    if (apart && !tried.parts.known() && !tried.values.known())
      fail("{} separates items out of distribution, and neither {} nor {} is there to find them by", file.string(),
           beside(file, "parts").filename().string(), beside(file, "values").filename().string());
  } catch (const Error& error) {
    tried.kinds.clear();
    tried.recalibrations.clear();
    tried.problem = fmt::format("{}; remove it, or write it again with pairs --batch tried", error.what());
  }
  return tried;
}

std::vector<std::filesystem::path> tried_files(const std::filesystem::path& file) {
  if (file.empty()) return {};
  return {file, beside(file, "parts"), beside(file, "values")};
}

nlohmann::json tried_document(const Tried& tried) {
  nlohmann::json document = {
      {"on", tried.on}, {"unread", tried.unread}, {"repeated", tried.repeated}, {"kinds", nlohmann::json::array()}};
  for (const TriedKind& kind : tried.kinds)
    document["kinds"].push_back({{"kind", kind.kind},
                                 {"count", kind.count},
                                 {"n", kind.n},
                                 {"inside_90", kind.inside90},
                                 {"other", kind.other},
                                 {"missed_99", kind.missed99},
                                 {"missed_99_and_unlike_training", kind.missed_unlike},
                                 {"missed_99_and_told", kind.missed_told},
                                 {"unlike_training", kind.unlike},
                                 {"disagreed", kind.disagreed}});
  return document;
}

void write_tried(const std::filesystem::path& file, const LoadedRun& of, const Tried& tried) {
  nlohmann::json document = tried_document(tried);
  document["learned_from"] = of.estimator->data_source();
  document["weights"] = weights_checksum(of);
  document["known_by"] = tried.parts.known() ? "parts" : tried.values.known() ? "values" : "";
  document["recalibrated"] = recalibrations_document(tried.recalibrations, of.task->info().targets);
  document["check"] = check_of(document);
  if (tried.parts.known()) write_known_parts(beside(file, "parts"), tried.parts);
  if (tried.values.known()) write_known_values(beside(file, "values"), tried.values);
  write_file(file, document.dump(2) + "\n");
}

}  // namespace pairs

#include "app/posterior/validation/external_validation_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/json.h"

namespace pairs {
namespace {

constexpr std::uint64_t kExternalValidationBytes = 1 << 20;

// "parts": external-validation-parts.npz next to external-validation.json.
std::filesystem::path companion_file(const std::filesystem::path& validated, const char* what) {
  return validated.parent_path() / (validated.stem().string() + "-" + what + ".npz");
}

// Throws if its targets are not `targets`, or its numbers are impossible.
ValidatedKind kind_of_json(const nlohmann::json& one, std::size_t targets) {
  const auto whole = [&](const char* key) {
    PAIRS_CHECK(one.at(key).is_number_integer(), "{} is no whole number", key);
    return one.at(key).get<std::int64_t>();
  };
  ValidatedKind kind;
  kind.kind = one.at("kind").get<std::string>();
  kind.count = whole("count");
  kind.n = whole("n");
  kind.inside90 = one.at("inside_90").get<std::vector<double>>();
  kind.other = one.at("other").get<std::vector<std::string>>();
  kind.missed99 = whole("missed_99");
  kind.missed_outside = whole("missed_99_and_out_of_distribution");
  kind.missed_disagreed = whole("missed_99_and_disagreed");
  kind.unlike = whole("out_of_distribution");
  kind.disagreed = whole("disagreed");
  const auto part_of = [](std::int64_t some, std::int64_t all) { return some >= 0 && some <= all; };
  const bool sound =
      kind.count > 0 && kind.n > 0 && kind.inside90.size() == targets &&
      std::all_of(kind.inside90.begin(), kind.inside90.end(), [](double share) { return share >= 0 && share <= 1; }) &&
      part_of(kind.missed99, kind.count) && part_of(kind.unlike, kind.count) && part_of(kind.disagreed, kind.count) &&
      part_of(kind.missed_outside, std::min(kind.missed99, kind.unlike)) &&
      part_of(kind.missed_disagreed, kind.missed99) && kind.missed_disagreed >= kind.missed_outside;
  PAIRS_CHECK(sound, "its numbers about {} cannot be", kind.kind);
  return kind;
}

// The checksum of a document without its own entry ("check").
std::string check_of(nlohmann::json document) {
  document.erase("check");
  return fmt::format("{:08x}", checksum(document.dump()));
}

void read_kinds(ExternalValidation& validated, const std::filesystem::path& file, const LoadedRun& run) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return;
  const nlohmann::json document = parse_json(read_file(file, kExternalValidationBytes));
  try {
    // Files of earlier versions have none.
    PAIRS_CHECK(!document.is_object() || !document.contains("check") || document["check"] == check_of(document),
                "it was changed or damaged: it does not fit its checksum");
    validated.on = document.at("on").get<std::string>();
    validated.unread = document.at("unread").get<std::int64_t>();
    validated.repeated = document.at("repeated").get<std::int64_t>();
    const std::string from = document.at("learned_from").get<std::string>();
    PAIRS_CHECK(from == run.estimator->data_source(), "it is about weights that were trained on {}", from);
    PAIRS_CHECK(document.at("weights").get<std::string>() == weights_checksum(run), "it is about other weights");
    PAIRS_CHECK(document.at("kinds").is_array(), "its kinds are no list");
    for (const nlohmann::json& one : document.at("kinds"))
      validated.kinds.push_back(kind_of_json(one, run.task->info().targets.size()));
    if (document.value("known_by", "") == "values" && !validated.values.known())
      fail("it finds items out of distribution by {}, which is missing",
           companion_file(file, "values").filename().string());
    if (document.contains("recalibrated"))
      validated.recalibrations = recalibrations_of_json(document.at("recalibrated"), run.task->info().targets);
  } catch (const nlohmann::json::exception&) {
    fail("{} is damaged: it does not hold what the program writes", file.string());
  } catch (const Error& wrong) {
    fail("{} cannot be used: {}", file.string(), wrong.what());
  }
}

}  // namespace

ExternalValidation external_validation_of(const LoadedRun& run) {
  const std::filesystem::path file = run.folder / kExternalValidationFile;
  ExternalValidation validated;
  try {
    validated.parts = read_known_parts(companion_file(file, "parts"));
    if (!validated.parts.known())
      validated.values =
          read_known_values(companion_file(file, "values"), static_cast<std::int64_t>(run.task->info().targets.size()));
    read_kinds(validated, file, run);
    const bool apart = std::any_of(validated.kinds.begin(), validated.kinds.end(),
                                   [](const ValidatedKind& kind) { return kind.kind.ends_with(kOutOfDistribution); });
    if (apart && !validated.parts.known() && !validated.values.known())
      fail("{} separates items out of distribution, and neither {} nor {} is there to find them by", file.string(),
           companion_file(file, "parts").filename().string(), companion_file(file, "values").filename().string());
  } catch (const Error& error) {
    validated.kinds.clear();
    validated.recalibrations.clear();
    validated.problem =
        fmt::format("{}; remove it, or write it again with pairs --batch external-validation", error.what());
  }
  return validated;
}

std::vector<std::filesystem::path> external_validation_files(const std::filesystem::path& file) {
  if (file.empty()) return {};
  return {file, companion_file(file, "parts"), companion_file(file, "values")};
}

std::string changed_external_validation(const std::string& text, const std::string& where,
                                        const std::function<void(nlohmann::json&)>& change) {
  nlohmann::json document = parse_json(text);
  if (!document.is_object() || !document.contains("check") || document["check"] != check_of(document))
    fail("{} is damaged: it does not fit its checksum; write it again with pairs --batch external-validation", where);
  const nlohmann::json before = document;
  change(document);
  if (document == before) return text;
  document["check"] = check_of(document);
  return document.dump(2) + "\n";
}

nlohmann::json external_validation_document(const ExternalValidation& validated) {
  nlohmann::json document = {{"on", validated.on},
                             {"unread", validated.unread},
                             {"repeated", validated.repeated},
                             {"kinds", nlohmann::json::array()}};
  for (const ValidatedKind& kind : validated.kinds)
    document["kinds"].push_back({{"kind", kind.kind},
                                 {"count", kind.count},
                                 {"n", kind.n},
                                 {"inside_90", kind.inside90},
                                 {"other", kind.other},
                                 {"missed_99", kind.missed99},
                                 {"missed_99_and_out_of_distribution", kind.missed_outside},
                                 {"missed_99_and_disagreed", kind.missed_disagreed},
                                 {"out_of_distribution", kind.unlike},
                                 {"disagreed", kind.disagreed}});
  return document;
}

void write_external_validation(const std::filesystem::path& file, const LoadedRun& of,
                               const ExternalValidation& validated) {
  nlohmann::json document = external_validation_document(validated);
  document["learned_from"] = of.estimator->data_source();
  document["weights"] = weights_checksum(of);
  document["known_by"] = validated.parts.known() ? "parts" : validated.values.known() ? "values" : "";
  document["recalibrated"] = recalibrations_document(validated.recalibrations, of.task->info().targets);
  document["check"] = check_of(document);
  if (validated.parts.known()) write_known_parts(companion_file(file, "parts"), validated.parts);
  if (validated.values.known()) write_known_values(companion_file(file, "values"), validated.values);
  write_file(file, document.dump(2) + "\n");
}

}  // namespace pairs

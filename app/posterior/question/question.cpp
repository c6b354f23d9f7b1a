#include "app/posterior/question/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "app/posterior/question/set_fields.h"
#include "core/base/fields/renamed_keys.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

constexpr std::int64_t kMostOfQuestion = std::int64_t{1} << 53;
constexpr const char* kOtherDerived = "other_derived";

// Calls visit(key, member) for each field that a table keeps under a key of its own, but for the set and what stands in
// its table (n, many), and those with tables of their own.
template <class Visit>
void question_fields(Visit&& visit) {
  visit("run", &Question::run);
  visit("others", &Question::others);
  visit("interval", &Question::interval);
  visit("learned_product", &Question::learned_product);
  visit("source", &Question::source);
  visit("derived", &Question::derived);
  visit("prior", &Question::prior);
  visit("tests", &Question::tests);
  visit("seed", &Question::seed);
  visit("predictive_seed", &Question::predictive_seed);
}
template <class Visit>
void pinned_fields(Visit&& visit) {
  visit("name", &PinnedQuestion::name);
  visit("run", &PinnedQuestion::run);
  visit("n", &PinnedQuestion::n);
  visit("weights", &PinnedQuestion::weights);
  visit("sha256", &PinnedQuestion::sha256);
  visit("source", &PinnedQuestion::source);
}

void put(toml::table& table, const char* key, IntervalKind value) {
  table.insert_or_assign(key, std::string(interval_word(value)));
}
void put(toml::table& table, const char* key, SourceWish value) {
  table.insert_or_assign(key, source_word(value));
}
void put(toml::table& table, const char* key, const std::vector<std::string>& values) {
  toml::array list;
  for (const std::string& one : values) list.push_back(one);
  table.insert_or_assign(key, std::move(list));
}
void put(toml::table& table, const char* key, std::uint64_t value) {
  table.insert_or_assign(key, static_cast<std::int64_t>(value));
}
template <class Value>
void put(toml::table& table, const char* key, const Value& value) {
  table.insert_or_assign(key, value);
}

// A key that is not there leaves its value as it is.
void take(TableReader& reader, const char* key, IntervalKind& value) {
  if (const auto word = reader.text(key)) value = interval_kind(*word, "'" + reader.full(key) + "'");
}
void take(TableReader& reader, const char* key, SourceWish& value) {
  if (const auto word = reader.text(key)) value = source_wish(*word, "'" + reader.full(key) + "'");
}
void take(TableReader& reader, const char* key, std::vector<std::string>& values) {
  values = reader.texts(key).value_or(values);
}
void take(TableReader& reader, const char* key, std::string& value) {
  value = reader.text_or(key, value);
}
void take(TableReader& reader, const char* key, bool& value) {
  value = reader.flag(key).value_or(value);
}
void take(TableReader& reader, const char* key, std::int64_t& value) {
  value = reader.whole(key, 1, kMostOfQuestion).value_or(value);
}
void take(TableReader& reader, const char* key, std::uint64_t& value) {
  if (const auto whole = reader.whole(key, 0, kMostOfQuestion)) value = static_cast<std::uint64_t>(*whole);
}

// The fields that differ from the usual.
template <class Value, class Fields>
void put_fields(toml::table& table, const Value& value, Fields&& fields) {
  fields([&](const char* key, auto member) {
    if (value.*member != Value().*member) put(table, key, value.*member);
  });
}

PinnedQuestion taken_pin(const toml::table& table, const std::string& name, const std::string& where) {
  TableReader reader(table, name, where);
  PinnedQuestion pin;
  pinned_fields([&](const char* key, auto member) { take(reader, key, pin.*member); });
  pin.set = read_set_toml(reader);
  reader.finish();
  if (pin.name.empty()) pin.name = "pinned";
  if (pin.run.empty()) reader.refuse_table("'" + reader.full("run") + "' is missing; name the run that answers");
  return pin;
}

bool is_utf8_text(const std::string& text) {
  return text == printable(text, text.size());
}

}  // namespace

toml::table question_table(const Question& question) {
  toml::table table;
  put_fields(table, question, [](auto&& visit) { question_fields(visit); });
  toml::table set = toml::parse(set_toml(question.set));
  if (question.many) set.insert_or_assign("many", true);
  if (question.n > 0) set.insert_or_assign("n", question.n);
  table.insert_or_assign("set", std::move(set));
  toml::array others;
  for (const auto& [targets, quantities] : question.other_derived) {
    toml::table one;
    put(one, "targets", targets);
    put(one, "quantities", quantities);
    others.push_back(std::move(one));
  }
  if (!others.empty()) table.insert_or_assign(kOtherDerived, std::move(others));
  toml::array pinned;
  for (const PinnedQuestion& pin : question.pinned) {
    toml::table one = toml::parse(set_toml(pin.set));
    put_fields(one, pin, [](auto&& visit) { pinned_fields(visit); });
    pinned.push_back(std::move(one));
  }
  if (!pinned.empty()) table.insert_or_assign("pinned", std::move(pinned));
  return table;
}

Question read_question(TableReader& reader, const std::string& where,
                       const std::function<void(TableReader&)>& more_of_set) {
  Question question;
  question_fields([&](const char* key, auto member) { take(reader, key, question.*member); });
  for (const std::string& test : question.tests)
    if (std::find(kPosteriorTests.begin(), kPosteriorTests.end(), test) == kPosteriorTests.end())
      reader.refuse_table("'" + reader.full("tests") + "' names '" + printable(test, 40) +
                          "'; the tests are local, predictive, observations and confidence");
  if (const std::string word = earlier_prior_word(question.prior); !word.empty())
    reader.refuse_table(
        fmt::format("'{}' has the word {}, which is training now: {}", reader.full("prior"), word, kConvertAdvice));
  if (const toml::table* const table = reader.table("set")) {
    TableReader of_set(*table, reader.full("set"), where);
    question.set = read_set_toml(of_set);
    take(of_set, "many", question.many);
    take(of_set, "n", question.n);
    if (more_of_set) more_of_set(of_set);
    of_set.finish();
    if (question.many && question.set.simulated())
      of_set.refuse_table("many = true states that a file holds many sets, and '" + of_set.full("file") +
                          "' is missing; name it");
  }
  for (const toml::table* const one : reader.tables(kOtherDerived)) {
    TableReader of_targets(*one, reader.full(kOtherDerived), where);
    const auto targets = of_targets.texts("targets");
    if (!targets || targets->empty()) of_targets.refuse_table("'" + of_targets.full("targets") + "' names no target");
    take(of_targets, "quantities", question.other_derived[*targets]);
    of_targets.finish();
  }
  for (const toml::table* const one : reader.tables("pinned"))
    question.pinned.push_back(taken_pin(*one, reader.full("pinned"), where));
  return question;
}

void change_paths(Question& question, const PathChange& run, const PathChange& file) {
  question.run = run(question.run);
  for (std::string& one : question.others) one = run(one);
  question.set.file = file(question.set.file.string());
  for (PinnedQuestion& pin : question.pinned) {
    pin.run = run(pin.run);
    pin.set.file = file(pin.set.file.string());
  }
}

bool is_utf8(const Question& question) {
  bool plain = is_utf8(question.set);
  const auto look = [&plain](const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::string>) plain = plain && is_utf8_text(value);
    if constexpr (std::is_same_v<Value, std::vector<std::string>>)
      for (const std::string& one : value) plain = plain && is_utf8_text(one);
  };
  question_fields([&](const char*, auto member) { look(question.*member); });
  for (const auto& [targets, quantities] : question.other_derived) {
    look(targets);
    look(quantities);
  }
  for (const PinnedQuestion& pin : question.pinned) {
    plain = plain && is_utf8(pin.set);
    pinned_fields([&](const char*, auto member) { look(pin.*member); });
  }
  return plain;
}

}  // namespace pairs

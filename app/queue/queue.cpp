#include "app/queue/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <random>
#include <sstream>

#include "app/runs/places.h"
#include "app/runs/run_about.h"
#include "app/studies/study_entry.h"
#include "core/base/files/files.h"
#include "core/base/system/presence.h"
#include "core/base/system/process_identity.h"
#include "core/base/text/error.h"
#include "core/base/text/json.h"
#include "core/base/text/text.h"
#include "core/train/run/run.h"
#include "core/train/stages/likelihood_stage.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 1 << 20;
constexpr const char *kItem = ".item", *kFailed = ".failed", *kOrder = "order", *kPaused = "paused",
                     *kWorker = "worker", *kKept = "kept", *kRunLock = ".lock";

fs::path whole_folder(const fs::path& folder) {
  fs::path whole = fs::absolute(folder).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

// The folder's canonical path, with links resolved.
fs::path true_place(const fs::path& folder) {
  std::error_code error;
  const fs::path place = fs::weakly_canonical(folder, error);
  return error ? folder : place;
}

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// A new id, which sorts after all earlier ones.
std::string new_id() {
  static std::random_device random;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return fmt::format("{:020}-{:08x}", std::chrono::duration_cast<std::chrono::nanoseconds>(now).count(), random());
}

std::string json_text(const nlohmann::json& document) {
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// The text, "" if the file is missing or unreadable.
std::string text_of(const fs::path& file) {
  try {
    return read_file(file, kMostBytes);
  } catch (const Error&) {
    return "";
  }
}

void remove_file(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  PAIRS_CHECK(!error, "Cannot remove {}: {}; check the folder's permissions", printable(file.string(), 300),
              error.message());
}

// An item's text with a checksum of the rest ("check").
std::string sealed_text(nlohmann::json document) {
  document.erase("check");
  document["check"] = fmt::format("{:08x}", checksum(json_text(document)));
  return json_text(document);
}

// The contents of an item's file; earlier versions have no checksum. Throws Error or an exception of the JSON library.
QueueItem parse_item(nlohmann::json document, const fs::path& runs) {
  PAIRS_CHECK(document.is_object(), "it is no JSON");
  if (document.contains("check")) {
    const nlohmann::json check = document["check"];
    document.erase("check");
    PAIRS_CHECK(check == fmt::format("{:08x}", checksum(json_text(document))), "it does not fit its checksum");
  }
  QueueItem item;
  const std::string kind = document.at("kind").get<std::string>();
  PAIRS_CHECK(kind == "run" || kind == "study", "it is of no kind that there is");
  item.kind = kind == "run" ? QueueKind::run : QueueKind::study;
  item.folder = whole_folder(runs / document.at("folder").get<std::string>());
  for (const nlohmann::json& seconds : document.at("seconds"))
    if (seconds.is_number() && seconds.get<double>() >= 0) item.seconds.push_back(seconds.get<double>());
  item.processes = std::clamp<std::int64_t>(document.at("processes").get<std::int64_t>(), 1, 1024);
  item.data = document.at("data").get<std::string>();
  return item;
}

QueueItem read_item(const fs::path& file, const fs::path& runs) {
  QueueItem item;
  try {
    item = parse_item(parse_json(read_file(file, kMostBytes)), runs);
    if (!fs::is_directory(item.folder)) {
      item.state = QueueState::failed;
      item.reason = "Its folder is missing";
    }
  } catch (const std::exception&) {
    item.folder = file;
    item.state = QueueState::failed;
    item.reason = "Its file in the queue is damaged; remove it and add it anew";
  }
  item.id = file.stem().string();
  return item;
}

// The process that uses the folder of a run: "process 12"; "" if there is none.
std::string holder_of(const fs::path& folder) {
  if (!is_locked(folder)) return "";
  const std::string process = text_of(folder / kRunLock);
  const std::string number = process.substr(0, process.find_first_not_of("0123456789"));
  return number.empty() ? "another process" : "process " + number;
}

// The working process's own record.
void read_worker(const nlohmann::json& worker, QueueView& view, std::string& item, double& since) {
  if (!worker.is_object()) return;
  if (worker.contains("item") && worker["item"].is_string()) item = worker["item"];
  if (worker.contains("since") && worker["since"].is_number()) since = worker["since"];
  if (worker.contains("window")) view.of_window = worker["window"] == true;
  if (is_alive(worker)) view.process = static_cast<pid_t>(worker.at("process").get<std::int64_t>());
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// In the order of the file, followed by items that it does not name, in the order of addition.
void sort_items(std::vector<QueueItem>& items, const std::vector<std::string>& order) {
  std::map<std::string, std::size_t> places;
  for (const std::string& id : order) places.try_emplace(id, places.size());
  const auto rank = [&](const QueueItem& item) {
    const auto found = places.find(item.id);
    return std::pair(found == places.end() ? places.size() : found->second, item.id);
  };
  std::sort(items.begin(), items.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

// The kind of item in a folder. Throws a usage error if it cannot be trained.
QueueKind kind_of_folder(const fs::path& folder) {
  const std::string name = printable(folder.string(), 300);
  if (folder.string() != printable(folder.string(), folder.string().size()))
    fail_usage("{} is no text in UTF-8; rename the folder", name);
  if (fs::exists(folder / run_file::config)) {
    if (is_shipped(folder)) fail_usage("{} holds weights that came with the program; there is nothing to train", name);
    if (run_status(folder).finished && !likelihood_begun(folder))
      fail_usage("{} is finished; there is nothing left to train", name);
    return QueueKind::run;
  }
  if (!is_study_folder(folder))
    fail_usage("{} is neither the folder of a run nor of a study: it holds no {} and no study file", name,
               run_file::config);
  return QueueKind::study;
}

}  // namespace

const char* queue_state_name(QueueState state) {
  return state == QueueState::waiting ? "waiting" : state == QueueState::working ? "working" : "failed";
}

std::size_t QueueView::left() const {
  return static_cast<std::size_t>(std::count_if(
      items.begin(), items.end(), [](const QueueItem& item) { return item.state != QueueState::failed; }));
}

const QueueItem* QueueView::at_work() const {
  for (const QueueItem& item : items)
    if (item.state == QueueState::working) return &item;
  return nullptr;
}

const QueueItem* QueueView::find(const fs::path& folder) const {
  const fs::path wanted = true_place(whole_folder(folder));
  for (const QueueItem& item : items)
    if (true_place(item.folder) == wanted) return &item;
  return nullptr;
}

Queue::Queue(fs::path runs) : runs_(whole_folder(std::move(runs))), folder_(runs_ / ".queue") {}

fs::path Queue::file(const std::string& id, const char* ending) const {
  return folder_ / (id + ending);
}

QueueView Queue::read() const {
  QueueView view;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == kItem) view.items.push_back(read_item(at->path(), runs_));
  sort_items(view.items, lines_of(text_of(folder_ / kOrder)));
  view.paused = fs::exists(folder_ / kPaused, error);
  view.working = is_locked(folder_);
  view.held = !processes_present(windows_training()).empty();
  std::string now;
  double since = 0;
  if (view.working) read_worker(parse_json(text_of(folder_ / kWorker)), view, now, since);
  for (QueueItem& item : view.items) {
    if (item.state == QueueState::failed) continue;
    item.called = item.kind == QueueKind::run ? read_about(item.folder).name : "";
    const fs::path failure = file(item.id, kFailed);
    if (item.id == now) {
      item.state = QueueState::working;
      item.since = since;
    } else if (fs::exists(failure, error)) {
      item.state = QueueState::failed;
      item.reason = text_of(failure);
    } else if (item.kind == QueueKind::run) {
      item.in_use = holder_of(item.folder);
    }
  }
  std::stable_partition(view.items.begin(), view.items.end(),
                        [](const QueueItem& item) { return item.state == QueueState::working; });
  return view;
}

void Queue::write_order(const std::vector<QueueItem>& items) const {
  std::string text;
  for (const QueueItem& item : items) text += item.id + "\n";
  write_file(folder_ / kOrder, text);
}

QueueItem item_of(const fs::path& folder) {
  QueueItem item;
  item.folder = whole_folder(folder);
  item.kind = kind_of_folder(item.folder);
  return item;
}

namespace {

nlohmann::json numbers_of(const std::vector<double>& seconds) {
  nlohmann::json numbers = nlohmann::json::array();
  for (const double one : seconds)
    if (std::isfinite(one)) numbers.push_back(one);
  return numbers;
}

}  // namespace

void Queue::expect(const std::string& id, const std::vector<double>& seconds) const {
  const fs::path place = file(id, kItem);
  nlohmann::json document = parse_json(text_of(place));
  if (!document.is_object()) return;
  document["seconds"] = numbers_of(seconds);
  std::error_code error;
  if (fs::exists(place, error)) write_file(place, sealed_text(document));
}

std::string Queue::add(QueueItem item) const {
  const QueueView before = read();
  if (const QueueItem* found = before.find(item.folder)) {
    if (found->state != QueueState::failed)
      fail_usage("{} is in the queue already", printable(item.folder.string(), 300));
    remove(found->id);
  }
  item.id = new_id();
  const fs::path inside = item.folder.lexically_relative(runs_);
  const bool within = !inside.empty() && *inside.begin() != "..";
  fs::create_directories(folder_);
  write_file(file(item.id, kItem), sealed_text({{"kind", item.kind == QueueKind::run ? "run" : "study"},
                                                {"folder", (within ? inside : item.folder).string()},
                                                {"seconds", numbers_of(item.seconds)},
                                                {"processes", item.processes},
                                                {"data", item.data}}));
  return item.id;
}

void Queue::remove(const std::string& id) const {
  remove_file(file(id, kItem));
  remove_file(file(id, kFailed));
}

void Queue::move(const std::string& id, std::size_t place) const {
  std::vector<QueueItem> items = read().items;
  const auto found = std::find_if(items.begin(), items.end(), [&](const QueueItem& item) { return item.id == id; });
  if (found == items.end()) return;
  const QueueItem moved = *found;
  items.erase(found);
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(std::min(place, items.size())), moved);
  write_order(items);
}

void Queue::pause(bool paused) const {
  if (!paused) return remove_file(folder_ / kPaused);
  fs::create_directories(folder_);
  write_file(folder_ / kPaused, "");
}

void Queue::retry(const std::string& id) const {
  remove_file(file(id, kFailed));
}

void Queue::keep(bool kept) const {
  if (!kept) return remove_file(folder_ / kKept);
  fs::create_directories(folder_);
  write_file(folder_ / kKept, "");
}

bool Queue::kept() const {
  std::error_code error;
  return fs::exists(folder_ / kKept, error);
}

void Queue::tidy() const {
  for (const fs::path& folder : {windows(), windows_training()}) {
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      const nlohmann::json identity = parse_json(text_of(at->path()));
      std::error_code gone;
      if (has_ended(identity)) fs::remove(at->path(), gone);
    }
  }
}

void Queue::report_work(const std::string& id, bool of_window) const {
  nlohmann::json worker = process_identity();
  worker["item"] = id;
  worker["window"] = of_window;
  worker["since"] = seconds_since_1970();
  write_file(folder_ / kWorker, json_text(worker));
}

void Queue::report_end_of_work() const {
  remove_file(folder_ / kWorker);
}

void Queue::fail(const std::string& id, const std::string& reason) const {
  if (fs::exists(file(id, kItem))) write_file(file(id, kFailed), reason);
}

}  // namespace pairs

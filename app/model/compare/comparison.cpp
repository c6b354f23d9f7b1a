#include "app/model/compare/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "app/model/compare/comparison_figures.h"
#include "app/model/hub/waking_monitor.h"
#include "app/runs/places.h"
#include "app/scores/run_evaluation.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/latest.h"
#include "core/base/threads/priority.h"
#include "core/base/threads/threads.h"
#include "core/report/number_text.h"
#include "core/train/run/session.h"
#include "core/train/run/shipped.h"

namespace pairs::model {
namespace {

using State = ComparedRun::State;
constexpr double kLookAgainAtRuns = 2;  // seconds between checks of the runs' files

// A run under evaluation, or how its evaluation failed.
struct Step {
  State state = State::queued;
  std::string sentence;
};

}  // namespace

class Comparison::Parts {
 public:
  explicit Parts(Hub& hub) : hub(hub), new_made([&hub] { hub.wake(); }) {}

  Hub& hub;
  std::vector<std::string> wanted;
  std::string baseline;
  LossLook losses;
  bool rate = false;
  std::shared_ptr<const MadeComparison> made;
  std::vector<ComparedRun> entries;
  bool reading = false, running = false, asked_to_stop = false;
  std::shared_ptr<const Progress> progress;
  std::map<std::string, Step> steps;  // of evaluate_all, by run
  Stopwatch since_look;
  mutable std::map<std::string, bool> shipped;

  std::mutex mutex;
  std::map<std::string, Step> reported;
  std::vector<std::string> errors;

  void read() {
    since_look.restart();
    reading = true;
    request();
  }

  void request() {
    new_made.ask([tasks = hub.tasks, asked = asked(), before = made, kept = hub.kept_scores, shades = hub.run_shades](
                     const auto& stale) { return make_comparison(tasks, asked, *kept, *shades, before, stale); });
  }

  AskedComparison asked() const { return {wanted, baseline, hub.data_folder.string(), losses, rate}; }

  void look() {
    if (wanted.empty() || reading || since_look.seconds() < kLookAgainAtRuns || new_made.busy()) return;
    since_look.restart();
    request();
  }

  // Entries from the worker, with the current activity.
  void merge() {
    std::vector<ComparedRun> out;
    for (const std::string& run : wanted) {
      ComparedRun entry;
      entry.run = entry.name = run;
      if (made)
        for (const ComparedRun& one : made->entries)
          if (one.run == run) entry = one;
      if (const auto step = steps.find(run); step != steps.end() && entry.state == State::unscored) {
        if (step->second.state == State::failed) {
          entry.sentence = step->second.sentence;
          entry.warns = true;
        } else if (running) {
          entry.state = step->second.state;
        }
        if (entry.state == State::evaluating && progress && progress->total > 0)
          entry.share = static_cast<double>(progress->done) / static_cast<double>(progress->total);
        if (entry.state == State::queued) entry.sentence = "Waits to be evaluated";
        if (entry.state == State::evaluating) entry.sentence = "Is being evaluated";
      }
      out.push_back(std::move(entry));
    }
    entries = std::move(out);
  }

  void report(const std::string& run, Step step) {
    {
      const std::lock_guard lock(mutex);
      reported[run] = std::move(step);
    }
    hub.wake();
  }

  void evaluate_one(Monitor& monitor, const std::string& run, const std::string& data, const std::string& device) {
    const LoadedRun loaded = load_run(hub.tasks, run, data, device);
    const Metrics metrics = evaluate_in(monitor, loaded, evaluation_options(loaded));
    try {
      if (!is_shipped(loaded.folder) && save_metrics(loaded, metrics)) return;
    } catch (const Error& error) {
      const std::lock_guard lock(mutex);
      errors.push_back(
          fmt::format("The scores of {} last only as long as this program: {}", loaded.name, error.what()));
    }
    hub.kept_scores->keep(metrics);
  }

  Latest<MadeComparison> new_made;
  Session session;
};

Comparison::Comparison(Hub& hub) : parts_(std::make_unique<Parts>(hub)) {}
Comparison::~Comparison() = default;

bool Comparison::poll() {
  Parts& p = *parts_;
  bool changed = false;
  const auto answer = p.new_made.take();
  if (answer && answer->value && answer->value->asked.wanted == p.wanted) {
    p.made = answer->value;
    p.reading = false;
    changed = true;
  }
  if (answer && !answer->value) p.hub.messages.error("compare", answer->failure);
  if (p.reading && !p.new_made.waits()) p.reading = false;
  bool scored = false;
  std::vector<std::string> errors;
  {
    const std::lock_guard lock(p.mutex);
    changed = changed || !p.reported.empty();
    for (auto& [run, step] : p.reported) {
      scored = scored || step.state == State::loading;
      p.steps[run] = std::move(step);
    }
    p.reported.clear();
    errors.swap(p.errors);
  }
  if (scored) p.read();
  for (std::string& text : errors) p.hub.messages.error("compare", std::move(text));
  if (p.running) {
    p.session.drain();
    if (auto latest = p.session.latest(); latest != p.progress) {
      p.progress = std::move(latest);
      changed = true;
    }
    const SessionState state = p.session.state();
    if (state == SessionState::idle || state == SessionState::failed) {
      if (state == SessionState::failed) {
        p.hub.messages.error("compare", p.session.error());
        p.session.dismiss();
      }
      p.running = p.asked_to_stop = false;
      std::erase_if(p.steps, [](const auto& one) { return one.second.state != State::failed; });
      p.read();
      changed = true;
      p.hub.wake();
    }
  }
  if (changed) p.merge();
  p.look();
  return changed;
}

bool Comparison::busy() const {
  return parts_->reading || parts_->running;
}

std::string Comparison::activity() const {
  const Parts& p = *parts_;
  if (p.running)
    for (const ComparedRun& one : p.entries)
      if (one.state == State::evaluating) return fmt::format("evaluating {}, {}", one.name, percent_text(one.share));
  return p.running ? "evaluating runs" : p.reading ? "reading runs" : "";
}

bool Comparison::wait(double seconds) {
  const Stopwatch watch;
  const auto left = [&] { return std::max(0.0, seconds - watch.seconds()); };
  bool rest = parts_->session.wait(left());
  poll();  // a finished evaluation requests another read
  rest = rest && parts_->new_made.wait(left());
  poll();
  return rest;
}

void Comparison::toggle(const std::string& run) {
  Parts& p = *parts_;
  if (std::erase(p.wanted, run) == 0) p.wanted.push_back(run);
  p.steps.erase(run);
  p.merge();
  p.read();
}

bool Comparison::holds(const std::string& run) const {
  return std::find(parts_->wanted.begin(), parts_->wanted.end(), run) != parts_->wanted.end();
}

void Comparison::clear() {
  Parts& p = *parts_;
  p.wanted.clear();
  p.steps.clear();
  p.new_made.forget();
  p.reading = false;
  p.made = nullptr;
  p.merge();
}

const std::vector<ComparedRun>& Comparison::entries() const {
  return parts_->entries;
}

std::shared_ptr<const Comparison::View> Comparison::view() const {
  return parts_->made ? parts_->made->view : nullptr;
}

void Comparison::set_baseline(const std::string& name) {
  if (parts_->baseline == name) return;
  parts_->baseline = name;
  parts_->read();
}

void Comparison::set_losses(const LossLook& look, bool rate) {
  Parts& p = *parts_;
  if (p.losses == look && p.rate == rate) return;
  p.losses = look;
  p.rate = rate;
  if (!p.wanted.empty()) p.read();
}

const LossLook& Comparison::losses() const {
  return parts_->losses;
}
bool Comparison::rate_shown() const {
  return parts_->rate;
}

std::int64_t Comparison::lacking() const {
  return std::count_if(parts_->entries.begin(), parts_->entries.end(), [](const ComparedRun& one) {
    return one.state == State::unscored || one.state == State::queued || one.state == State::evaluating;
  });
}

std::string Comparison::evaluate_blocked() const {
  const Parts& p = *parts_;
  if (p.running) return p.asked_to_stop ? "The evaluation is being stopped" : "Runs are being evaluated";
  if (p.entries.empty()) return "No run is selected";
  if (p.reading) return "The runs are being read";
  return lacking() == 0 ? "Every run that can be scored has its scores" : "";
}

void Comparison::evaluate_all() {
  Parts& p = *parts_;
  if (!evaluate_blocked().empty()) return;
  std::vector<std::string> queue;
  p.steps.clear();
  for (const ComparedRun& one : p.entries)
    if (one.state == State::unscored) {
      queue.push_back(one.run);
      p.steps[one.run] = {State::queued, ""};
    }
  p.running = true;
  p.progress = nullptr;
  p.session.start(
      [&p, queue, data = p.hub.data_folder.string(), device = p.hub.device, threads = p.hub.threads](Monitor& monitor) {
        struct Wake {
          const std::function<void()>& wake;
          ~Wake() { wake(); }
        } const at_end{p.hub.wake};
        lower_priority(4);
        use_threads(threads);
        WakingMonitor waking(monitor, p.hub.wake);
        for (const std::string& run : queue) {
          if (waking.should_stop()) throw Stopped();
          p.report(run, {State::evaluating, ""});
          try {
            p.evaluate_one(waking, run, data, device);
            p.report(run, {State::loading, ""});
          } catch (const Stopped&) {
            throw;
          } catch (const std::exception& error) {
            p.report(run, {State::failed, sentence(error)});
          }
        }
      });
  p.merge();
}

void Comparison::stop() {
  Parts& p = *parts_;
  if (!p.running || p.asked_to_stop) return;
  p.asked_to_stop = true;
  try {
    p.session.stop();
  } catch (const Error&) {
    // It ended in between; poll() detects that.
  }
}

bool Comparison::evaluating() const {
  return parts_->running;
}
bool Comparison::stopping() const {
  return parts_->asked_to_stop;
}

bool Comparison::has_shipped(const std::string& task) const {
  const auto [known, fresh] = parts_->shipped.try_emplace(task, false);
  if (fresh) known->second = has_shipped_weights(parts_->hub.tasks, task);
  return known->second;
}

std::string Comparison::batch_command() const {
  const Parts& p = *parts_;
  std::vector<std::string> runs;
  std::size_t baseline = 0;
  for (const ComparedRun& one : p.entries)
    if (one.state != State::failed && one.state != State::other && one.state != State::untrained) {
      const bool first =
          p.made && !p.made->view->names.empty() && one.name == p.made->view->names[p.made->view->baseline];
      if (first && baseline == 0) baseline = runs.size();
      runs.push_back(shell_word(one.run));
    }
  if (runs.size() < 2) return "";
  std::rotate(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(baseline),
              runs.begin() + static_cast<std::ptrdiff_t>(baseline) + 1);
  std::string command = fmt::format("pairs --batch compare {}", fmt::join(runs, " "));
  if (p.made) command += p.made->arguments;
  if (!p.hub.data_folder.empty()) command += " --data " + shell_word(p.hub.data_folder.string());
  if (p.hub.device != "auto") command += " --device " + shell_word(p.hub.device);
  return command;
}

std::string Comparison::command_note() const {
  return parts_->made ? parts_->made->note : "";
}

}  // namespace pairs::model

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <deque>
#include <string_view>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/interruption.h"
#include "core/base/threads/threads.h"
#include "tasks/own/file/permission.h"
#include "tasks/own/file/task_programs.h"
#include "tasks/own/file/x_kind.h"
#include "tasks/own/program/simulator_answers.h"
#include "tasks/own/program/simulator_question.h"
#include "tasks/own/program/worker.h"

// How a question is distributed to several workers: requests, and the handling of their answers.
namespace pairs::own {
namespace {

constexpr int kPollMilliseconds = 100;
constexpr double kRequestSeconds = 0.02;            // duration that a request should have
constexpr double kGreetingSeconds = 10;             // at least, for a program that loads its libraries
constexpr double kLeastSeconds = 0.0005;            // below which requests cost more than waiting
constexpr double kCallWork = 16;                    // work of a call in addition to its observations
constexpr double kMostAnswer = 64.0 * 1024 * 1024;  // size of an answer to more than one draw
// Limit on ragged rows in an answer: this many times the rows of as many typical observations, but at least 64 MiB.
constexpr double kRaggedMargin = 100, kLeastRagged = 64.0 * 1024 * 1024;
constexpr std::size_t kLongestHeader = 200;
// The random numbers for the check of a worker when it starts.
constexpr std::uint64_t kCheckKey = 0x70616972732d3131ull, kCheckRows = 4,
                        kCheckObservations = kCheckedObservations / 2;

// How many of a task's `wanted` workers (0: one per thread) run: if this process is limited to fewer threads than there
// are cores, there are no more workers than threads.
std::size_t workers_at_once(std::int64_t wanted) {
  const std::int64_t threads = std::max(1, at::get_num_threads());
  if (wanted <= 0) return static_cast<std::size_t>(threads);
  return static_cast<std::size_t>(threads < usable_cores() ? std::min(wanted, threads) : wanted);
}

// Takes a whole number and one blank before it off the start of `text`.
bool take_number(std::string_view& text, std::uint64_t& value) {
  if (!text.starts_with(' ')) return false;
  text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

// The version of the protocol: 2 for tasks with conditions, so that a program that does not support them reports it.
int version_of(const TaskFile& task) {
  return task.given.empty() ? 1 : 2;
}

std::string header_of_task(const TaskFile& task) {
  const TaskInfo& info = task.info;
  const std::string given =
      task.given.empty() ? "" : fmt::format(" {} {}", task.given_by_prior() > 0 ? "given" : "told", task.given.size());
  return fmt::format("pairs {} theta {} psi {}{} x {} {}\n", version_of(task), info.targets.size(),
                     info.nuisances.size(), given, x_kind(info).word, fmt::join(info.observation_shape, " "));
}

}  // namespace

// A worker with its pending requests.
struct Simulator::Process {
  enum class Phase { greeting, prior, simulate, ready };

  Process(std::size_t number, const TaskFile& task)
      : number(number), worker(task.simulator->command, task.origin.parent_path()) {}

  std::size_t number;  // counted from 1
  Worker worker;
  Phase phase = Phase::greeting;
  bool listening = true;
  // Pending answers, in order: requests, with the range of the question's draws.
  struct Asked {
    std::uint64_t request;
    std::size_t first = 0, count = 0;
    double work = 0;
  };
  std::deque<Asked> asked;
  std::string check;  // its results of the check of seeds so far
  Stopwatch since;    // since it began, or resumed, answering

  bool ready() const { return phase == Phase::ready; }
  bool waited_for() const { return !asked.empty() || !ready(); }
};

// One question from its first request to its last answer.
class Simulator::Round {
 public:
  Round(Simulator& all, const Question& question) : all_(all), question_(question) {}

  void run() {
    all_.most_ = workers_at_once(all_.workers_);
    const std::size_t wanted = std::min(all_.most_, question_.draws);
    if (all_.processes_.size() < wanted) all_.processes_.resize(wanted);
    try {
      for (std::size_t k = 0; k < wanted; ++k)
        if (!all_.processes_[k]) start(k);
      while (answered_ < question_.draws) {
        // The next request waits in the pipe, so that no worker waits for this process.
        for (std::size_t waiting = 0; waiting < 2; ++waiting)
          for (auto& process : all_.processes_)
            if (process && process->ready() && process->asked.size() <= waiting && next_ < question_.draws)
              give(*process);
        wait();
        for (auto& process : all_.processes_)
          if (process) hear(*process);
        interruption_point();
      }
    } catch (...) {
      for (auto& process : all_.processes_)
        if (process && (process->waited_for() || process.get() == failed_)) process.reset();
      throw;
    }
  }

 private:
  const TaskFile& task() const { return all_.task_; }

  void start(std::size_t k) {
    check_allowed(task());  // its file may have changed since the first was started
    try {
      all_.processes_[k] = std::make_unique<Process>(k + 1, task());
    } catch (const Error& error) {
      fail("The simulator of {}, {}, cannot run: {}", task().info.name, command_text(task().simulator->command),
           error.what());
    }
    all_.processes_[k]->worker.send(header_of_task(task()));
  }

  // Sends the next draws to a worker: as many as take it a moment, and at most its share.
  void give(Process& process) {
    const std::size_t left = question_.draws - next_, parts = 4 * all_.most_, share = (left + parts - 1) / parts;
    const double pace = *question_.pace, seconds = std::min(kRequestSeconds, task().simulator->timeout / 8);
    Process::Asked asked{0, next_};
    double bytes = 0;
    while (asked.count < left && (asked.count < share || asked.work * pace < kLeastSeconds)) {
      const auto observations = static_cast<double>(question_.draw(next_ + asked.count).count);
      const double work = kCallWork + observations, more = observations * question_.answer_bytes;
      if (asked.count > 0 && (pace <= 0 || (asked.work + work) * pace > seconds || bytes + more > kMostAnswer)) break;
      ++asked.count;
      asked.work += work;
      bytes += more;
    }
    next_ += asked.count;
    request(process, question_.kind, question_.count > 0 ? question_.count : asked.count,
            question_.payload(asked.first, asked.count), asked);
  }

  void request(Process& process, const char* kind, std::size_t draws, std::string payload, Process::Asked asked = {}) {
    asked.request = ++all_.requests_;
    if (process.asked.empty()) process.since.restart();
    process.asked.push_back(asked);
    process.worker.send(fmt::format("{} {} {}\n", kind, asked.request, draws) + std::move(payload));
  }

  void wait() {
    polled_.clear();
    for (auto& process : all_.processes_) {
      if (!process) continue;
      polled_.push_back({process->worker.output(), POLLIN, 0});
      if (process->listening) polled_.push_back({process->worker.errors(), POLLIN, 0});
      if (process->worker.sending()) polled_.push_back({process->worker.input(), POLLOUT, 0});
    }
    (void)::poll(polled_.data(), polled_.size(), kPollMilliseconds);
  }

  void hear(Process& process) {
    Worker& worker = process.worker;
    worker.flush();
    if (process.listening) process.listening = worker.listen();
    const bool open = worker.receive();
    while (take_message(process)) {
    }
    if (!open) {
      const std::string how = worker.end_text(), words = worker.last_words();
      refuse(process, fmt::format("its program {}{}{}", how, words.empty() ? "" : ": ", words));
    }
    const bool greeting = process.phase == Process::Phase::greeting;
    const double timeout = greeting ? std::max(kGreetingSeconds, task().simulator->timeout) : task().simulator->timeout;
    if (process.waited_for() && process.since.seconds() > timeout) {
      const std::string words = worker.last_words();
      refuse(process,
             fmt::format("no answer came within {:g} seconds{}{}{}", timeout,
                         greeting && timeout > task().simulator->timeout ? " of its start" : " (simulator.timeout)",
                         words.empty() ? "" : "; it wrote: ", words));
    }
  }

  // Handles the next complete message of a worker, if there is one.
  bool take_message(Process& process) {
    const std::string_view all = process.worker.received();
    if (all.empty()) return false;
    const std::size_t end = all.substr(0, kLongestHeader).find('\n');
    if (end == all.npos) {
      if (all.size() < kLongestHeader) return false;
      printed(process, all);
    }
    std::string_view line = all.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (process.phase == Process::Phase::greeting) {
      const std::string hello = fmt::format("pairs {}", version_of(task()));
      if (line != hello && !line.starts_with(hello + " ")) {
        if (line.starts_with("pairs "))
          refuse(process, fmt::format("it speaks another version of the protocol, \"{}\"; version {} is needed{}",
                                      printable(line), version_of(task()),
                                      task().given.empty() ? "" : ", which hands over what is given of a set"));
        printed(process, line);
      }
      process.worker.take(end + 1);
      check_prior_seeds(process);
      return true;
    }
    std::uint64_t id = 0, draw = 0, bytes = 0;
    std::string_view rest = line;
    const bool error = rest.starts_with("error");
    if (!error && !rest.starts_with("answer")) printed(process, line);
    rest.remove_prefix(error ? 5 : 6);
    if (!take_number(rest, id) || (error && !take_number(rest, draw)) || !take_number(rest, bytes) || !rest.empty())
      printed(process, line);
    if (process.asked.empty() || id != process.asked.front().request)
      refuse(process,
             fmt::format("it answered request {} where {} was asked", id,
                         process.asked.empty() ? "nothing" : fmt::format("{}", process.asked.front().request)));
    const Process::Asked& asked = process.asked.front();
    if (!error) check_bytes(process, bytes);
    if (error && bytes > (1u << 20)) printed(process, line);
    if (all.size() - end - 1 < bytes) return false;
    const std::string_view payload = all.substr(end + 1, bytes);
    try {
      if (error) throw Fault{static_cast<std::size_t>(draw), error_text(payload)};
      accept(process, payload);
    } catch (const Fault& fault) {
      refuse(process, fault.cause, &fault.draw);
    }
    process.worker.take(end + 1 + bytes);
    if (process.ready()) {
      answered_ += asked.count;
      const double pace = process.since.seconds() / asked.work;
      *question_.pace = *question_.pace > 0 ? 0.7 * *question_.pace + 0.3 * pace : pace;
    }
    process.asked.pop_front();
    process.since.restart();
    if (!process.ready()) next_check(process);
    return true;
  }

  // The lines of a program's error message.
  static std::string error_text(std::string_view text) {
    std::string joined;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (const std::size_t first = line.find_first_not_of(" \t\r"); first != line.npos)
        joined += (joined.empty() ? "" : "\n  ") + printable(line.substr(first), 300);
    }
    return joined.empty() ? "it reported an error without words" : joined;
  }

  void check_bytes(Process& process, std::uint64_t bytes) {
    const TaskInfo& info = task().info;
    std::int64_t wanted = -1, observations = 2 * kCheckObservations;
    bool either = process.phase == Process::Phase::simulate;
    if (process.phase == Process::Phase::ready) {
      const Process::Asked& asked = process.asked.front();
      either = question_.either;
      wanted = question_.bytes ? question_.bytes(asked.first, asked.count) : -1;
      if (question_.observations) observations = question_.observations(asked.first, asked.count);
    } else if (process.phase == Process::Phase::prior) {
      wanted = static_cast<std::int64_t>(2 * kCheckRows * 8 * prior_numbers(task()));
    } else if (!x_kind(info).ragged) {
      wanted = observations * numbers_of(info) * 4;
    }
    if (wanted < 0) {
      const double one = 8 + 8 * kRaggedMargin * info.observation_numbers();
      if (static_cast<double>(bytes) <= std::max(kLeastRagged, one * static_cast<double>(observations))) return;
      refuse(
          process,
          fmt::format("it announced {} bytes for {} observation{}, which is more than {:g} times what observations of "
                      "{:g} rows have; correct 'x.typical' or the program",
                      bytes, observations, observations == 1 ? "" : "s", kRaggedMargin, info.rows));
    }
    if (bytes == static_cast<std::uint64_t>(wanted) || (either && bytes == 2 * static_cast<std::uint64_t>(wanted)))
      return;
    if (process.ready() && question_.reference)
      refuse(process,
             fmt::format("it answered with {} bytes where {} belong, a float64 for each value of θ", bytes, wanted));
    const bool prior =
        process.phase == Process::Phase::prior || (process.phase == Process::Phase::ready && question_.kind[0] == 'p');
    refuse(process,
           fmt::format("it answered with {} bytes where {} belong, {}", bytes, wanted,
                       prior ? fmt::format("{} targets and {} nuisances of each set as float64{}", info.targets.size(),
                                           info.nuisances.size(),
                                           task().given_by_prior() > 0 ? ", and what is given of it" : "")
                             : fmt::format("observations of [{}] numbers as float32, or twice as many as float64",
                                           fmt::join(info.observation_shape, ", "))));
  }

  // Two results with the same random numbers must be equal, for every worker.
  void check_prior_seeds(Process& process) {
    process.phase = Process::Phase::prior;
    const Draw twice[2] = {{kCheckKey, 0, kPriorBlock, kCheckRows}, {kCheckKey, 0, kPriorBlock, kCheckRows}};
    request(process, "prior", 2, bytes_of(twice, 2));
  }

  // The conditions of the set that checks seeds: as the prior drew them, or the middle of the file's distribution.
  std::string check_given_bytes(const char* drawn) const {
    if (const std::size_t g = task().given_by_prior(); g > 0) return {drawn, 8 * g};
    std::vector<double> middle;
    for (const GivenRange& range : task().given_ranges)
      middle.push_back(range.log ? std::exp(range.location) : range.location);
    return bytes_of(middle.data(), middle.size());
  }

  void next_check(Process& process) {
    const TaskInfo& info = task().info;
    const std::size_t d = info.targets.size(), p = info.nuisances.size();
    if (process.phase == Process::Phase::prior) {
      const Draw twice[2] = {{kCheckKey, 0, 0, kCheckObservations}, {kCheckKey, 0, 0, kCheckObservations}};
      const char* row = process.check.data();
      const std::string theta(row, 8 * d), psi(row + 8 * d * kCheckRows, 8 * p);
      const std::string given = check_given_bytes(row + 8 * (d + p) * kCheckRows);
      process.phase = Process::Phase::simulate;
      request(process, "simulate", 2, bytes_of(twice, 2) + theta + theta + psi + psi + given + given);
      return;
    }
    if (all_.reference_.empty()) all_.reference_ = process.check;
    if (all_.reference_ != process.check)
      refuse(process,
             "it answers other values to the same seed than the worker before it; everything random must come "
             "from the generator that is handed over");
    process.phase = Process::Phase::ready;
  }

  void accept(Process& process, std::string_view answer) {
    if (process.phase == Process::Phase::ready) {
      question_.accept(process.asked.front().first, process.asked.front().count, answer);
      return;
    }
    std::string_view first = answer.substr(0, answer.size() / 2), second = answer.substr(answer.size() / 2);
    std::string together;
    if (process.phase == Process::Phase::prior) {
      std::vector<double> values(answer.size() / 16);
      std::memcpy(values.data(), first.data(), first.size());
      check_prior(task(), values.data(), kCheckRows, 0, 0);
    } else if (x_kind(task().info).ragged) {
      // The numbers of rows of both precede the rows of both.
      const std::size_t head = 8 * kCheckObservations;
      if (answer.size() < 2 * head) throw Fault{0, "it answered without the numbers of rows"};
      const std::size_t half = (answer.size() - 2 * head) / 2;
      together = std::string(answer.substr(0, head)) + std::string(answer.substr(2 * head, half));
      const std::string other = std::string(answer.substr(head, head)) + std::string(answer.substr(2 * head + half));
      if (together != other) throw Fault{0, kOtherValues};
      process.check += together;
      return;
    }
    if (first != second) throw Fault{0, kOtherValues};
    process.check += first;
  }

  [[noreturn]] void printed(const Process& process, std::string_view text) {
    refuse(process, fmt::format("its program printed \"{}\" on standard output, where answers alone belong; print on "
                                "standard error",
                                printable(text.substr(0, text.find('\n')), 100)));
  }

  [[noreturn]] void refuse(const Process& process, const std::string& cause, const std::size_t* draw = nullptr) {
    failed_ = &process;
    std::string sets = "when it was started";
    if (process.ready() && question_.reference) {
      sets = "asked for its reference";
    } else if (process.ready() && !process.asked.empty()) {
      const Process::Asked& asked = process.asked.front();
      const bool one = asked.count == 1 || (draw && *draw < asked.count);
      const Draw &first = question_.draw(asked.first + (one && draw && asked.count > 1 ? *draw : 0)),
                 &last = question_.draw(asked.first + asked.count - 1);
      const bool prior = first.block == kPriorBlock;
      const std::uint64_t from = prior ? first.set * first.count : first.set,
                          to = one ? (prior ? from + first.count - 1 : from)
                                   : (prior ? last.set * last.count + last.count - 1 : last.set);
      sets = from == to ? fmt::format("set {}", from) : fmt::format("sets {} to {}", from, to);
    } else if (process.ready()) {
      sets = "between two requests";
    }
    fail("The simulator of {} failed: worker {}, {}: {}", task().info.name, process.number, sets, cause);
  }

  static constexpr const char* kOtherValues =
      "it answers other values when it is asked with the same seed again; everything random must come from the "
      "generator that is handed over";

  Simulator& all_;
  const Question& question_;
  std::size_t next_ = 0, answered_ = 0;
  const Process* failed_ = nullptr;
  std::vector<pollfd> polled_;
};

Simulator::Simulator(TaskFile task, std::int64_t workers) : task_(std::move(task)) {
  workers_ = workers > 0 ? workers : task_.simulator->workers;
}

Simulator::~Simulator() = default;

std::int64_t Simulator::workers() const {
  return static_cast<std::int64_t>(workers_at_once(workers_));
}

void Simulator::check_programs() const {
  if (std::ranges::none_of(processes_, [](const auto& one) { return one != nullptr; })) check_allowed(task_);
}

void Simulator::ask(const Question& question) {
  Round(*this, question).run();
}

}  // namespace pairs::own

#include "core/parallel/rank_watch.h"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "core/base/text/error.h"
#include "core/parallel/rendezvous_store.h"

namespace pairs {
namespace {

using Clock = std::chrono::steady_clock;

std::string beat_key(int rank) {
  return fmt::format("beat/{}", rank);
}
std::string leave_key(int rank) {
  return fmt::format("leave/{}", rank);
}
std::string read_key(int rank) {
  return fmt::format("read/{}", rank);
}

double seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

struct RankWatch::Shared {
  Shared(const Rendezvous& meeting, int own_rank, std::vector<std::string> all, const Times& own_times)
      : place(meeting), rank(own_rank), names(std::move(all)), times(own_times) {}

  // Only this thread makes calls that may wait forever.
  void watch() {
    try {
      store = place.parts().connect();
      std::vector<std::string> reported(names.size());
      std::vector<Clock::time_point> heard(names.size(), Clock::now());
      for (std::int64_t count = 1;; ++count) {
        store->set(beat_key(rank), std::to_string(count));
        look(reported, heard);
        std::unique_lock lock(mutex);
        round = Clock::now();
        changed.notify_all();
        changed.wait_for(lock, times.beat, [&] { return ending || (leaving && !said); });
        if (leaving && !said) say(lock);
        if (ending) break;
      }
    } catch (const std::exception&) {
      lose({false, fmt::format("the rendezvous, which {} keeps, is gone", keeper())});
    }
    const std::lock_guard lock(mutex);
    at_rest = true;
    changed.notify_all();
  }

  void look(std::vector<std::string>& reported, std::vector<Clock::time_point>& heard) {
    const int size = static_cast<int>(names.size());
    std::vector<std::string> keys;
    for (int other = 0; other < size; ++other) keys.push_back(beat_key(other));
    const std::vector<std::vector<std::uint8_t>> beats = store->multiGet(keys);
    for (int other = 0; other < size; ++other) {
      if (other == rank) continue;
      const auto k = static_cast<std::size_t>(other);
      if (std::string beat(beats[k].begin(), beats[k].end()); beat != reported[k]) {
        reported[k] = std::move(beat);
        heard[k] = Clock::now();
      }
      if (store->check({leave_key(other)})) {
        const std::string why = store->get_to_str(leave_key(other));
        store->set(read_key(rank), std::string("1"));
        lose(why.empty() ? RankLoss{true, fmt::format("{} was asked to stop", names[k])}
                         : RankLoss{false, fmt::format("{} ended: {}", names[k], why)});
      } else if (Clock::now() - heard[k] > times.patience) {
        lose({false, fmt::format("{} has been silent for {:.0f} s: it died, stands still, or is cut off", names[k],
                                 seconds(times.patience))});
      }
    }
  }

  const std::string& keeper() const {
    static const std::string launcher = "the launcher";
    return place.parts().attempt.empty() ? names[0] : launcher;
  }

  // Whether every other rank has read why this one leaves, or is leaving as well.
  bool all_know() {
    for (int other = 0; other < static_cast<int>(names.size()); ++other)
      if (other != rank && !store->check({read_key(other)}) && !store->check({leave_key(other)})) return false;
    return true;
  }

  // Publishes why this rank leaves; releases `lock` meanwhile.
  void say(std::unique_lock<std::mutex>& lock) {
    const std::string why = leaving->stopped ? "" : leaving->text;
    lock.unlock();
    store->set(leave_key(rank), why);
    // When the first rank ends, so does the rendezvous: it gives the others time to read.
    const auto until = Clock::now() + 3 * times.beat;
    for (std::int64_t round = 0; rank == 0 && Clock::now() < until && !all_know(); ++round) {
      store->set(beat_key(rank), fmt::format("leaving {}", round));
      std::this_thread::sleep_for(times.beat / 10);
    }
    lock.lock();
    said = true;
    changed.notify_all();
  }

  void lose(RankLoss what) {
    const std::lock_guard lock(mutex);
    if (!lost) lost = std::move(what);
    changed.notify_all();
  }

  // Whether the thread has been waiting for the rendezvous for too long; the mutex must be held.
  bool unanswered() const { return !at_rest && Clock::now() - round > times.patience; }

  std::optional<RankLoss> seen() const {
    if (lost) return lost;
    if (!unanswered()) return std::nullopt;
    if (rank == 0 && place.parts().attempt.empty())
      return RankLoss{false, fmt::format("this process, {}, stood still for more than {:.0f} s", names[0],
                                         seconds(times.patience))};
    return RankLoss{false, fmt::format("the rendezvous, which {} keeps, has not answered for {:.0f} s: that process "
                                       "died, stands still, or is cut off",
                                       keeper(), seconds(times.patience))};
  }

  const Rendezvous place;
  const int rank;
  const std::vector<std::string> names;
  const Times times;
  c10::intrusive_ptr<c10d::Store> store;  // the thread's

  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  Clock::time_point round = Clock::now();  // when the thread last saw all ranks
  std::optional<RankLoss> lost, leaving;
  bool said = false, ending = false, at_rest = false;
};

RankWatch::RankWatch(const Rendezvous& meeting, int rank, std::vector<std::string> names, const Times& times)
    : shared_(std::make_shared<Shared>(meeting, rank, std::move(names), times)) {
  std::thread([own = shared_] { own->watch(); }).detach();
}

RankWatch::~RankWatch() {
  std::unique_lock lock(shared_->mutex);
  shared_->ending = true;
  shared_->changed.notify_all();
  shared_->changed.wait_for(lock, std::chrono::seconds(2), [&] { return shared_->at_rest; });
}

std::optional<RankLoss> RankWatch::loss() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->seen();
}

RankLoss RankWatch::wait_for_loss(const std::function<void()>& meanwhile) const {
  const auto until = Clock::now() + shared_->times.patience + 3 * shared_->times.beat;
  while (Clock::now() < until) {
    meanwhile();
    std::unique_lock lock(shared_->mutex);
    if (const auto known = shared_->seen()) return *known;
    shared_->changed.wait_for(lock, shared_->times.beat);
  }
  return {false, "a connection to another rank broke, although all of them live: see to the network between them"};
}

void RankWatch::leave(const RankLoss& why) {
  std::unique_lock lock(shared_->mutex);
  if (shared_->at_rest || shared_->unanswered()) return;
  shared_->leaving = why;
  shared_->changed.notify_all();
  shared_->changed.wait_for(lock, 5 * shared_->times.beat, [&] { return shared_->said || shared_->at_rest; });
}

void first_beat(const Rendezvous& meeting, int rank) {
  meeting.parts().connect()->set(beat_key(rank), std::string("0"));
}

}  // namespace pairs

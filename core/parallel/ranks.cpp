#include "core/parallel/ranks.h"

#include <ATen/Functions.h>
#include <c10/util/Logging.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cctype>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "core/base/text/error.h"
#include "core/parallel/gloo_group.h"
#include "core/parallel/nccl_pair.h"
#include "core/parallel/own_address.h"
#include "core/parallel/rendezvous_store.h"

namespace pairs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kErrorsAlone = 2;  // a log level of LibTorch

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown host";
}

// The arrival of ranks at the rendezvous. `answered` is called at every response.
class Arrival {
 public:
  Arrival(const RankPlace& place, const Rendezvous& meeting, const Ranks::Options& options,
          std::function<void()> answered)
      : place_(place),
        store_(meeting.parts().connect()),
        meeting_(meeting),
        options_(options),
        answered_(std::move(answered)) {
    answered_();
  }

  // The names of all ranks, once all have arrived.
  std::vector<std::string> names() {
    const int rank = place_.rank;
    const std::string own = fmt::format("rank {} ({}, process {})", rank, host_name(), ::getpid());
    if (store_->add(fmt::format("claim/{}", rank), 1) != 1)
      fail("Two processes came to {} as rank {} of {}; give each a number of its own", meeting_.name(), rank,
           place_.size);
    first_beat(meeting_, rank);
    const RouteToFirst route = meeting_.parts().file.empty() && rank > 0
                                   ? route_to(meeting_.parts().host, meeting_.parts().port)
                                   : RouteToFirst{"127.0.0.1", "127.0.0.1"};
    own_address_ = route.own;
    store_->set(fmt::format("first/{}", rank), route.first);
    store_->set(fmt::format("kind/{}", rank), fmt::format("{}, {} ranks", options_.program, place_.size));
    store_->set(fmt::format("name/{}", rank), own);
    std::vector<std::string> names;
    const auto until = Clock::now() + options_.meeting;
    for (int other = 0; other < place_.size; ++other) {
      wait_for(other, until);
      names.push_back(store_->get_to_str(fmt::format("name/{}", other)));
      answered_();
    }
    check_kinds(names);
    return names;
  }

  // The address at which the others reach this rank. The first rank, and those on its machine, may know only their
  // loopback: they use the address at which ranks on other machines reach the first one.
  std::string address() {
    std::string first = "127.0.0.1";
    for (int other = 1; other < place_.size && is_loopback(first); ++other)
      first = store_->get_to_str(fmt::format("first/{}", other));
    return is_loopback(own_address_) ? first : own_address_;
  }

 private:
  void wait_for(int other, Clock::time_point until) {
    while (!store_->check({fmt::format("name/{}", other)})) {
      answered_();
      if (options_.stop && options_.stop()) throw Stopped();
      if (Clock::now() > until) {
        std::vector<int> missing;
        for (int rank = 0; rank < place_.size; ++rank)
          if (!store_->check({fmt::format("name/{}", rank)})) missing.push_back(rank);
        fail("Of {} ranks {} {} not come to {} within {:.0f} s; start all of them", place_.size,
             fmt::join(missing, ", "), missing.size() == 1 ? "has" : "have", meeting_.name(),
             std::chrono::duration<double>(options_.meeting).count());
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  void check_kinds(const std::vector<std::string>& names) {
    const std::string first = store_->get_to_str("kind/0");
    for (int other = 1; other < place_.size; ++other)
      if (const std::string kind = store_->get_to_str(fmt::format("kind/{}", other)); kind != first)
        fail("{} is of {}, but {} of {}; start the same program with the same number of ranks everywhere",
             names[static_cast<std::size_t>(other)], kind, names[0], first);
  }

  const RankPlace& place_;
  c10::intrusive_ptr<c10d::Store> store_;
  const Rendezvous& meeting_;
  const Ranks::Options& options_;
  const std::function<void()> answered_;
  std::string own_address_;
};

// Capitalizes a text that begins a sentence.
std::string sentence_of(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// The result that a pending gather leaves when it ends.
struct Transfer {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr error;
};

}  // namespace

struct Ranks::Links {
  Links(const Rendezvous& place, const RankPlace& of, const std::vector<std::string>& names, const std::string& address,
        const Options& options)
      : meeting(place),
        watch(meeting, of.rank, names, options.times),
        group(meeting, "all", of.rank, of.size, address),
        beat(options.times.beat) {
    // With two ranks the whole group already is a pair.
    const bool paired = of.size > 2 && std::has_single_bit(static_cast<unsigned>(of.size));
    for (int digit = 1; paired && digit < of.size; digit *= 2)
      pairs.push_back(std::make_unique<GlooGroup>(meeting, fmt::format("{}-{}", digit, of.rank & ~digit),
                                                  (of.rank & digit) != 0, 2, address));
  }
  GlooGroup& pair(int round) { return pairs.empty() ? group : *pairs[static_cast<std::size_t>(round)]; }
  void abandon() {
    group.abandon();
    for (const auto& one : pairs) one->abandon();
  }

  Rendezvous meeting;  // the first rank serves it until the last moment
  RankWatch watch;
  GlooGroup group;
  std::vector<std::unique_ptr<GlooGroup>> pairs;     // by round
  std::vector<std::unique_ptr<NcclPair>> gpu_pairs;  // by round
  std::chrono::milliseconds beat;
  bool left = false;
};

// One rank's side of the meeting, on a thread of its own: LibTorch's store waits forever for a first rank that hangs,
// and that thread is then left behind.
struct Ranks::Meeting {
  Meeting(const RankPlace& of, const Rendezvous& where, const Options& how)
      : place(of), rendezvous(where), options(how) {
    options.stop = [this, stop = how.stop] { return left || (stop && stop()); };
  }

  void meet() {
    try {
      Arrival arrival(place, rendezvous, options, [this] { answered(); });
      names = arrival.names();
      links = std::make_unique<Links>(rendezvous, place, names, arrival.address(), options);
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_all();
  }
  void answered() {
    const std::lock_guard lock(mutex);
    last_answer = Clock::now();
  }
  // Returns once it is done. Throws Error if there is no response for too long.
  void wait() {
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, std::chrono::milliseconds(100), [this] { return done; }))
      if (Clock::now() - last_answer > options.silence) {
        left = true;
        fail(
            "What listens at {}, where the first rank should, has been silent for {:.0f} s: the first rank stands "
            "still, or another program has the port; start all ranks again, with another port where that is so",
            rendezvous.name(), std::chrono::duration<double>(options.silence).count());
      }
    if (error) std::rethrow_exception(error);
  }

  const RankPlace place;
  const Rendezvous rendezvous;
  Options options;
  std::mutex mutex;
  std::condition_variable changed;
  Clock::time_point last_answer = Clock::now();
  std::atomic<bool> left = false;
  bool done = false;
  std::exception_ptr error;
  std::vector<std::string> names;
  std::unique_ptr<Links> links;
};

Ranks::Ranks(const RankPlace& place, const Rendezvous& meeting, const Options& options)
    : place_(place), disk_(options.disk), known_end_(options.known_end) {
  // LibTorch's log of broken connections is suppressed, because we report them in a sentence.
  if (std::getenv("TORCH_CPP_LOG_LEVEL") == nullptr) FLAGS_caffe2_log_level = kErrorsAlone;
  try {
    meeting.parts().await_listener(options.stop);
    const auto own = std::make_shared<Meeting>(place_, meeting, options);
    std::thread([own] { own->meet(); }).detach();
    own->wait();
    names_ = std::move(own->names);
    links_ = std::move(own->links);
  } catch (const Error&) {
    throw;
  } catch (const Stopped&) {
    throw;
  } catch (const std::exception& error) {
    fail("The rendezvous at {} broke off ({}); see the messages of the first rank", meeting.name(), sentence(error));
  }
}

Ranks::~Ranks() {
  if (links_->left || links_->watch.loss()) links_->abandon();
}

torch::Tensor Ranks::exchange(GlooGroup& group, int members, const torch::Tensor& own) {
  check();
  const torch::Tensor mine = own.contiguous();
  torch::Tensor all = at::empty({members * mine.numel()}, mine.options());
  const auto transfer = std::make_shared<Transfer>();
  group.gather(mine, all, [transfer](std::exception_ptr error) {
    const std::lock_guard lock(transfer->mutex);
    transfer->done = true;
    transfer->error = error;
    transfer->changed.notify_all();
  });
  std::unique_lock lock(transfer->mutex);
  while (!transfer->changed.wait_for(lock, links_->beat, [&] { return transfer->done; })) check();
  if (transfer->error) lost(links_->watch.wait_for_loss([this] { check(); }));
  bytes_sent_ += mine.numel() * mine.element_size() * (members - 1);
  return all.view({members, mine.numel()});
}

torch::Tensor Ranks::gather_by(const Exchange& exchange, const torch::Tensor& own, bool stop) {
  // The stop request is sent as one more value after the others.
  const std::int64_t n = own.numel();
  torch::Tensor reported = at::empty({n + 1}, own.options());
  reported.slice(0, 0, n).copy_(own);
  reported[n].fill_(stop ? 1 : 0);
  const torch::Tensor all = exchange(reported);
  if (all.select(1, n).ne(0).any().item<bool>()) all_stop_ = true;
  return all.slice(1, 0, n);
}

torch::Tensor Ranks::gather(const torch::Tensor& own, bool stop) {
  return gather_by([&](const torch::Tensor& reported) { return exchange(links_->group, size(), reported); }, own, stop);
}

int Ranks::rounds() const {
  return std::countr_zero(static_cast<unsigned>(size()));
}

torch::Tensor Ranks::gather_pair(int round, const torch::Tensor& own, bool stop) {
  const bool wish = stop || all_stop_;
  if (own.is_cpu() || links_->gpu_pairs.empty())
    return gather_by([&](const torch::Tensor& reported) { return exchange(links_->pair(round), 2, reported); },
                     own.to(torch::kCPU), wish)
        .to(own.device());
  return gather_by(
      [&](const torch::Tensor& reported) {
        bytes_sent_ += static_cast<std::int64_t>(reported.nbytes());
        return links_->gpu_pairs[static_cast<std::size_t>(round)]->gather(reported, [this] { check(); });
      },
      own, wish);
}

std::vector<std::string> Ranks::gather_text(const std::string& own) {
  const torch::Tensor lengths =
      exchange(links_->group, size(), torch::tensor({static_cast<std::int64_t>(own.size())}, torch::kInt64)).flatten();
  const std::int64_t longest = lengths.max().item<std::int64_t>();
  std::vector<std::string> texts(static_cast<std::size_t>(size()));
  if (longest == 0) return texts;
  torch::Tensor bytes = at::zeros({longest}, torch::kUInt8);
  std::memcpy(bytes.mutable_data_ptr<std::uint8_t>(), own.data(), own.size());
  const torch::Tensor all = exchange(links_->group, size(), bytes);
  for (int rank = 0; rank < size(); ++rank)
    texts[static_cast<std::size_t>(rank)].assign(
        reinterpret_cast<const char*>(all.const_data_ptr<std::uint8_t>()) + rank * longest,
        static_cast<std::size_t>(lengths[rank].item<std::int64_t>()));
  return texts;
}

void Ranks::meet() {
  exchange(links_->group, size(), at::zeros({1}, torch::kUInt8));
}

int Ranks::place_on_machine() {
  const std::vector<std::string> machines = gather_text(host_name());
  const auto own = machines.begin() + rank();
  return static_cast<int>(std::count(machines.begin(), own, *own));
}

// Why the ranks cannot use NCCL, as the end of a sentence; "" if all can.
std::string Ranks::obstacle_to_nccl(const torch::Device& device) {
  const NcclPlace own = nccl_place(device);
  const std::vector<std::string> gpus = gather_text(own.gpu), problems = gather_text(own.problem);
  std::map<std::string, int> first_on;
  for (int rank = 0; rank < size(); ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    if (!problems[at].empty()) return fmt::format("{} cannot use NCCL: {}", name(rank), problems[at]);
    if (const auto [other, is_first] = first_on.emplace(gpus[at], rank); !is_first)
      return fmt::format("{} and {} share a GPU", name(other->second), name(rank));
  }
  return "";
}

void Ranks::pair_by_nccl(const torch::Device& device) {
  for (int digit = 1; digit < size(); digit *= 2) {
    const bool upper = (rank() & digit) != 0;
    const std::vector<std::string> pairs = gather_text(upper ? "" : NcclPair::new_name(device));
    links_->gpu_pairs.push_back(std::make_unique<NcclPair>(device, pairs[static_cast<std::size_t>(rank() & ~digit)],
                                                           upper, 2, [this] { check(); }));
  }
}

void Ranks::connect_devices(const torch::Device& device) {
  device_ = device;
  const std::vector<std::string> kinds = gather_text(device.is_cuda() ? "a GPU" : "the CPU");
  for (int other = 1; other < size(); ++other)
    if (const std::string& kind = kinds[static_cast<std::size_t>(other)]; kind != kinds[0])
      fail("{} trains on {}, but {} on {}; give all ranks machines with a GPU, or start a run with --device cpu",
           sentence_of(name(0)), kinds[0], name(other), kind);
  if (!device.is_cuda() || size() == 1) return;
  const std::string obstacle = obstacle_to_nccl(device);
  if (obstacle.empty()) pair_by_nccl(device);
  route_of_gpus_ = obstacle.empty() ? "over NCCL" : fmt::format("by way of the CPU's memory, because {}", obstacle);
}

void Ranks::check() const {
  if (const auto loss = links_->watch.loss()) lost(*loss);
  if (!known_end_) return;
  if (const std::string end = known_end_(); !end.empty()) lost({false, end});
}

void Ranks::lost(const RankLoss& loss) const {
  if (loss.stopped) throw Stopped();
  throw RankLost(
      sentence_of(loss.text) +
      "; resume the run, which goes on from its last checkpoint, with as many ranks or another power of two");
}

void Ranks::leave(const std::string& why) {
  links_->left = true;
  links_->watch.leave({why.empty(), why});
}

Ranks::Together::Together(Ranks* ranks, bool together) : ranks_(ranks) {
  if (ranks_ != nullptr) before_ = std::exchange(ranks_->together_, together);
}

Ranks::Together::~Together() {
  if (ranks_ != nullptr) ranks_->together_ = before_;
}

}  // namespace pairs

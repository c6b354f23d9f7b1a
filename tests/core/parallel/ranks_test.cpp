#include "core/parallel/ranks.h"

#include <ATen/Functions.h>
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <memory>

#include "core/base/files/descriptor.h"
#include "core/parallel/own_address.h"
#include "tests/core/parallel/rank_threads.h"
#include "tests/on_device.h"

namespace pairs {
namespace {

using testing::HasSubstr;

TEST(Ranks, GatherValuesAndTextsInTheirOrder) {
  std::atomic<int> right = 0;
  const auto ends = as_ranks(4, [&](Ranks& ranks) {
    for (int round = 0; round < 20; ++round) {
      const torch::Tensor all = ranks.gather(at::full({3}, ranks.rank() + 10.5 * round, torch::kFloat64));
      for (int rank = 0; rank < 4; ++rank)
        if (all[rank].equal(at::full({3}, rank + 10.5 * round, torch::kFloat64))) ++right;
    }
    const std::vector<std::string> texts = ranks.gather_text(std::string(static_cast<std::size_t>(ranks.rank()), 'x'));
    for (std::size_t rank = 0; rank < 4; ++rank)
      if (texts[rank] == std::string(rank, 'x')) ++right;
    EXPECT_FALSE(ranks.all_stop());
    ranks.meet();
  });
  for (const RankEnd& end : ends) EXPECT_EQ(end.error, "");
  EXPECT_EQ(right, 4 * 4 * 21);
}

TEST(Ranks, AWishToStopReachesAllInOneGather) {
  std::atomic<int> heard = 0;
  as_ranks(3, [&](Ranks& ranks) {
    for (int step = 0; step < 5; ++step) {
      ranks.gather(at::zeros({1}), ranks.rank() == 2 && step == 3);
      EXPECT_EQ(ranks.all_stop(), step >= 3);
      if (ranks.all_stop()) ++heard;
    }
    ranks.meet();
  });
  EXPECT_EQ(heard, 6);
}

TEST(Ranks, RoundsOfPairsReachAll) {
  std::atomic<int> right = 0;
  const auto ends = as_ranks(8, [&](Ranks& ranks) {
    EXPECT_EQ(ranks.rounds(), 3);
    for (int step = 0; step < 3; ++step) {
      torch::Tensor sum = at::full({4}, static_cast<double>(1 << ranks.rank()), torch::kFloat64);
      for (int round = 0; round < ranks.rounds(); ++round) {
        const torch::Tensor both = ranks.gather_pair(round, sum, step == 1 && ranks.rank() == 5);
        EXPECT_LT(both[0][0].item<double>(), both[1][0].item<double>()) << "the lower number first";
        sum = both[0] + both[1];
      }
      EXPECT_EQ(ranks.all_stop(), step >= 1);
      if (sum.equal(at::full({4}, 255.0, torch::kFloat64))) ++right;
    }
    EXPECT_EQ(ranks.bytes_sent(), 3 * 3 * 5 * 8);
    ranks.meet();
  });
  for (const RankEnd& end : ends) EXPECT_EQ(end.error, "");
  EXPECT_EQ(right, 8 * 3);
}

// Ranks of one GPU, or of the CPU.
PAIRS_DEVICE_TEST(Ranks, PairsExchangeWhatTheirDeviceHolds) {
  std::atomic<int> right = 0;
  const auto ends = as_ranks(4, [&](Ranks& ranks) {
    ranks.connect_devices(device);
    EXPECT_EQ(ranks.route_of_gpus().find("share a GPU") != std::string::npos, device.is_cuda())
        << ranks.route_of_gpus();
    torch::Tensor sum = at::full({1000}, 0.1 + ranks.rank(), torch::kFloat32).to(device);
    for (int round = 0; round < ranks.rounds(); ++round) {
      const torch::Tensor both = ranks.gather_pair(round, sum, ranks.rank() == 2);
      EXPECT_EQ(both.device().type(), device.type());
      sum = both[0] + both[1];
    }
    EXPECT_TRUE(ranks.all_stop());
    if (sum.cpu().equal(at::full({1000}, (0.1f + 1.1f) + (2.1f + 3.1f), torch::kFloat32))) ++right;
    ranks.meet();
  });
  for (const RankEnd& end : ends) EXPECT_EQ(end.error, "");
  EXPECT_EQ(right, 4);
}

TEST(Ranks, OfUnlikeDevicesAreRefused) {
  const auto ends = as_ranks(2, [](Ranks& ranks) {
    ranks.connect_devices(ranks.rank() == 1 ? torch::Device(torch::kCUDA, 0) : torch::Device(torch::kCPU));
  });
  for (const RankEnd& end : ends) {
    EXPECT_THAT(end.error, HasSubstr("Rank 0 ("));
    EXPECT_THAT(end.error, HasSubstr("trains on the CPU, but rank 1 ("));
  }
}

TEST(Ranks, OfOneMachineAreNumbered) {
  std::atomic<int> right = 0;
  as_ranks(4, [&](Ranks& ranks) {
    if (ranks.place_on_machine() == ranks.rank()) ++right;
    ranks.meet();
  });
  EXPECT_EQ(right, 4);
}

TEST(Ranks, WhatTheProcessKnowsOfAnEndIsToldAtOnce) {
  Ranks::Options options = quick_ranks();
  const auto ended = std::make_shared<std::atomic<bool>>(false);  // a watch may outlive the test
  options.known_end = [ended] { return *ended ? "rank 1 of this run was ended by SIGKILL" : ""; };
  const auto ends = as_ranks(
      2,
      [&](Ranks& ranks) {
        ranks.meet();
        if (!ranks.leads()) return;
        *ended = true;
        ranks.meet();
      },
      options);
  EXPECT_THAT(ends[0].error, HasSubstr("Rank 1 of this run was ended by SIGKILL; resume the run"));
}

TEST(Ranks, MeetAtAHostThatIsKnown) {
  check_meeting_host("localhost");
  check_meeting_host("127.0.0.1");
  EXPECT_THROW(check_meeting_host("::1"), Error);
  EXPECT_THROW(check_meeting_host("999.1.1.1."), Error);
}

TEST(Ranks, ALostRankIsNamedWithItsSentence) {
  const auto ends = as_ranks(3, [&](Ranks& ranks) {
    ranks.meet();
    if (ranks.rank() == 1) {
      ranks.leave("The disk is full");
      return;
    }
    ranks.meet();
  });
  for (const int rank : {0, 2}) {
    EXPECT_THAT(ends[static_cast<std::size_t>(rank)].error, HasSubstr("ank 1 ("));
    EXPECT_THAT(ends[static_cast<std::size_t>(rank)].error, HasSubstr("The disk is full"));
    EXPECT_LT(ends[static_cast<std::size_t>(rank)].seconds, 10);
  }
}

TEST(Ranks, ARankThatWasAskedToStopStopsTheOthers) {
  const auto ends = as_ranks(3, [&](Ranks& ranks) {
    ranks.meet();
    if (ranks.rank() == 0) {
      ranks.leave("");
      throw Stopped();
    }
    ranks.meet();
  });
  for (const RankEnd& end : ends) EXPECT_TRUE(end.stopped) << end.error;
}

TEST(Ranks, WhoDoesNotComeIsNamed) {
  const TemporaryFolder folder;
  Ranks::Options options = quick_ranks();
  options.meeting = std::chrono::milliseconds(300);
  const RankEnd end = end_of([&] { Ranks ranks({1, 4}, Rendezvous::in_file(folder / "meeting"), options); });
  EXPECT_THAT(end.error, HasSubstr("Of 4 ranks 0, 2, 3 have not come"));
  options.stop = [] { return true; };
  EXPECT_TRUE(end_of([&] { Ranks ranks({0, 2}, Rendezvous::in_file(folder / "other"), options); }).stopped);
}

// A first rank that listens and stands still.
TEST(Ranks, AFirstRankThatIsSilentWhileTheyMeetIsNamed) {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(socket, plain, size), 0);
  ASSERT_EQ(::listen(socket, 5), 0);
  ASSERT_EQ(::getsockname(socket, plain, &size), 0);
  Ranks::Options options = quick_ranks();
  options.silence = std::chrono::milliseconds(1000);
  const RankEnd end = end_of([&] {
    Ranks ranks({1, 2}, Rendezvous::join("127.0.0.1", ntohs(address.sin_port)), options);
  });
  EXPECT_THAT(end.error, HasSubstr("has been silent for 1 s: the first rank stands still"));
  EXPECT_LT(end.seconds, 10);
}

TEST(Ranks, WhoComesTwiceOrOfAnotherProgramIsRefused) {
  const TemporaryFolder folder;
  Ranks::Options options = quick_ranks();
  options.meeting = std::chrono::milliseconds(100);
  const Rendezvous meeting = Rendezvous::in_file(folder / "meeting");
  end_of([&] { Ranks ranks({1, 2}, meeting, options); });
  EXPECT_THAT(end_of([&] { Ranks ranks({1, 2}, meeting, options); }).error, HasSubstr("as rank 1 of 2"));
  std::vector<RankEnd> ends(2);
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < 2; ++rank)
      threads.emplace_back([&, rank] {
        Ranks::Options own = quick_ranks();
        own.program = rank == 0 ? "version 1" : "version 2";
        ends[static_cast<std::size_t>(rank)] = end_of([&] {
          Ranks ranks({rank, 2}, Rendezvous::in_file(folder / "third"), own);
        });
      });
  }
  for (const RankEnd& end : ends) EXPECT_THAT(end.error, HasSubstr("version 2, 2 ranks, but rank 0"));
}

TEST(Ranks, MeetAtAnAddress) {
  const Rendezvous listening = Rendezvous::listen("127.0.0.1", 0);
  ASSERT_GT(listening.port(), 0);
  std::vector<RankEnd> ends(3);
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < 3; ++rank)
      threads.emplace_back([&, rank] {
        ends[static_cast<std::size_t>(rank)] = end_of([&] {
          const Rendezvous meeting = rank == 0 ? listening : Rendezvous::join("127.0.0.1", listening.port());
          Ranks ranks({rank, 3}, meeting, quick_ranks());
          EXPECT_EQ(ranks.gather(at::ones({1}))[rank].item<float>(), 1);
          ranks.meet();
        });
      });
  }
  for (const RankEnd& end : ends) EXPECT_EQ(end.error, "");
}

TEST(Ranks, MeetAtAnAddressThatTheirLauncherServes) {
  const Rendezvous launcher = Rendezvous::listen("127.0.0.1", 0);
  for (const char* attempt : {"pairs/0", "pairs/1"}) {
    std::vector<RankEnd> ends(2);
    {
      std::vector<std::jthread> threads;
      for (int rank = 0; rank < 2; ++rank)
        threads.emplace_back([&, rank] {
          ends[static_cast<std::size_t>(rank)] = end_of([&] {
            Ranks ranks({rank, 2}, Rendezvous::served("127.0.0.1", launcher.port(), attempt), quick_ranks());
            ranks.meet();
          });
        });
    }
    for (const RankEnd& end : ends) EXPECT_EQ(end.error, "") << attempt;
  }
}

// Who may not use an address of the machine does not reach ranks that meet at another one of it.
TEST(Ranks, ListenAtTheNamedAddressAlone) {
  ifaddrs* all = nullptr;
  ASSERT_EQ(::getifaddrs(&all), 0);
  std::string host;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET || (one->ifa_flags & IFF_LOOPBACK) != 0)
      continue;
    char text[INET_ADDRSTRLEN] = {};
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr, text, sizeof text);
    host = text;
  }
  ::freeifaddrs(all);
  if (host.empty()) GTEST_SKIP() << "this machine has no address beyond its loopback";
  const Rendezvous listening = Rendezvous::listen(host, 0);
  EXPECT_TRUE(accepts_connections(host, listening.port()));
  EXPECT_FALSE(accepts_connections("127.0.0.1", listening.port()));
}

TEST(Ranks, APortThatIsTakenIsTold) {
  const Rendezvous listening = Rendezvous::listen("127.0.0.1", 0);
  EXPECT_THAT(end_of([&] { Rendezvous::listen("127.0.0.1", listening.port()); }).error,
              HasSubstr("choose another port with --rendezvous"));
}

TEST(Ranks, KnowTheirWayToTheFirst) {
  EXPECT_EQ(route_to("127.0.0.1", 29500).own, "127.0.0.1");
  EXPECT_EQ(route_to("127.0.0.1", 29500).first, "127.0.0.1");
  EXPECT_THAT(end_of([] { route_to("no-such-host.invalid", 29500); }).error, HasSubstr("no-such-host.invalid"));
  EXPECT_EQ(host_port("node3:29500").host, "node3");
  EXPECT_EQ(host_port("node3:29500").port, 29500);
  for (const char* wrong : {"node3", ":29500", "node3:", "node3:0", "node3:70000", "node3:12x"})
    EXPECT_THROW(host_port(wrong), Error) << wrong;
}

}  // namespace
}  // namespace pairs

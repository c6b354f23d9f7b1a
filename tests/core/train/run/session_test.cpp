#include "core/train/run/session.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/base/text/error.h"
#include "core/base/threads/interruption.h"
#include "core/train/run/work_watch.h"

namespace pairs {
namespace {

using S = SessionState;
using A = SessionAction;

TEST(SessionTable, EveryPairIsDecidedAndExplained) {
  const std::set<std::pair<S, A>> allowed = {
      {S::idle, A::start},   {S::running, A::pause}, {S::running, A::stop}, {S::pausing, A::resume},
      {S::pausing, A::stop}, {S::paused, A::resume}, {S::paused, A::stop},  {S::failed, A::dismiss},
  };
  for (int s = 0; s < session_states; ++s)
    for (int a = 0; a < session_actions; ++a) {
      const bool ok = blocked_reason(static_cast<S>(s), static_cast<A>(a)).empty();
      EXPECT_EQ(ok, allowed.contains({static_cast<S>(s), static_cast<A>(a)})) << s << ", " << a;
    }
}

// A job that counts its steps until it is asked to stop.
struct Stepper {
  std::atomic<int> steps{0};
  std::atomic<bool> saved{false};
  Session::Job job() {
    return [this](Monitor& monitor) {
      for (;;) {
        if (monitor.should_stop()) {
          saved = true;
          throw Stopped();
        }
        ++steps;
        Progress progress;
        progress.done = steps;
        monitor.progress(progress);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    };
  }
};

void wait_for(const Session& session, S state) {
  for (int i = 0; i < 5000 && session.state() != state; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(session.state(), state);
}

void drive_to(Session& session, Stepper& stepper, S state) {
  if (state == S::idle) return;
  if (state == S::failed) {
    session.start([](Monitor&) { fail("the disk is on fire"); });
    return wait_for(session, S::failed);
  }
  session.start(stepper.job());
  if (state == S::paused) {
    session.pause();
    wait_for(session, S::paused);
  }
}

void press(Session& session, Stepper& stepper, A action) {
  switch (action) {
    case A::start:
      return session.start(stepper.job());
    case A::pause:
      return session.pause();
    case A::resume:
      return session.resume();
    case A::stop:
      return session.stop();
    case A::dismiss:
      return session.dismiss();
  }
}

TEST(Session, EveryActionInEveryRestingStateObeysTheTable) {
  for (S state : {S::idle, S::running, S::paused, S::failed})
    for (int a = 0; a < session_actions; ++a) {
      Stepper stepper;
      Session session;
      drive_to(session, stepper, state);
      const auto action = static_cast<A>(a);
      const std::string_view reason = blocked_reason(state, action);
      if (reason.empty()) {
        EXPECT_NO_THROW(press(session, stepper, action));
      } else {
        try {
          press(session, stepper, action);
          ADD_FAILURE() << "state " << static_cast<int>(state) << " allowed action " << a;
        } catch (const Error& error) {
          EXPECT_NE(std::string(error.what()).find(reason), std::string::npos);
        }
        EXPECT_EQ(session.state(), state);
      }
    }
}

TEST(Session, PauseHoldsTheJobAndResumeContinuesIt) {
  Stepper stepper;
  Session session;
  session.start(stepper.job());
  session.pause();
  wait_for(session, S::paused);
  const int held = stepper.steps;
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(stepper.steps, held);
  session.resume();
  for (int i = 0; i < 2000 && stepper.steps < held + 5; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GE(stepper.steps, held + 5);
  session.stop();
  EXPECT_TRUE(session.wait(5));
  EXPECT_TRUE(stepper.saved);
  EXPECT_EQ(session.outcome(), SessionOutcome::stopped);
}

TEST(Session, StopsWhilePausedAndWhenDestroyed) {
  Stepper first, second;
  {
    Session session;
    session.start(first.job());
    session.pause();
    wait_for(session, S::paused);
    session.stop();
    EXPECT_TRUE(session.wait(5));
    EXPECT_TRUE(first.saved);
    session.start(second.job());
  }
  EXPECT_TRUE(second.saved);
}

TEST(Session, FailureIsKeptUntilDismissedAndEventsStayInOrder) {
  Session session;
  session.start([](Monitor& monitor) {
    for (int i = 0; i < 100; ++i) {
      Event event;
      event.type = EventType::loss;
      event.step = i;
      monitor.event(event);
    }
    fail("no such luck");
  });
  EXPECT_TRUE(session.wait(5));
  EXPECT_EQ(session.state(), S::failed);
  EXPECT_EQ(session.error(), "no such luck");
  const std::vector<Event> events = session.drain();
  ASSERT_EQ(events.size(), 101u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(events[static_cast<std::size_t>(i)].step, i);
  EXPECT_EQ(events.back().type, EventType::error);
  session.dismiss();
  session.start([](Monitor&) {});
  EXPECT_TRUE(session.wait(5));
  EXPECT_EQ(session.outcome(), SessionOutcome::done);
}

TEST(Session, APauseIsNoWork) {
  Session session;
  std::atomic<double> worked{-1}, passed{-1};
  std::atomic<bool> end{false};
  session.start([&](Monitor& monitor) {
    const WorkWatch work;
    const Stopwatch all;
    while (!end) {
      (void)monitor.should_stop();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    passed = all.seconds();
    worked = work.seconds();
  });
  session.pause();
  wait_for(session, S::paused);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  session.resume();
  end = true;
  ASSERT_TRUE(session.wait(10));
  EXPECT_GE(passed - worked, 0.3);
  EXPECT_GE(worked, 0);
}

// A job that waits for something else (a simulator) is heard through the points at which it may be interrupted.
TEST(Session, StopsAJobAtItsInterruptionPoints) {
  Session session;
  std::atomic<bool> begun{false};
  session.start([&](Monitor&) {
    for (;;) {
      begun = true;
      interruption_point();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  while (!begun) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  session.stop();
  EXPECT_TRUE(session.wait(5));
  EXPECT_EQ(session.outcome(), SessionOutcome::stopped);
}

}  // namespace
}  // namespace pairs

// pairs-keeper COMMAND...: runs a user's program for Pairs Studio, so that none of its processes is left behind. The
// program and everything that it starts, in any process group or session, are killed when the link (descriptor 3) is
// closed, which the kernel does however Pairs Studio ends, and when the program itself ends. At the start, one int is
// sent over the link: 0, or the errno with which the program could not be started. Ends as the program did. Makes only
// system calls.

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kLink = 3;
constexpr int kPatience = 1500, kTurn = 2;  // milliseconds for killing all; between two rounds

struct Kin {
  pid_t process, parent;
};

// All visible processes.
std::vector<Kin> processes() {
  std::vector<Kin> all;
  DIR* const folder = ::opendir("/proc");
  if (!folder) return all;
  while (const dirent* const entry = ::readdir(folder)) {
    const pid_t process = std::atoi(entry->d_name);
    if (process <= 0) continue;
    char name[64], text[512];
    std::snprintf(name, sizeof name, "/proc/%d/stat", process);
    const int file = ::open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    const ssize_t got = ::read(file, text, sizeof text - 1);
    ::close(file);
    if (got <= 0) continue;
    text[got] = '\0';
    // "12 (name) S 1 …", where the name may hold anything.
    const char* const behind = std::strrchr(text, ')');
    int parent = 0;
    if (behind && std::sscanf(behind + 1, " %*c %d", &parent) == 1) all.push_back({process, parent});
  }
  ::closedir(folder);
  return all;
}

// Sends a signal to all descendants of this process.
void signal_descendants(int signal) {
  const std::vector<Kin> all = processes();
  std::vector<pid_t> ours = {::getpid()};
  for (std::size_t k = 0; k < ours.size(); ++k)
    for (const Kin& one : all)
      if (one.parent == ours[k]) ours.push_back(one.process);
  for (std::size_t k = 1; k < ours.size(); ++k) (void)::kill(ours[k], signal);
}

// Kills until no process is left: orphans are reparented to this process, however they were started.
void kill_others() {
  for (int waited = 0; waited < kPatience; waited += kTurn) {
    signal_descendants(SIGKILL);
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (ended < 0 && errno == ECHILD) return;
    const timespec turn{0, kTurn * 1000000L};
    (void)::nanosleep(&turn, nullptr);
  }
}

// `program` has not been waited for, so that its group is still its own: this works even if /proc cannot be read.
void kill_all(pid_t program) {
  (void)::kill(-program, SIGKILL);
  (void)::kill(program, SIGKILL);
  kill_others();
}

// In the child: becomes the program, or reports why not.
[[noreturn]] void become(char** command, pid_t keeper, int report, const sigset_t& mask) {
  ::setpgid(0, 0);
  // Kills the program if this process is killed. A death before this call is detected by getppid.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != keeper) ::_exit(127);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::execvp(command[0], command);
  const int error = errno;
  (void)!::write(report, &error, sizeof error);
  ::_exit(127);
}

// Ends as the program did.
[[noreturn]] void end_like(int status) {
  if (WIFSIGNALED(status)) {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    const int signal = WTERMSIG(status);
    ::signal(signal, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
    ::kill(::getpid(), signal);
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 127);
}

}  // namespace

int main(int count, char** words) {
  if (count < 2 || ::fcntl(kLink, F_SETFD, FD_CLOEXEC) < 0) {
    std::fputs("pairs-keeper is started by Pairs Studio alone\n", stderr);
    return 2;
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  // Only SIGKILL reaches it; the end of children is read.
  sigset_t all, before;
  sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, &before);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const int ended = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  int report[2];
  pid_t program = -1;
  const pid_t own = ::getpid();
  int error = ended < 0 || ::pipe2(report, O_CLOEXEC) != 0 ? errno : 0;
  if (error == 0) {
    program = ::fork();
    if (program == 0) become(words + 1, own, report[1], before);
    if (program < 0) error = errno;
    ::close(report[1]);
    if (program > 0 && ::read(report[0], &error, sizeof error) != static_cast<ssize_t>(sizeof error)) error = 0;
    ::close(report[0]);
  }
  // Its streams belong to the program alone.
  if (const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC); nothing >= 0)
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
  (void)!::write(kLink, &error, sizeof error);
  if (error != 0) return 127;
  for (;;) {
    pollfd wanted[2] = {{kLink, POLLIN, 0}, {ended, POLLIN, 0}};
    if (::poll(wanted, 2, -1) < 0) continue;
    if (wanted[0].revents != 0) {
      kill_all(program);
      return 0;
    }
    signalfd_siginfo reported;
    while (::read(ended, &reported, sizeof reported) > 0) {
    }
    for (siginfo_t one{}; ::waitid(P_ALL, 0, &one, WEXITED | WNOHANG | WNOWAIT) == 0 && one.si_pid > 0; one = {}) {
      int status = 0;
      if (one.si_pid == program) {
        (void)::kill(-program, SIGKILL);
        ::waitpid(program, &status, 0);
        kill_others();
        end_like(status);
      }
      ::waitpid(one.si_pid, &status, 0);
    }
  }
}

#include "app/model/train/detached.h"

#include <sys/wait.h>
#include <unistd.h>

namespace pairs::model {

pid_t reap_detached() {
  siginfo_t ended{};
  // Checks without reaping: the child may have another owner.
  if (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == 0) return 0;
  if (::getsid(ended.si_pid) != ended.si_pid) return 0;  // start_detached makes the child a session leader
  return ::waitpid(ended.si_pid, nullptr, WNOHANG) == ended.si_pid ? ended.si_pid : 0;
}

}  // namespace pairs::model

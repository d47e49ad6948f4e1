#include "worker/Sandbox.h"

#include "shared/WorkerFrames.h"

#include <fcntl.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace supplierd::media {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool INSTRUMENTED = true;
#else
constexpr bool INSTRUMENTED = false;
#endif

struct ReleaseFilter {
    void operator()(void* filter) const { ::seccomp_release(filter); }
};
using Filter = std::unique_ptr<void, ReleaseFilter>;

/// What computing, memory and ending need.
constexpr std::array ALLOWED{
    SCMP_SYS(brk),          SCMP_SYS(munmap),       SCMP_SYS(mremap),         SCMP_SYS(madvise),
    SCMP_SYS(futex),        SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigprocmask), SCMP_SYS(restart_syscall),
    SCMP_SYS(exit),         SCMP_SYS(exit_group),   SCMP_SYS(clock_gettime),  SCMP_SYS(clock_getres),
    SCMP_SYS(gettimeofday), SCMP_SYS(time),         SCMP_SYS(times),          SCMP_SYS(getrusage),
    SCMP_SYS(getpid),       SCMP_SYS(gettid),       SCMP_SYS(sched_yield),    SCMP_SYS(getrandom),
};

/// What nothing here ever calls: who does is not ours any more.
constexpr std::array DEADLY{
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    SCMP_SYS(fork),
    SCMP_SYS(vfork),
    SCMP_SYS(clone),
    SCMP_SYS(clone3),
    SCMP_SYS(socket),
    SCMP_SYS(connect),
    SCMP_SYS(bind),
    SCMP_SYS(listen),
    SCMP_SYS(accept),
    SCMP_SYS(accept4),
    SCMP_SYS(sendto),
    SCMP_SYS(sendmsg),
    SCMP_SYS(ptrace),
    SCMP_SYS(bpf),
    SCMP_SYS(mount),
    SCMP_SYS(unshare),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(kill),
    SCMP_SYS(tkill),
    SCMP_SYS(io_uring_setup),
};

[[noreturn]] void fail(int error, const char* what) {
    throw std::system_error(error, std::generic_category(), what);
}

void setLimit(int resource, rlim_t value) {
    const rlimit limit{value, value};
    if (::setrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0)
        fail(errno, "setrlimit");
}

void requireSingleThread() {
    const auto threads = std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
    if (threads != 1)
        throw std::logic_error("a sandbox needs a process with one thread");
}

void closeOtherDescriptors() {
    if (::close_range(WORKER_CHANNEL + 1, ~0U, 0) != 0)
        fail(errno, "close_range");
}

template <typename... Arguments>
void add(const Filter& filter, std::uint32_t action, int call, Arguments... arguments) {
    const std::array<scmp_arg_cmp, sizeof...(arguments)> conditions{arguments...};
    const int result = ::seccomp_rule_add_array(filter.get(), action, call, sizeof...(arguments), conditions.data());
    if (result != 0 && result != -EDOM) // EDOM: this machine does not have that call
        fail(-result, "seccomp rule");
}

scmp_arg_cmp equals(unsigned argument, scmp_datum_t value) {
    return {argument, SCMP_CMP_EQ, value, 0};
}

scmp_arg_cmp masked(unsigned argument, scmp_datum_t mask, scmp_datum_t value) {
    return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

void addRules(const Filter& filter) {
    for (const int call : DEADLY)
        add(filter, SCMP_ACT_KILL_PROCESS, call);
    for (const int call : ALLOWED)
        add(filter, SCMP_ACT_ALLOW, call);
    if (INSTRUMENTED)
        add(filter, SCMP_ACT_ALLOW, SCMP_SYS(sigaltstack)); // at each longjmp of libjpeg and libpng
    add(filter, SCMP_ACT_ALLOW, SCMP_SYS(read), equals(0, WORKER_CHANNEL));
    add(filter, SCMP_ACT_ALLOW, SCMP_SYS(write), equals(0, WORKER_CHANNEL));
    add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), masked(2, PROT_EXEC, 0), masked(3, MAP_ANONYMOUS, MAP_ANONYMOUS));
    add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), masked(2, PROT_EXEC, 0));
    add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), equals(0, 0), equals(1, RLIMIT_CPU));
    add(filter, SCMP_ACT_ALLOW, SCMP_SYS(setrlimit), equals(0, RLIMIT_CPU));
}

void closeFilter() {
    const Filter filter(::seccomp_init(SCMP_ACT_ERRNO(EPERM)));
    if (!filter)
        throw std::bad_alloc();
    addRules(filter);
    if (const int result = ::seccomp_load(filter.get()); result != 0)
        fail(-result, "seccomp filter");
}

} // namespace

void enterSandbox(const SandboxLimits& limits) {
    if (!INSTRUMENTED)
        requireSingleThread();
    closeOtherDescriptors();
    if (!INSTRUMENTED)
        setLimit(RLIMIT_AS, limits.addressSpaceBytes);
    for (const int none :
         {static_cast<int>(RLIMIT_CORE), static_cast<int>(RLIMIT_FSIZE), static_cast<int>(RLIMIT_NOFILE),
          static_cast<int>(RLIMIT_NPROC), static_cast<int>(RLIMIT_MEMLOCK), static_cast<int>(RLIMIT_MSGQUEUE)})
        setLimit(none, 0);
    if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        fail(errno, "prctl");
    closeFilter();
}

void limitCpuTime(unsigned seconds) {
    rusage used{};
    rlimit limit{};
    ::getrusage(RUSAGE_SELF, &used);
    if (::getrlimit(RLIMIT_CPU, &limit) != 0)
        fail(errno, "getrlimit");
    limit.rlim_cur = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + seconds + 1;
    if (::setrlimit(RLIMIT_CPU, &limit) != 0)
        fail(errno, "setrlimit");
}

} // namespace supplierd::media

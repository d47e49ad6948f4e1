#pragma once

#include <string>
#include <vector>

namespace supplierd::host {

/// What a thread does for a plugin while this lives: for the last words of a process that is ended with work
/// unfinished, and of one that crashes. It may lie within another one. Costs a few stores and no lock.
class CurrentWork {
public:
    struct Texts {
        const char* plugin = nullptr;
        const char* work = nullptr;
    };

    /// Both texts must live as long as this. An empty plugin is the host itself.
    CurrentWork(const char* plugin, const char* work);
    ~CurrentWork();
    CurrentWork(const CurrentWork&) = delete;
    CurrentWork& operator=(const CurrentWork&) = delete;

    /// That of the calling thread; null outside of all. Safe in a signal's handler.
    static Texts ofThisThread() noexcept;
    /// "PLUGIN: WORK" of every thread, sorted, each once. Thread: any, while the texts live.
    static std::vector<std::string> ofAllThreads();

private:
    Texts _outer;
};

/// Installs what a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) writes on standard error before it ends the process
/// as ever: one line as the log has them, with the thread's CurrentWork and the addresses of the calls, by file.
/// Threads that have had a CurrentWork tell of an overflown stack, too.
void reportCrashes();

} // namespace supplierd::host

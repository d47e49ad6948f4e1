#include "host/observe/CurrentWork.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string_view>

namespace supplierd::host {

namespace {

constexpr int CALLS = 48;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool HAS_SANITIZER = true; // which reports crashes itself
#else
constexpr bool HAS_SANITIZER = false;
#endif

/// One line of text in memory of its own: a handler of a crash may neither allocate nor lock.
class CrashLine {
public:
    CrashLine& add(std::string_view text) {
        for (const char c : text)
            put(c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 ? '?' : c);
        return *this;
    }
    CrashLine& quoted(std::string_view text) {
        put('"');
        add(text);
        put('"');
        return *this;
    }
    CrashLine& field(std::string_view name, std::string_view text) {
        put(',');
        quoted(name);
        put(':');
        return quoted(text);
    }
    CrashLine& number(std::uintmax_t value, int base, std::size_t digits = 1) {
        std::array<char, 20> text{};
        const auto end = std::to_chars(text.data(), text.data() + text.size(), value, base).ptr;
        for (auto size = static_cast<std::size_t>(end - text.data()); size < digits; ++size)
            put('0');
        return add({text.data(), static_cast<std::size_t>(end - text.data())});
    }
    CrashLine& raw(char c) {
        put(c);
        return *this;
    }
    void write() {
        _text[_size++] = '\n';
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, _text.data(), _size);
    }

private:
    void put(char c) {
        if (_size + 1 < _text.size())
            _text[_size++] = c;
    }

    std::array<char, 8'192> _text{};
    std::size_t _size = 0;
};

/// As the log has it; gmtime_r() may lock.
void addTime(CrashLine& line) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const std::chrono::sys_seconds seconds{std::chrono::seconds(now.tv_sec)};
    const auto midnight = std::chrono::floor<std::chrono::days>(seconds);
    const std::chrono::year_month_day date(midnight);
    const std::chrono::hh_mm_ss time(seconds - midnight);
    const auto two = [&line](auto value, char separator) {
        line.number(static_cast<std::uintmax_t>(value), 10, 2).raw(separator);
    };
    line.raw('{').quoted("time").raw(':').raw('"');
    line.number(static_cast<std::uintmax_t>(int{date.year()}), 10, 4).raw('-');
    two(unsigned{date.month()}, '-');
    two(unsigned{date.day()}, 'T');
    two(time.hours().count(), ':');
    two(time.minutes().count(), ':');
    two(time.seconds().count(), '.');
    line.number(static_cast<std::uintmax_t>(now.tv_nsec / 1'000'000), 10, 3).raw('Z').raw('"');
}

/// FILE+0xOFFSET, for addr2line. What finds the file is the one lookup that glibc promises to be safe here.
void addCall(CrashLine& line, void* address) {
    dl_find_object found{};
    const char* file = "?";
    auto offset = reinterpret_cast<std::uintptr_t>(address);
    if (_dl_find_object(address, &found) == 0) {
        const char* const name = found.dlfo_link_map->l_name;
        file = name && *name ? name : "supplierd";
        offset -= found.dlfo_link_map->l_addr;
    }
    line.raw('"').add(file).add("+0x").number(offset, 16).raw('"');
}

void reportCrash(int signal, siginfo_t*, void*) {
    static CrashLine line; // not on what may be the last page of a stack
    const auto texts = CurrentWork::ofThisThread();
    const char* const name = ::sigabbrev_np(signal);
    addTime(line);
    line.field("level", "error").field("source", "supplierd").field("message", "the process crashes");
    line.field("signal", name ? name : "?");
    line.field("plugin", texts.plugin ? texts.plugin : "").field("work", texts.work ? texts.work : "");
    line.raw(',').quoted("calls").raw(':').raw('[');
    std::array<void*, CALLS> calls{};
    const int count = ::backtrace(calls.data(), CALLS);
    constexpr int OWN = 2; // this function, and the kernel's way into it
    for (int i = OWN; i < count; ++i) {
        if (i > OWN)
            line.raw(',');
        addCall(line, calls[static_cast<std::size_t>(i)]);
    }
    line.raw(']').raw('}');
    line.write();
    ::raise(signal); // its handler is the default one by now
}

} // namespace

void reportCrashes() {
    if (HAS_SANITIZER)
        return;
    std::array<void*, 1> first{};
    ::backtrace(first.data(), 1); // loads what it needs now, and not in a crash
    struct sigaction action {};
    action.sa_sigaction = reportCrash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND) | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
        ::sigaction(signal, &action, nullptr);
}

} // namespace supplierd::host

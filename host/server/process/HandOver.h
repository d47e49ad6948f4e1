#pragma once

#include "host/base/OwnedDescriptor.h"
#include "host/server/process/TerminationSignal.h"

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// Starts this program anew, from the file that is installed by then, with the listening sockets of this process
/// (PassedSockets), and waits until it serves. Meanwhile this process goes on serving. Thread: main's.
class HandOver {
public:
    struct Socket {
        std::string name;
        int descriptor = -1;
    };
    struct Result {
        pid_t successor = -1;
        std::string failure; ///< why there is no successor; empty when there is one
    };

    /// Remembers how this process was started. `argv` must outlive the object.
    explicit HandOver(char** argv);

    /// Ends the successor and gives up when it takes longer than `limit`, or when termination is requested meanwhile.
    /// `yield` is called once the successor is ready, which serves when it returns; there is no way back then.
    Result run(const std::vector<Socket>& sockets, const TerminationSignal& termination,
               std::chrono::milliseconds limit, const std::function<void()>& yield) const;

private:
    pid_t start(const std::vector<Socket>& sockets, int report) const;

    std::filesystem::path _program;
    char** _argv;
};

/// The server that this one takes over from, if there is one. Thread: main's.
class Predecessor {
public:
    /// From the environment, which no longer tells of it afterwards.
    Predecessor();
    Predecessor(const Predecessor&) = delete;
    Predecessor& operator=(const Predecessor&) = delete;

    bool exists() const { return _report.get() >= 0; }
    /// This process can serve: the predecessor yields the sockets and ends. Returns when it has yielded, or after a few
    /// seconds all the same.
    void ready();
    /// This process cannot serve: the predecessor stays, and tells its operator.
    void failed(const std::string& reason);

private:
    void tell(std::string_view text) const;

    OwnedDescriptor _report;
};

} // namespace supplierd::host

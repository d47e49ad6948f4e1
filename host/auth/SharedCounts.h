#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace supplierd::host {

/// What a limiter asks of windows that several servers count in, with what it knows itself: so a store that has lost a
/// window, or was away for a while, goes on where this server was.
struct SharedCountRequest {
    std::string name; ///< of the window
    std::int64_t limit = 0;
    std::chrono::milliseconds window{0};
    bool counts = true; ///< false: only looks
    /// Of the window as this server knows it: how long it runs on, zero when there is none; what was used in it,
    /// without what the others will say that they counted; the least that the store itself has said; and what was
    /// counted here while the store could not be asked.
    std::chrono::milliseconds knownLeft{0};
    std::int64_t knownUsed = 0;
    std::int64_t leastUsed = 0;
    std::int64_t uncounted = 0;
};

struct SharedCount {
    enum class Outcome {
        Answered,
        Unanswered, ///< it may have counted, or not
        NotAsked    ///< it has not counted
    };

    Outcome outcome = Outcome::NotAsked;
    bool allowed = false;
    std::int64_t used = 0; ///< with this request, if it is allowed
    std::chrono::milliseconds left{0};
};

/// Windows that all servers count in, exactly. Thread: any.
class SharedCounts {
public:
    /// Counts one, unless the limit is reached. Throws nothing but std::bad_alloc: what cannot be asked is an outcome.
    virtual SharedCount count(const SharedCountRequest& request) = 0;
    /// Whether it can be asked just now.
    virtual bool isAvailable() const = 0;

protected:
    ~SharedCounts() = default;
};

} // namespace supplierd::host

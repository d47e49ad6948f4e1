#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace supplierd::host {

/// What a server knows of a window itself. A store that has lost the window, or was away, continues with it.
struct KnownCount {
    std::int64_t used = 0;             ///< at least; without those that are
    std::int64_t unreported = 0;       ///< counted here while the store was away
    std::chrono::milliseconds left{0}; ///< 0: no window runs
};

struct SharedCountRequest {
    std::string name; ///< of the window
    std::int64_t limit = 0;
    std::chrono::milliseconds window{0};
    bool counts = true; ///< false: only reads
    KnownCount known;
};

struct SharedCount {
    bool allowed = false;
    std::int64_t used = 0; ///< with this request, if it is allowed
    std::chrono::milliseconds left{0};
};

/// Windows that all servers count in, exactly. Thread: any.
class SharedCounts {
public:
    /// Counts one, unless the limit is reached. Nothing: there was no answer, and it has counted the request or not.
    /// Throws nothing but std::bad_alloc.
    virtual std::optional<SharedCount> count(const SharedCountRequest& request) = 0;

protected:
    ~SharedCounts() = default;
};

} // namespace supplierd::host

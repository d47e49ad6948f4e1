#pragma once

#include <supplierd/Response.h>

namespace supplierd::host {

/// Parses one in so many of the JSON texts that handlers return: what is no JSON would break the client, and nobody
/// here would know. Thread: any.
class ResponseSample {
public:
    /// server.check_responses; 0: none, 1: all.
    explicit ResponseSample(int oneIn) : _oneIn(oneIn) {}

    /// Throws std::logic_error: this one is no JSON.
    void check(const Response& response) const;

private:
    int _oneIn;
};

} // namespace supplierd::host

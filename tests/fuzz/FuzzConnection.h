#pragma once

#include "tests/fuzz/RequestMaker.h"
#include "tests/support/HttpClient.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace supplierd::tests {

struct FuzzTally {
    std::map<int, std::size_t> statuses; ///< 0: given up by this side (CutOff)
    std::size_t reconnects = 0;          ///< the server closed an idle connection
    std::vector<std::string> failures;

    void add(const FuzzTally& other);
};

/// Sends requests on one kept connection, one after another, and judges every answer. Thread: one.
class FuzzConnection {
public:
    FuzzConnection(std::string url, std::string key, const BodyMutator& mutator, std::uint64_t seed,
                   std::size_t number);

    /// Stops early after a few failures.
    FuzzTally run(std::size_t requests);

private:
    void send(const FuzzRequest& request, const std::string& requestId);
    void judge(const FuzzRequest& request, const std::string& requestId, const HttpResponse& response);
    void fail(const FuzzRequest& request, const std::string& requestId, const std::string& problem);
    std::string bytesOf(const FuzzRequest& request, const std::string& requestId) const;

    HttpClient _client;
    std::string _prefix;
    std::string _key;
    RequestMaker _maker;
    std::size_t _number;
    FuzzTally _tally;
};

} // namespace supplierd::tests

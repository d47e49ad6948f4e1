#pragma once

#include "tests/fuzz/BodyMutator.h"
#include "tests/support/HttpClient.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::tests {

/// How the body is put on the wire.
enum class Framing {
    Whole,   ///< Content-Length says how much comes
    Chunked, ///< Transfer-Encoding: chunked
    CutOff,  ///< Content-Length promises more than comes before the connection is closed
    Surplus  ///< more comes than Content-Length says
};

struct FuzzRequest {
    std::string method;
    std::string path;
    HttpHeaders headers;
    std::optional<std::string> body;
    Framing framing = Framing::Whole;
};

/// One connection's requests, in an order that its generator decides. Thread: one.
class RequestMaker {
public:
    RequestMaker(const BodyMutator& mutator, std::uint64_t seed) : _mutator(mutator), _generator(seed) {}

    FuzzRequest next();
    /// A product that exists, for updates and deletes.
    void learnProduct(std::int64_t id);

private:
    FuzzRequest read();
    FuzzRequest write();
    std::string productPath();
    void addHeaders(FuzzRequest& request);

    const BodyMutator& _mutator;
    Generator _generator;
    std::vector<std::int64_t> _products;
};

/// Bodies that the server accepts, to begin with. Every one names the category.
std::vector<std::string> validBodies(std::int64_t categoryId);

} // namespace supplierd::tests

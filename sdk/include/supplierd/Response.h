#pragma once

#include <supplierd/Abi.h>
#include <supplierd/JsonWriter.h>

#include <string>
#include <utility>
#include <vector>

namespace supplierd {

/// What a handler returns. `data` is the JSON value of the envelope's `data`; the host writes the envelope around it.
/// A value type: tests build and read it freely. Since 0.1.
struct SUPPLIERD_API Response {
    int status = 200;
    std::string data;
    std::vector<std::pair<std::string, std::string>> headers;
    /// `data` holds a secret that is shown once: never stored for replay under an Idempotency-Key.
    bool secret = false;

    Response() = default;
    explicit Response(int status_, std::string data_ = {}) : status(status_), data(std::move(data_)) {}

    /// A response without a body (304).
    static Response notModified() { return Response(304); }

    Response& header(std::string name, std::string value) {
        headers.emplace_back(std::move(name), std::move(value));
        return *this;
    }
};

} // namespace supplierd

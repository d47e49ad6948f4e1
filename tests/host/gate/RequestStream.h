#pragma once

#include "host/gate/ChunkedReader.h"
#include "host/gate/RequestHeadCheck.h"

#include <string>
#include <string_view>
#include <vector>

namespace supplierd::tests {

/// A connection's bytes, read as the gate reads them: head, body, next head, until it is refused, closes or ends.
class RequestStream {
public:
    struct Request {
        std::string method;
        std::string target;
        std::string body;
        bool isWhole = false; ///< the body came to its end
    };

    /// Appends a piece and reads as far as possible.
    void add(std::string_view piece);

    const std::vector<Request>& requests() const { return _requests; }
    /// 0: not refused.
    int refusedWith() const { return _status; }
    /// A request that did not keep the connection alive was read to its end.
    bool closes() const { return _closes; }
    /// Everything at once, to compare two readings.
    std::string summary() const;

private:
    bool readHead();
    bool readBody();
    void refuse(const host::Rejection& rejection) { _status = rejection.status; }

    std::string _bytes; ///< of the request that is being read
    host::RequestHeadCheck _check;
    host::CheckedHead _head;
    host::ChunkedReader _chunks{BODY_LIMIT};
    bool _inBody = false;
    bool _closes = false;
    int _status = 0;
    std::vector<Request> _requests;

    static constexpr std::uint64_t BODY_LIMIT = 1'048'576;
};

} // namespace supplierd::tests

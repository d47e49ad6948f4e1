#pragma once

#include "tests/support/LoopbackOrigin.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace supplierd::tests {

/// A loopback origin that serves what a test gives it, each thing under a path of its own. Thread: any.
class PictureOrigin {
public:
    PictureOrigin();

    std::uint16_t port() const { return _origin.port(); }
    /// The URL under which the bytes are served from now on, whatever query follows it.
    std::string serve(std::string bytes);
    /// The URL whose requests the script answers.
    std::string script(LoopbackOrigin::Script script);
    /// How often it was asked for.
    std::size_t requests(const std::string& url) const;
    std::size_t requests() const { return _origin.requests().size(); }

private:
    void answer(OriginConnection& connection);

    mutable std::mutex _mutex;
    std::map<std::string, LoopbackOrigin::Script> _scripts; ///< by path
    LoopbackOrigin _origin;
};

} // namespace supplierd::tests

#pragma once

#include "TimeLimit.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace supplierd::media {

/// One open connection. Thread: one.
class ByteStream {
public:
    virtual ~ByteStream() = default;

    /// Waits for at least one byte; 0 at an orderly end. Throws FetchError (Connect, Tls, Timeout, Stopped).
    virtual std::size_t read(std::span<char> buffer, const TimeLimit& limit) = 0;
    /// Returns when all has been handed over. Throws as read() does.
    virtual void write(std::string_view bytes, const TimeLimit& limit) = 0;
};

} // namespace supplierd::media

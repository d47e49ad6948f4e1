#pragma once

#include "host/gate/HeaderSyntax.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace supplierd::host {

/// How the end of a request's body is found.
enum class BodyFraming { None, Length, Chunked };

/// A request's head that means one thing. Views into the bytes that were checked last.
struct CheckedHead {
    std::size_t length = 0; ///< of all of it, with what stood before the request line (`skipped`); a body follows
    std::size_t skipped = 0;
    std::string_view bytes; ///< of the head alone: from its request line to its empty line
    std::string_view method;
    std::string_view target; ///< raw; begins with '/', "http://" or "https://", or is the '*' of an OPTIONS
    bool isHttp11 = false;
    BodyFraming framing = BodyFraming::None;
    std::uint64_t contentLength = 0; ///< 0 but for BodyFraming::Length
    bool keepsAlive = false;         ///< what the client wants
    bool expectsContinue = false;
    /// The fields that the gate asks for most; views without data when they did not come. Each came once at most.
    std::string_view host;
    std::string_view authorization;
    std::string_view origin;
    HeaderFields fields;
};

/// Judges the head of one request from its raw bytes, by RFC 9112 and without mercy: Poco's reader takes nearly
/// everything, and what two readers understand differently is how requests are smuggled. No byte is looked at twice,
/// however many pieces it comes in. A value; it keeps nothing of the bytes but places in them. Thread: one.
class RequestHeadCheck {
public:
    struct Limits {
        std::size_t head = 16'384;
        std::size_t line = 8'000; ///< of the target, and of one field
        std::size_t fields = 100;
        std::uint64_t contentLength = std::uint64_t{1} << 62U; ///< beyond it 413 at once
    };

    enum class State { Incomplete, Complete, Rejected };

    explicit RequestHeadCheck(const Limits& limits) : _limits(limits) {}
    RequestHeadCheck() : RequestHeadCheck(Limits()) {}

    /// `bytes`: all that came since the last request's end, so every call's begin as the previous one's did; they may
    /// have moved. What follows the head is not looked at.
    State check(std::string_view bytes);
    State state() const { return _state; }

    /// Once State::Complete.
    const CheckedHead& head() const { return _head; }
    /// Once State::Rejected. The connection has to be closed after the answer.
    const Rejection& rejection() const { return *_rejection; }
    /// Whether there is more than the CRLF that some clients send after a body: before, the connection is idle.
    bool hasBegun() const { return _scanned > _skipped; }

private:
    struct Place {
        std::size_t at = 0;
        std::size_t size = 0;
    };

    const Rejection* scan(std::string_view bytes);
    const Rejection* takeByte(std::string_view bytes);
    const Rejection* takeLine(std::string_view bytes);
    const Rejection* takeRequestLine(std::string_view bytes, std::string_view line);
    const Rejection* takeField(std::string_view bytes, std::string_view line);
    const Rejection* takeConnection(std::string_view value);
    const Rejection* takeContentLength(std::string_view value);
    const Rejection* takeTransferEncoding(std::string_view value);
    const Rejection* checkWhole() const;
    void fill(std::string_view bytes);

    Limits _limits;
    State _state = State::Incomplete;
    const Rejection* _rejection = nullptr;
    CheckedHead _head;

    std::size_t _scanned = 0;
    std::size_t _skipped = 0;
    std::size_t _lineBegin = 0;
    std::size_t _fieldsBegin = 0; ///< 0 before the request line has come
    std::size_t _fieldCount = 0;
    Place _method;
    Place _target;
    Place _host;
    Place _authorization;
    Place _origin;
    unsigned _seen = 0; ///< a bit for each field that may come only once
    bool _isHttp11 = false;
    bool _isChunked = false;
    bool _closes = false;
    bool _keepsAlive = false;
    bool _expectsContinue = false;
    std::uint64_t _contentLength = 0;
};

} // namespace supplierd::host

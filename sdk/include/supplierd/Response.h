#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Errors.h>
#include <supplierd/JsonWriter.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace supplierd {

/// Bytes that are sent as they are, without an envelope: a picture, a file. They must not change while it lives.
/// Thread: one at a time, a worker. Lifetime: until the answer was sent; it may outlive the handler,
/// never the plugin. Since 1.0.
class SUPPLIERD_API Content {
public:
    virtual ~Content() = default;

    virtual std::uint64_t size() const = 0;
    /// `size` bytes from `offset`; never asked for more than there are, and at most 256 KiB at once. An exception, or
    /// fewer bytes than asked for, breaks the connection off, so that a client never takes a part for the whole.
    virtual std::string read(std::uint64_t offset, std::size_t size) const = 0;
    /// A regular file that is open for reading, whose first size() bytes are the content, so that the kernel can send
    /// them without read(); it stays the Content's. -1: there is none.
    virtual int descriptor() const { return -1; }
};

/// Bytes whose number nobody knows yet: an export that is made while it is sent. The host collects what it reads to
/// pieces of 64 KiB. The first piece is read before anything is sent, so that an exception there is still an error
/// answer; a later one breaks the connection off. What fits into the first piece goes out with its length, more of it
/// in chunks (to HTTP/1.0 clients until the connection closes). Thread: one at a time, a worker, after the
/// handler returned. Lifetime: until the answer was sent, never the plugin's end. Since 1.0.
class SUPPLIERD_API ContentStream {
public:
    virtual ~ContentStream() = default;

    /// The next bytes, at most `to`'s size; 0: that was all.
    virtual std::size_t read(std::span<char> to) = 0;
};

/// What a handler returns. `data` is the JSON value of the envelope's `data`; the host writes the envelope around it.
///
/// With a `contentType` of its own, `data` is sent as it is, without an envelope, with any status from 200 to 599: a
/// page, a redirect. See text(), html() and redirect().
///
/// With `content` set (status 200, routes of GET only), its bytes are sent instead, under `contentType`, and the host
/// does what HTTP asks of it: HEAD, one byte range (206; 416 in an envelope with `Content-Range`; several ranges give
/// the whole) under `If-Range`, 304 for an `If-None-Match` and 412 for an `If-Match` by the handler's header `ETag`. It
/// writes `Content-Type`, `Content-Length`, `Content-Range`, `Accept-Ranges` and `X-Content-Type-Options: nosniff`. The
/// handler gives `ETag` (quoted) and `Cache-Control`; without an `ETag` there is no 304, and `If-Range` gives the
/// whole.
///
/// With `stream` set (routes of GET only), what it reads is sent under `contentType`, with any status from 200 to 599.
///
/// A value type: tests build and read it freely. Since 1.0.
struct SUPPLIERD_API Response {
    static constexpr std::size_t MAX_WARNINGS = 20;

    int status = 200;
    std::string data;
    std::vector<std::pair<std::string, std::string>> headers;
    /// `data` holds a secret that is shown once: never stored for replay under an Idempotency-Key.
    bool secret = false;
    std::shared_ptr<const Content> content;
    std::shared_ptr<ContentStream> stream;
    /// "text/html; charset=utf-8": of `content` or `stream` (empty: "application/octet-stream"), or of `data`, which
    /// has no envelope then.
    std::string contentType;
    /// What the client should know although the request was done: the `warnings` beside `data`. The host adds one for
    /// every query parameter and body field that the plugin's OpenAPI document does not know; it sends the first
    /// MAX_WARNINGS. A response of `content` has none.
    std::vector<Detail> warnings;
    Reserved reserved;

    Response() = default;
    explicit Response(int status_, std::string data_ = {}) : status(status_), data(std::move(data_)) {}

    /// A response without a body (304).
    static Response notModified() { return Response(304); }

    /// `code` as in Detail, such as `unsupported`.
    Response& warn(std::string field, std::string code, std::string message) {
        warnings.push_back({std::move(field), std::move(code), std::move(message)});
        return *this;
    }

    Response& addHeader(std::string name, std::string value) {
        headers.emplace_back(std::move(name), std::move(value));
        return *this;
    }

    /// A response of bytes.
    static Response of(std::shared_ptr<const Content> content, std::string contentType) {
        Response response(200);
        response.content = std::move(content);
        response.contentType = std::move(contentType);
        return response;
    }
    static Response of(std::shared_ptr<ContentStream> stream, std::string contentType) {
        Response response(200);
        response.stream = std::move(stream);
        response.contentType = std::move(contentType);
        return response;
    }

    /// A text as it is, without an envelope.
    static Response text(std::string text, int status = 200, std::string contentType = "text/plain; charset=utf-8") {
        Response response(status, std::move(text));
        response.contentType = std::move(contentType);
        return response;
    }
    static Response html(std::string page, int status = 200) {
        return text(std::move(page), status, "text/html; charset=utf-8");
    }
    /// 303 has the browser ask with GET; 302, 307, 308 as HTTP says. `location` is an URL that is encoded already.
    static Response redirect(std::string location, int status = 303) {
        return text("", status).addHeader("Location", std::move(location));
    }
};

} // namespace supplierd

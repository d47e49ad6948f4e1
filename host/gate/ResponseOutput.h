#pragma once

#include "host/gate/Transport.h"

#include <supplierd/Response.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace supplierd::host {

/// How the sending of a response ended.
struct SendResult {
    std::uint64_t bytes = 0; ///< that the kernel took, of head and body
    bool isWhole = false;
    std::string failure; ///< of what was to be sent; empty when all is well, and when the client is gone or too slow
};

/// Is told the end of a response that was not sent at once.
class SendCompletion {
public:
    virtual ~SendCompletion() = default;
    /// Once. Thread: the gate's or a worker's.
    virtual void sent(const SendResult& result) noexcept = 0;
};

/// Makes the rest of a response, piece by piece. Thread: one at a time, a worker's.
class ResponseSource {
public:
    virtual ~ResponseSource() = default;
    /// Appends the next piece, as it is sent; false once that was the last. Whatever it throws cuts the response off.
    virtual bool produce(std::string& to) = 0;
};

/// A part of an open file.
struct FilePart {
    std::shared_ptr<const Content> content; ///< whose descriptor it is
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    /// Makes the same bytes for when the file cannot be sent; asked at most once.
    std::function<std::unique_ptr<ResponseSource>(std::uint64_t offset, std::uint64_t size)> reader;
};

/// A response as the pipeline hands it over: bytes, and perhaps one of a file or a source behind them.
struct OutgoingResponse {
    std::int64_t supplierId = 0; ///< for whom it is; 0: nobody's
    bool isForKnown = false;     ///< the caller has shown who it is
    std::string_view bytes;      ///< the head, and as much of the body as there is
    FilePart file;
    std::unique_ptr<ResponseSource> source;
    bool closes = false; ///< the connection ends with it
};

/// What is still to be sent on a connection. Thread: the connection's owner.
class ResponseOutput {
public:
    enum class Progress {
        Sent,
        Blocked,     ///< the client takes no more for now
        Unfinished,  ///< it would take more, but others have their turn
        NeedsWorker, ///< the source has to make more
        Broken       ///< the client is gone, or there is nothing that could be sent
    };

    /// Takes a response and sends what the connection takes at once. `bytes` are kept only if they have to be.
    Progress begin(OutgoingResponse response, Transport& transport);
    /// Goes on. `mayProduce`: the calling thread is a worker.
    Progress proceed(Transport& transport, bool mayProduce);
    /// Bytes in memory that were not sent yet.
    std::size_t waiting() const { return _bytes.size() - _at; }
    /// Some are still to be made.
    bool isUnmade() const { return !_isProduced; }
    /// Of a worker: puts what waits into a file of its own, unless something else follows it. False when that cannot be
    /// done.
    bool moveToFile();
    /// Of a worker: has the kernel read what is left of a file, so that the gate's thread, which sends it, does not
    /// wait for the disk.
    void readAhead() const;
    void onEnd(std::unique_ptr<SendCompletion> completion) { _completion = std::move(completion); }
    /// Tells the completion, if there is one, and forgets everything.
    void end(bool isWhole) noexcept;

    std::uint64_t sent() const { return _sent; }
    const std::string& failure() const { return _failure; }

private:
    Progress sendBytes(std::string_view bytes, std::size_t& at, Transport& transport, bool more);
    Progress sendFile(Transport& transport);
    Progress produce();

    std::string _bytes;
    std::size_t _at = 0; ///< so many of them were sent
    FilePart _file;
    std::unique_ptr<ResponseSource> _source;
    bool _isProduced = false; ///< the source has made its last piece
    std::uint64_t _sent = 0;
    std::string _failure;
    std::unique_ptr<SendCompletion> _completion;
};

} // namespace supplierd::host

#include "host/gate/ResponseOutput.h"

#include "host/gate/ContentPieces.h"
#include "host/gate/UnnamedFile.h"

#include <Poco/Exception.h>

#include <fcntl.h>

#include <algorithm>
#include <utility>

namespace supplierd::host {

namespace {

/// Between two of them other connections have their turn.
constexpr std::uint64_t FILE_PIECE = std::uint64_t{1} << 20;
constexpr std::uint64_t FILE_TURN = std::uint64_t{4} << 20;
constexpr std::uint64_t READ_AHEAD = std::uint64_t{8} << 20;
/// Memory of sent bytes that is not given back.
constexpr std::size_t KEEP_AT_MOST = std::size_t{256} << 10;

} // namespace

ResponseOutput::Progress ResponseOutput::begin(OutgoingResponse response, Transport& transport) {
    _sent = 0;
    _file = std::move(response.file);
    _source = std::move(response.source);
    _isProduced = _source == nullptr;
    std::size_t at = 0;
    const auto progress = sendBytes(response.bytes, at, transport, _file.size > 0 || _source);
    if (progress != Progress::Sent) {
        _bytes.assign(response.bytes.substr(at));
        _at = 0;
        return progress;
    }
    return proceed(transport, true);
}

ResponseOutput::Progress ResponseOutput::proceed(Transport& transport, bool mayProduce) {
    const auto before = _sent;
    while (true) {
        if (_at < _bytes.size()) {
            const auto progress = sendBytes(_bytes, _at, transport, _file.size > 0);
            if (progress != Progress::Sent)
                return progress;
        }
        if (_bytes.capacity() > KEEP_AT_MOST && !_source)
            std::string().swap(_bytes);
        _bytes.clear();
        _at = 0;
        if (_file.size > 0) {
            const auto progress = sendFile(transport);
            if (progress != Progress::Sent)
                return progress;
        } else if (!_isProduced) {
            if (!mayProduce)
                return Progress::NeedsWorker;
            if (produce() == Progress::Broken)
                return Progress::Broken;
        } else {
            return Progress::Sent;
        }
        if (!mayProduce && _sent - before >= FILE_TURN)
            return Progress::Unfinished;
    }
}

ResponseOutput::Progress ResponseOutput::sendBytes(std::string_view bytes, std::size_t& at, Transport& transport,
                                                   bool more) {
    while (at < bytes.size()) {
        const auto sent = transport.send(bytes.substr(at), more);
        if (sent.status == Transfer::Status::Broken || sent.status == Transfer::Status::Ended)
            return Progress::Broken;
        if (sent.status != Transfer::Status::Done)
            return Progress::Blocked;
        at += sent.bytes;
        _sent += sent.bytes;
    }
    return Progress::Sent;
}

ResponseOutput::Progress ResponseOutput::sendFile(Transport& transport) {
    try {
        const auto piece = static_cast<std::size_t>(std::min(_file.size, FILE_PIECE));
        const auto sent = transport.sendFile(_file.content->descriptor(), _file.offset, piece);
        if (!sent) {
            _source = _file.reader(_file.offset, _file.size);
            _isProduced = false;
            _file = {};
            return Progress::Sent;
        }
        if (sent->status == Transfer::Status::Broken || sent->status == Transfer::Status::Ended)
            return Progress::Broken;
        if (sent->status != Transfer::Status::Done)
            return Progress::Blocked;
        if (sent->bytes == 0) {
            _failure = "the content's file ends before its size";
            return Progress::Broken;
        }
        _sent += sent->bytes;
        _file.offset += sent->bytes;
        _file.size -= sent->bytes;
        if (_file.size == 0)
            _file = {};
        return Progress::Sent;
    } catch (const std::exception& failure) {
        _failure = failure.what();
        return Progress::Broken;
    }
}

bool ResponseOutput::moveToFile() {
    if (_file.size > 0 || !_isProduced)
        return false;
    try {
        const auto file = std::make_shared<UnnamedFile>();
        file->append(std::string_view(_bytes).substr(_at));
        _file = partOf(file, 0, file->size());
    } catch (const std::exception&) { // no room on the disk
        return false;
    }
    std::string().swap(_bytes);
    _at = 0;
    return true;
}

void ResponseOutput::readAhead() const {
    if (_file.size > 0) // advice alone: what is not there is read when it is sent
        ::posix_fadvise(_file.content->descriptor(), static_cast<off_t>(_file.offset),
                        static_cast<off_t>(std::min(_file.size, READ_AHEAD)), POSIX_FADV_WILLNEED);
}

/// The source is a plugin's, and may throw anything.
ResponseOutput::Progress ResponseOutput::produce() {
    try {
        _isProduced = !_source->produce(_bytes);
        return Progress::Sent;
    } catch (const Poco::Exception& failure) {
        _failure = failure.displayText();
    } catch (const std::exception& failure) {
        _failure = failure.what();
    } catch (...) {
        _failure = "an exception that is no std::exception";
    }
    return Progress::Broken;
}

void ResponseOutput::end(bool isWhole) noexcept {
    if (const auto completion = std::move(_completion))
        completion->sent({_sent, isWhole, std::move(_failure)});
    std::string().swap(_bytes);
    _at = 0;
    _file = {};
    _source.reset();
    _failure.clear();
}

} // namespace supplierd::host

#include "host/http/response/BodyWriter.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

namespace supplierd::host {

namespace {

/// More than a day is for ever.
constexpr std::uint64_t MOST_SECONDS = 86'400;

std::chrono::seconds timeFor(std::uint64_t bytes, std::uint64_t bytesPerSecond) {
    return std::chrono::seconds(std::min(bytes / bytesPerSecond, MOST_SECONDS));
}

bool isFull(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS;
}

/// The connection broke. Whatever else sendfile says is about the file.
bool isGone(int error) {
    switch (error) {
    case EPIPE:
    case ECONNRESET:
    case ECONNABORTED:
    case ENOTCONN:
    case ETIMEDOUT:
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTDOWN:
    case EHOSTUNREACH:
        return true;
    default:
        return false;
    }
}

/// Some files can be read, but not sent.
bool isUnsendable(int error) {
    return error == EINVAL || error == ESPIPE || error == ENOSYS || error == EOPNOTSUPP;
}

} // namespace

BodyWriter::BodyWriter(Poco::Net::StreamSocket& socket, const OutputLimits& limits, std::uint64_t bytes)
    : _descriptor(socket.impl()->sockfd()), _limits(limits) {
    expect(bytes);
    setNonBlocking(true);
}

void BodyWriter::expect(std::uint64_t bytes) {
    _deadline = Clock::now() + _limits.patience + timeFor(bytes, _limits.bytesPerSecond);
}

BodyWriter::~BodyWriter() {
    setNonBlocking(false);
}

void BodyWriter::setNonBlocking(bool on) const {
    int value = on ? 1 : 0;
    ::ioctl(_descriptor, FIONBIO, &value); // of a socket that was closed meanwhile: the next call tells
}

void BodyWriter::send(std::string_view bytes, bool more) {
    while (!bytes.empty()) {
        const auto taken = ::send(_descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL | (more ? MSG_MORE : 0));
        if (taken >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(taken));
            _sent += static_cast<std::uint64_t>(taken);
        } else if (isFull(errno))
            waitForRoom();
        else if (errno != EINTR)
            throw ClientGone();
    }
}

std::optional<std::size_t> BodyWriter::sendFile(int file, std::uint64_t offset, std::size_t size) {
    while (true) {
        auto from = static_cast<off_t>(offset);
        const auto taken = ::sendfile(_descriptor, file, &from, size);
        if (taken >= 0) {
            _sent += static_cast<std::uint64_t>(taken);
            return static_cast<std::size_t>(taken);
        }
        const int error = errno;
        if (isFull(error))
            waitForRoom();
        else if (isGone(error))
            throw ClientGone();
        else if (isUnsendable(error))
            return std::nullopt;
        else if (error != EINTR)
            throw std::system_error(error, std::generic_category(), "sending a file");
    }
}

void BodyWriter::waitForRoom() const {
    pollfd waited{_descriptor, POLLOUT, 0};
    const auto until = std::min(Clock::now() + _limits.patience, _deadline);
    while (true) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
        if (left <= 0)
            throw ClientGone();
        const auto limit = std::min<std::int64_t>(left, std::numeric_limits<int>::max());
        if (::poll(&waited, 1, static_cast<int>(limit)) > 0)
            return; // an error or a hang-up too: the next call names it
    }
}

} // namespace supplierd::host

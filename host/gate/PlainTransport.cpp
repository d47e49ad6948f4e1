#include "host/gate/Transport.h"

#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace supplierd::host {

namespace {

bool isFull(int error) {
    return error == EAGAIN || error == ENOBUFS;
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

PlainTransport::~PlainTransport() {
    ::close(_descriptor);
}

Transfer PlainTransport::receive(std::span<char> to) {
    while (true) {
        const auto got = ::recv(_descriptor, to.data(), to.size(), 0);
        if (got > 0) {
            const auto size = static_cast<std::size_t>(got);
            return {Transfer::Status::Done, size, size == to.size()};
        }
        if (got == 0)
            return {Transfer::Status::Ended};
        if (isFull(errno))
            return {Transfer::Status::WantRead};
        if (errno != EINTR)
            return {Transfer::Status::Broken};
    }
}

Transfer PlainTransport::send(std::string_view bytes, bool more) {
    while (true) {
        const auto taken = ::send(_descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL | (more ? MSG_MORE : 0));
        if (taken >= 0)
            return {Transfer::Status::Done, static_cast<std::size_t>(taken)};
        if (isFull(errno))
            return {Transfer::Status::WantWrite};
        if (errno != EINTR)
            return {Transfer::Status::Broken};
    }
}

std::optional<Transfer> PlainTransport::sendFile(int file, std::uint64_t offset, std::size_t size) {
    while (true) {
        auto from = static_cast<off_t>(offset);
        const auto taken = ::sendfile(_descriptor, file, &from, size);
        if (taken >= 0)
            return Transfer{Transfer::Status::Done, static_cast<std::size_t>(taken)};
        const int error = errno;
        if (isFull(error))
            return Transfer{Transfer::Status::WantWrite};
        if (isGone(error))
            return Transfer{Transfer::Status::Broken};
        if (isUnsendable(error))
            return std::nullopt;
        if (error != EINTR)
            throw std::system_error(error, std::generic_category(), "sending a file");
    }
}

void PlainTransport::finishSending() {
    ::shutdown(_descriptor, SHUT_WR); // of one that is gone already: the next call tells
}

} // namespace supplierd::host

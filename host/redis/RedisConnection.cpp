#include "host/redis/RedisConnection.h"

#include <Poco/Exception.h>
#include <Poco/Net/StreamSocketImpl.h>

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

namespace supplierd::host {

namespace {

/// Replies to what is asked here have some dozens of bytes: whatever sends more is no Redis, or not ours.
constexpr int MOST_BYTES = 65'536;
constexpr std::int64_t MOST_ITEMS = 64;
constexpr int MOST_NESTED = 4;

constexpr const char* NO_REDIS = "what answers there does not speak Redis' protocol";

/// Zero when the time is over.
int millisecondsUntil(RedisConnection::Clock::time_point deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - RedisConnection::Clock::now());
    return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

std::int64_t integerOf(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        throw RedisError(NO_REDIS);
    return number;
}

} // namespace

/// Reads with one deadline for a whole reply, however many pieces it comes in, and no more than a reply can have.
class RedisConnection::TimedSocket final : public Poco::Net::StreamSocketImpl {
public:
    using Poco::Net::StreamSocketImpl::receiveBytes;
    using Poco::Net::StreamSocketImpl::sendBytes;

    void begin(Clock::time_point deadline) {
        _deadline = deadline;
        _allowance = MOST_BYTES;
    }

    bool awaitBytes(Clock::time_point deadline) const { return await(POLLIN, deadline); }

    int receiveBytes(void* buffer, int length, int /*flags*/) override {
        if (!awaitBytes(_deadline))
            throw RedisError("no answer in time");
        const auto size = static_cast<std::size_t>(std::min(length, _allowance));
        if (size == 0)
            throw RedisError(NO_REDIS);
        const auto received = ::recv(sockfd(), buffer, size, MSG_DONTWAIT);
        if (received <= 0)
            throw RedisError(received == 0 ? std::string("the connection was closed by the other side")
                                           : std::string("the connection broke: ") + std::strerror(errno));
        _allowance -= static_cast<int>(received);
        return static_cast<int>(received);
    }

    int sendBytes(const void* buffer, int length, int /*flags*/) override {
        const auto* bytes = static_cast<const char*>(buffer);
        for (int sent = 0; sent < length;) {
            const auto taken =
                ::send(sockfd(), bytes + sent, static_cast<std::size_t>(length - sent), MSG_DONTWAIT | MSG_NOSIGNAL);
            if (taken >= 0)
                sent += static_cast<int>(taken);
            else if (errno != EAGAIN && errno != EWOULDBLOCK)
                throw RedisError(std::string("the connection broke: ") + std::strerror(errno));
            else if (!await(POLLOUT, _deadline))
                throw RedisError("the commands were not taken in time");
        }
        return length;
    }

    bool isQuiet() const {
        char byte = 0;
        return ::recv(sockfd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    }

private:
    bool await(short event, Clock::time_point deadline) const {
        pollfd waiting{sockfd(), event, 0};
        int ready = 0;
        do {
            ready = ::poll(&waiting, 1, millisecondsUntil(deadline));
        } while (ready < 0 && errno == EINTR);
        return ready > 0;
    }

    Clock::time_point _deadline;
    int _allowance = 0;
};

std::string redisCommand(std::span<const std::string_view> words) {
    constexpr std::size_t LENGTHS = 8; // "$12", and two ends of lines
    std::size_t size = LENGTHS;
    for (const auto word : words)
        size += word.size() + LENGTHS;
    std::string bytes;
    bytes.reserve(size);
    const auto appendNumber = [&bytes](char marker, std::size_t number) {
        bytes += marker;
        bytes += std::to_string(number);
        bytes += "\r\n";
    };
    appendNumber('*', words.size());
    for (const auto word : words) {
        appendNumber('$', word.size());
        bytes += word;
        bytes += "\r\n";
    }
    return bytes;
}

std::string redisCommand(const std::vector<std::string>& words) {
    return redisCommand(std::vector<std::string_view>(words.begin(), words.end()));
}

Poco::Net::SocketAddress RedisConnection::addressOf(const RedisSettings& settings) {
    try {
        if (!settings.socket.empty())
            return {Poco::Net::SocketAddress::UNIX_LOCAL, settings.socket};
        return {settings.host, static_cast<Poco::UInt16>(settings.port)};
    } catch (const Poco::Exception& failure) {
        throw RedisError("there is no address for " + settings.where() + ": " + failure.displayText());
    }
}

RedisConnection::RedisConnection(const Poco::Net::SocketAddress& address, const RedisSettings& settings,
                                 Clock::time_point deadline)
    : _timed(new TimedSocket), _socket(_timed), _input(_socket) {
    const Poco::Timespan::TimeDiff left = Poco::Timespan::TimeDiff{millisecondsUntil(deadline)} * 1'000;
    if (left == 0)
        throw RedisError("no connection in time");
    try {
        _socket.connect(address, Poco::Timespan(left));
        if (address.family() != Poco::Net::SocketAddress::UNIX_LOCAL)
            _socket.setNoDelay(true);
    } catch (const Poco::TimeoutException&) {
        throw RedisError("no connection in time");
    } catch (const Poco::Exception& failure) {
        throw RedisError("no connection: " + failure.displayText());
    }
    signIn(settings, deadline);
}

void RedisConnection::signIn(const RedisSettings& settings, Clock::time_point deadline) {
    if (!settings.password.empty()) {
        std::vector<std::string> words{"AUTH"};
        if (!settings.user.empty())
            words.push_back(settings.user);
        words.push_back(settings.password);
        if (const auto reply = call(redisCommand(words), deadline); reply.kind == RedisReply::Kind::Error)
            throw RedisRefusal("Redis does not take the " +
                               std::string(settings.user.empty() ? "password" : "user and password") +
                               " of the table [redis]: " + reply.text);
    }
    if (settings.database == 0)
        return;
    const auto reply = call(redisCommand({"SELECT", std::to_string(settings.database)}), deadline);
    if (reply.kind == RedisReply::Kind::Error)
        throw RedisRefusal("Redis does not give database " + std::to_string(settings.database) + ": " + reply.text);
}

RedisReply RedisConnection::call(std::string_view command, Clock::time_point deadline) {
    send(command, deadline);
    return receive(deadline);
}

void RedisConnection::send(std::string_view commands, Clock::time_point deadline) {
    if (!_failure.empty())
        throw RedisError(_failure);
    _timed->begin(deadline);
    try {
        _timed->sendBytes(commands.data(), static_cast<int>(commands.size()), 0);
    } catch (const RedisError& error) {
        fail(error.what());
    }
}

RedisReply RedisConnection::receive(Clock::time_point deadline) {
    if (!_failure.empty())
        throw RedisError(_failure);
    _timed->begin(deadline);
    try {
        return readReply(MOST_NESTED);
    } catch (const RedisError& error) {
        fail(error.what());
    }
}

void RedisConnection::fail(const std::string& reason) {
    _failure = reason;
    throw RedisError(reason);
}

bool RedisConnection::isQuiet() {
    return _failure.empty() && _input.rdbuf()->in_avail() == 0 && _timed->isQuiet();
}

char RedisConnection::readByte() {
    const int byte = _input.rdbuf()->sbumpc();
    if (byte == std::char_traits<char>::eof())
        throw RedisError("the connection broke");
    return static_cast<char>(byte);
}

std::string RedisConnection::readLine() {
    std::string line;
    for (char byte = readByte(); byte != '\r'; byte = readByte())
        line += byte;
    if (readByte() != '\n')
        throw RedisError(NO_REDIS);
    return line;
}

std::string RedisConnection::readText(std::int64_t size) {
    if (size < 0 || size > MOST_BYTES)
        throw RedisError(NO_REDIS);
    std::string text;
    for (std::int64_t i = 0; i < size; ++i)
        text += readByte();
    if (readByte() != '\r' || readByte() != '\n')
        throw RedisError(NO_REDIS);
    return text;
}

RedisReply RedisConnection::readReply(int depth) {
    using Kind = RedisReply::Kind;
    const char marker = readByte();
    if (std::string_view(":+-$*").find(marker) == std::string_view::npos || depth == 0)
        throw RedisError(NO_REDIS);
    const auto line = readLine();
    if (marker == '+')
        return {Kind::Text, 0, line};
    if (marker == '-')
        return {Kind::Error, 0, line};
    const auto number = integerOf(line);
    if (marker == ':')
        return {Kind::Integer, number, {}};
    if (number == -1)
        return {};
    if (marker == '$')
        return {Kind::Text, 0, readText(number)};
    if (number < 0 || number > MOST_ITEMS)
        throw RedisError(NO_REDIS);
    RedisReply list{Kind::List, 0, {}};
    list.items.reserve(static_cast<std::size_t>(number));
    for (std::int64_t i = 0; i < number; ++i)
        list.items.push_back(readReply(depth - 1));
    return list;
}

} // namespace supplierd::host

#pragma once

#include "host/config/Settings.h"

#include <Poco/Net/SocketAddress.h>
#include <Poco/Net/StreamSocket.h>
#include <Poco/Redis/RedisStream.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// Redis cannot be asked, did not answer in time, or answered nonsense; what() says which, for operators.
class RedisError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Redis answered, and says no: a wrong password, a command that this user may not give…
class RedisRefusal : public RedisError {
public:
    using RedisError::RedisError;
};

struct RedisReply {
    enum class Kind { Nothing, Integer, Text, Error, List };

    Kind kind = Kind::Nothing;
    std::int64_t integer = 0;
    std::string text; ///< of Text and Error
    std::vector<RedisReply> items = {};
};

/// One connection, signed in. Buffered reading is Poco's; its Client and Array are not used, for what host/redis/
/// README.md has measured. After a RedisError that is no RedisRefusal a reply may be on its way still: such a
/// connection is never used again, whoever tries gets the same error. Thread: one at a time.
class RedisConnection {
public:
    using Clock = std::chrono::steady_clock;

    /// `settings` must outlive it. Throws RedisError, RedisRefusal.
    RedisConnection(const Poco::Net::SocketAddress& address, const RedisSettings& settings, Clock::time_point deadline);
    RedisConnection(const RedisConnection&) = delete;
    RedisConnection& operator=(const RedisConnection&) = delete;

    /// Where the settings say Redis is. Asks the resolver, which has no time limit. Throws RedisError.
    static Poco::Net::SocketAddress addressOf(const RedisSettings& settings);

    /// Sends one command and reads its reply, of whichever kind. Throws RedisError.
    RedisReply call(std::string_view command, Clock::time_point deadline);
    /// One or several, one behind the other; a reply to each follows.
    void send(std::string_view commands, Clock::time_point deadline);
    RedisReply receive(Clock::time_point deadline);
    /// Nothing has come that nobody asked for, nor the end. Costs one system call.
    bool isQuiet();

private:
    class TimedSocket;

    void signIn(const RedisSettings& settings, Clock::time_point deadline);
    RedisReply readReply(int depth);
    std::string readLine();
    std::string readText(std::int64_t size);
    char readByte();
    [[noreturn]] void fail(const std::string& reason);

    TimedSocket* _timed; ///< the socket's
    Poco::Net::StreamSocket _socket;
    Poco::Redis::RedisInputStream _input;
    std::string _failure; ///< empty: none
};

/// A command of these words, as it is sent.
std::string redisCommand(std::span<const std::string_view> words);
std::string redisCommand(const std::vector<std::string>& words);

} // namespace supplierd::host

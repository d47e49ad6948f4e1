#include "host/redis/RevocationChannel.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace supplierd::host {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view KEY = "key ";
constexpr std::string_view SUPPLIER = "supplier ";

/// A connection that says nothing for so long is asked whether it is there still, and has so long to answer.
constexpr auto QUIET = 1s;
constexpr auto ANSWER_LIMIT = 1s;
constexpr auto PAUSE = 500ms;

std::string messageOf(const Revocation& revocation) {
    return revocation.keyId != 0 ? std::string(KEY) + std::to_string(revocation.keyId)
                                 : std::string(SUPPLIER) + std::to_string(revocation.supplierId);
}

std::int64_t numberBehind(std::string_view prefix, std::string_view text) {
    std::int64_t number = 0;
    if (!text.starts_with(prefix))
        return 0;
    text.remove_prefix(prefix.size());
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

/// Nothing: it is of a release that knows more.
std::optional<Revocation> revocationOf(std::string_view message) {
    const Revocation revocation{numberBehind(KEY, message), numberBehind(SUPPLIER, message)};
    return revocation.keyId > 0 || revocation.supplierId > 0 ? std::optional(revocation) : std::nullopt;
}

} // namespace

std::string revocationChannel(const RedisSettings& settings) {
    return settings.prefix + "revocations";
}

std::string publishCommand(const RedisSettings& settings, const Revocation& revocation) {
    return redisCommand({"PUBLISH", revocationChannel(settings), messageOf(revocation)});
}

RevocationChannel::RevocationChannel(Dependencies dependencies)
    : _deps(std::move(dependencies)),
      _channel(revocationChannel(_deps.settings)),
      _listening(
          prometheus::BuildGauge()
              .Name("supplierd_redis_listening")
              .Help("1 while this server hears by Redis what others tell of revoked keys and suspended suppliers")
              .Register(*_deps.registry)
              .Add({})),
      _thread([this] { work(); }) {}

RevocationChannel::~RevocationChannel() {
    {
        const std::lock_guard lock(_mutex);
        _isStopping = true;
        if (_connection)
            _connection->interrupt();
    }
    _wake.notify_all();
    _thread.join();
}

bool RevocationChannel::isStopping() {
    const std::lock_guard lock(_mutex);
    return _isStopping;
}

bool RevocationChannel::pause() {
    std::unique_lock lock(_mutex);
    return !_wake.wait_for(lock, PAUSE, [this] { return _isStopping; });
}

void RevocationChannel::work() {
    do {
        try {
            listen();
        } catch (const RedisError& failure) {
            _listening.Set(0);
            if (!isStopping() && !std::exchange(_isLossTold, true))
                _deps.log.warning("revocations of other servers are not heard of: they take auth.cache_ttl until they "
                                  "are again",
                                  {{"redis", _deps.settings.where()}, {"reason", std::string(failure.what())}});
        }
    } while (pause());
}

/// Until the connection ends.
void RevocationChannel::listen() {
    const auto deadline = Clock::now() + ANSWER_LIMIT;
    RedisConnection connection(RedisConnection::addressOf(_deps.settings), _deps.settings, deadline);
    if (const auto reply = connection.call(redisCommand({"SUBSCRIBE", _channel}), deadline);
        reply.kind != RedisReply::Kind::List)
        throw RedisRefusal("Redis says: " + reply.text);
    {
        const std::lock_guard lock(_mutex);
        if (_isStopping)
            return;
        _connection = &connection;
    }
    _deps.missed();
    _listening.Set(1);
    if (std::exchange(_isLossTold, false))
        _deps.log.information("revocations of other servers are heard of again", {{"redis", _deps.settings.where()}});
    try {
        hear(connection);
    } catch (const RedisError&) {
        const std::lock_guard lock(_mutex);
        _connection = nullptr;
        throw;
    }
}

void RevocationChannel::hear(RedisConnection& connection) {
    for (bool isAsked = false;;) {
        if (connection.awaitReply(Clock::now() + (isAsked ? Clock::duration(ANSWER_LIMIT) : Clock::duration(QUIET)))) {
            take(connection.receive(Clock::now() + ANSWER_LIMIT));
            isAsked = false;
        } else if (std::exchange(isAsked, true)) {
            throw RedisError("no answer in time");
        } else {
            connection.send(redisCommand({"PING"}), Clock::now() + ANSWER_LIMIT);
        }
    }
}

void RevocationChannel::take(const RedisReply& message) {
    if (message.items.size() != 3 || message.items[0].text != "message" || message.items[2].text == TRIAL_MESSAGE)
        return; // the answer to PING, perhaps
    if (const auto revocation = revocationOf(message.items[2].text))
        _deps.heard(*revocation);
    else
        _deps.missed();
}

} // namespace supplierd::host

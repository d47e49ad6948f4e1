#include "host/redis/RedisCounts.h"

#include <algorithm>
#include <array>
#include <string>

namespace supplierd::host {

namespace {

// ARGV: 1 the limit, 2 the window in ms, 3 whether to count (0 or 1); what the server knows: 4 for how many ms its
// window still runs, 5 how many were used in it at least, 6 how many it has not reported besides. If the key is
// missing, the window is new or was lost. Ends that differ by less than half a window are of the same window. A key
// without an end, or with one too far away (a clock was set), gets the end that the server knows. A value that is no
// count of ours is deleted: an error for it would count as one of Redis, for all keys.
constexpr const char* COUNT = R"lua(
local limit, window, count = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local left, known, unreported = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local ttl = redis.call('PTTL', KEYS[1])
local value = redis.pcall('GET', KEYS[1])
local before = 0
if type(value) == 'string' and #value <= 15 and string.match(value, '^%d+$') then
    before = tonumber(value)
else
    redis.call('DEL', KEYS[1])
    ttl = -2
end
local ends = ttl
if ttl < 0 or ttl > window then
    ends = left > 0 and math.min(left, window) or window
end
local used = before
if math.abs(left - ends) < window / 2 then
    used = math.max(used, known) + unreported
end
local allowed = used < limit and 1 or 0
used = used + allowed * count
if used > before then
    redis.call('INCRBY', KEYS[1], used - before)
end
if ends ~= ttl then
    redis.call('PEXPIRE', KEYS[1], ends)
end
return {allowed, used, ends}
)lua";

} // namespace

RedisCounts::RedisCounts(RedisClient& client) : _client(client), _script(COUNT) {}

std::optional<SharedCount> RedisCounts::count(const SharedCountRequest& request) {
    const std::array<std::string, 6> arguments{
        std::to_string(request.limit),      std::to_string(request.window.count()),
        request.counts ? "1" : "0",         std::to_string(request.known.left.count()),
        std::to_string(request.known.used), std::to_string(request.known.unreported)};
    const auto answer = _client.evaluate(_script, _client.settings().prefix + request.name, arguments);
    const auto& items = answer.reply.items;
    const bool isWhole = items.size() == 3 && std::all_of(items.begin(), items.end(), [](const RedisReply& item) {
                             return item.kind == RedisReply::Kind::Integer;
                         });
    if (answer.outcome != RedisResponse::Outcome::Answered || !isWhole)
        return std::nullopt;
    const auto left = std::clamp<std::int64_t>(items[2].integer, 1, request.window.count());
    return SharedCount{items[0].integer != 0, items[1].integer, std::chrono::milliseconds(left)};
}

} // namespace supplierd::host

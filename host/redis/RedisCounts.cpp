#include "host/redis/RedisCounts.h"

#include <algorithm>
#include <array>
#include <string>

namespace supplierd::host {

namespace {

// 1 the limit, 2 the window in ms, 3 whether to count; what the asking server knows: 4 for how many ms its window runs
// on, 5 what was used in it, 6 the least that it has heard from here, 7 what it has counted for itself. The key is not
// there: the window is new, or lost, and then goes on as that server knows it. Ends that differ by less than half a
// window are of the same one. The time of a key without one, or with a longer one (somebody set the clock), is mended,
// and what is no count of ours under its name is replaced: an error for it would count as one of Redis, for all keys.
constexpr const char* COUNT = R"lua(
local limit, window, count = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local known = tonumber(ARGV[4])
local left = redis.call('PTTL', KEYS[1])
local before, used = 0, 0
local isNew = left == -2
if not isNew then
    local value = redis.pcall('GET', KEYS[1])
    if type(value) == 'string' and #value <= 15 and string.match(value, '^%d+$') then
        before = tonumber(value)
    else
        redis.call('DEL', KEYS[1])
        isNew = true
    end
end
if isNew then
    used = known > 0 and tonumber(ARGV[5]) or 0
    left = used > 0 and math.min(known, window) or window
else
    used = before
    if left < 0 or left > window then
        left = window
        redis.call('PEXPIRE', KEYS[1], left)
    end
    if known > 0 and math.abs(known - left) < window / 2 then
        used = math.max(used, tonumber(ARGV[6])) + tonumber(ARGV[7])
    end
end
local allowed = 0
if used < limit then
    allowed = 1
    used = used + count
end
if isNew and used > 0 then
    redis.call('SET', KEYS[1], used, 'PX', math.max(left, 1))
elseif used > before then
    redis.call('INCRBY', KEYS[1], used - before)
end
return {allowed, used, left}
)lua";

} // namespace

RedisCounts::RedisCounts(RedisClient& client) : _client(client), _script(COUNT) {}

SharedCount RedisCounts::count(const SharedCountRequest& request) {
    const std::array<std::string, 7> arguments{
        std::to_string(request.limit),     std::to_string(request.window.count()),
        request.counts ? "1" : "0",        std::to_string(request.knownLeft.count()),
        std::to_string(request.knownUsed), std::to_string(request.leastUsed),
        std::to_string(request.uncounted)};
    const auto answer = _client.evaluate(_script, _client.settings().prefix + request.name, arguments);
    SharedCount count;
    const auto& items = answer.reply.items;
    const bool isWhole = items.size() == 3 && std::all_of(items.begin(), items.end(), [](const RedisReply& item) {
                             return item.kind == RedisReply::Kind::Integer;
                         });
    if (answer.outcome != RedisAnswer::Outcome::Answered || !isWhole) {
        count.outcome = answer.outcome == RedisAnswer::Outcome::NotAsked ? SharedCount::Outcome::NotAsked
                                                                         : SharedCount::Outcome::Unanswered;
        return count;
    }
    count.outcome = SharedCount::Outcome::Answered;
    count.allowed = items[0].integer != 0;
    count.used = items[1].integer;
    count.left = std::chrono::milliseconds(std::clamp<std::int64_t>(items[2].integer, 1, request.window.count()));
    return count;
}

} // namespace supplierd::host

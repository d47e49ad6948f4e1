-- What wrk sends, told by the environment, so that the key is in no argument list:
--   BENCH_KEY, BENCH_METHOD (GET), BENCH_BODY (none); {n} of the body is a number that never comes twice.
--   BENCH_KEYS: a file with a key in each line, instead of BENCH_KEY; each request has the next one.
--   BENCH_IDS: a file with what {id} of the path stands for, in turn. {term} is letters that nobody has searched for before.
--   BENCH_NAMES: a file with a name in each line. The body is then 500 items of /stock or /prices, each with another of
--   these names as BENCH_NAME (product_id, sku) and another number as BENCH_FIELD (stock_qty, base_price).
--   BENCH_ANEW: set, each request has a connection of its own.
--   BENCH_PACE: so many requests a second and no more, on one connection.
-- Prints `RESULT <per second> <requests> <errors> <p50 µs> <p99 µs>`; anything but a 2xx or 3xx is an error.
local body = os.getenv("BENCH_BODY")

local function lines_of(name, format)
    local lines = {}
    if os.getenv(name) then
        for line in io.lines(os.getenv(name)) do
            lines[#lines + 1] = string.format(format, line)
        end
    end
    return lines
end

local keys = lines_of("BENCH_KEYS", "%s")
if #keys == 0 then keys = {os.getenv("BENCH_KEY")} end
local ids = lines_of("BENCH_IDS", "%s")
local names = lines_of("BENCH_NAMES", os.getenv("BENCH_NAME") == "sku" and '"%s"' or "%s")

wrk.method = os.getenv("BENCH_METHOD") or "GET"
wrk.headers["Authorization"] = "Bearer " .. (#keys == 1 and keys[1] or "{key}")
if body or #names > 0 then
    wrk.headers["Content-Type"] = "application/json"
end

if os.getenv("BENCH_ANEW") then
    wrk.headers["Connection"] = "close"
end

local threads = 0

function setup(thread)
    threads = threads + 1
    thread:set("number", threads)
end

local pieces = {}
local sent = 0
local run = 0

local LETTERS = "abcdefghijklmnopqrstuvwxyz"
local function term()
    local letters = {}
    for i = 1, 5 do
        local place = math.random(#LETTERS)
        letters[i] = LETTERS:sub(place, place)
    end
    return table.concat(letters)
end

-- What stands for a placeholder in the request that comes next. Neighbours are far apart in the catalog. STRIDE is a
-- prime and one more than a multiple of 16, so that each of 16 keys meets every 16th id.
local STRIDE = 7937
local values = {
    ["{key}"] = function() return keys[1 + sent % #keys] end,
    ["{id}"] = function() return ids[1 + sent * STRIDE % #ids] end,
    ["{term}"] = term,
}

-- A request's text, cut at its placeholders: texts and the functions that give what stands between them.
local function cut(text)
    local rest = 1
    for first, name, after in text:gmatch("()({%a+})()") do
        if values[name] then
            pieces[#pieces + 1] = text:sub(rest, first - 1)
            pieces[#pieces + 1] = values[name]
            rest = after
        end
    end
    pieces[#pieces + 1] = text:sub(rest)
end

function init(args)
    run = os.time() % 100000000
    math.randomseed(run)
    if body then
        wrk.body = body:gsub("{n}", "0")
    end
    cut(wrk.format())
end

local BATCH = 500
local item = '{"' .. (os.getenv("BENCH_NAME") or "") .. '": %s, "' .. (os.getenv("BENCH_FIELD") or "") .. '": %d}'

-- One name of each of BATCH equal parts of all.
local function bulk_body()
    local items = {}
    local part = math.floor(#names / BATCH)
    for i = 1, BATCH do
        items[i] = string.format(item, names[(i - 1) * part + math.random(part)], math.random(0, 99999))
    end
    return '{"items": [' .. table.concat(items, ", ") .. "]}"
end

if #names > 0 then
    function request()
        return wrk.format(nil, nil, nil, bulk_body())
    end
elseif body and body:find("{n}", 1, true) then
    function request()
        sent = sent + 1
        local text = body:gsub("{n}", run .. "-" .. number .. "-" .. sent)
        return wrk.format(nil, nil, nil, text)
    end
else
    function request()
        sent = sent + 1
        if #pieces == 1 then return pieces[1] end
        local parts = {}
        for i, piece in ipairs(pieces) do
            parts[i] = type(piece) == "function" and piece() or piece
        end
        return table.concat(parts)
    end
end

local pace = tonumber(os.getenv("BENCH_PACE"))
if pace then
    local ffi = require("ffi")
    ffi.cdef("typedef struct { long seconds, nanoseconds; } moment; int clock_gettime(int clock, moment *time);")
    local CLOCK_MONOTONIC = 1
    local time, due = ffi.new("moment"), nil
    -- Milliseconds until the next request. One that came late does not put off those after it.
    function delay()
        ffi.C.clock_gettime(CLOCK_MONOTONIC, time)
        local now = tonumber(time.seconds) * 1000 + tonumber(time.nanoseconds) / 1000000
        due = (due or now) + 1000 / pace
        return math.max(0, math.floor(due - now))
    end
end

function done(summary, latency, requests)
    local e = summary.errors
    io.write(string.format("RESULT %.1f %d %d %d %d\n", summary.requests * 1000000 / summary.duration, summary.requests,
        e.status + e.connect + e.read + e.write + e.timeout, latency:percentile(50), latency:percentile(99)))
end

-- What wrk sends, told by the environment, so that the key is in no argument list:
--   BENCH_KEY, BENCH_METHOD (GET), BENCH_BODY (none), BENCH_IDS: what {id} of the path stands for, in turn; {n} of the body
--   is a number that never comes twice.
--   BENCH_NAMES: a file with a name in each line. The body is then 500 items of /stock or /prices, each with another of
--   these names as BENCH_NAME (product_id, sku) and another number as BENCH_FIELD (stock_qty, base_price).
--   BENCH_ANEW: set, each request has a connection of its own.
--   BENCH_PACE: so many requests a second and no more, on one connection.
-- Prints `RESULT <per second> <requests> <errors> <p50 µs> <p99 µs>`; anything but a 2xx or 3xx is an error.
local key = os.getenv("BENCH_KEY")
local body = os.getenv("BENCH_BODY")
local ids = {}
for id in (os.getenv("BENCH_IDS") or ""):gmatch("%d+") do
    ids[#ids + 1] = id
end

local names = {}
if os.getenv("BENCH_NAMES") then
    local format = os.getenv("BENCH_NAME") == "sku" and '"%s"' or "%s"
    for line in io.lines(os.getenv("BENCH_NAMES")) do
        names[#names + 1] = string.format(format, line)
    end
end

wrk.method = os.getenv("BENCH_METHOD") or "GET"
wrk.headers["Authorization"] = "Bearer " .. key
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

local prepared = {}
local sent = 0
local run = 0

function init(args)
    run = os.time() % 100000000
    math.randomseed(run)
    if body then
        wrk.body = body:gsub("{n}", "0")
    end
    if wrk.path:find("{id}", 1, true) then
        for i = 1, #ids do
            -- Neighbours in the list are far apart in the catalogue.
            local path = wrk.path:gsub("{id}", ids[1 + i * 7919 % #ids])
            prepared[i] = wrk.format(nil, path)
        end
    else
        prepared[1] = wrk.format()
    end
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
        return prepared[1 + sent % #prepared]
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

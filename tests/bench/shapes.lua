-- What tests/bench/statements sends: lists of random filters and sorts, and updates of random fields. `key` stands before it.
local filters = {"status=active", "status=pending", "search=Rose", "category_id=1", "type=flower",
    "updated_since=2020-01-01T00:00:00Z", "include_deleted=true", "sku=R-1,R-2"}
local sorts = {"id", "-id", "name", "-name", "base_price", "-base_price", "stock_qty", "-stock_qty", "updated_at"}
local fields = {'"name":"Rose %d"', '"description":"%d"', '"base_price":%d', '"stock_qty":%d', '"min_order_qty":%d',
    '"color":"%d"', '"stem_length":%d', '"country_of_origin":"NL"', '"vat_rate":9', '"unit":"box"', '"type":"supply"',
    '"is_active":true', '"category_id":1'}
local threads = {}

function setup(thread) table.insert(threads, thread) end

function init(args)
    ok, busy, wrong, first = 0, 0, 0, ""
    math.randomseed(os.time())
end

local function list()
    local query, seen = {}, {}
    for _, filter in ipairs(filters) do
        local name = filter:match("^[^=]+")
        if not seen[name] and math.random(3) == 1 then
            seen[name] = true
            query[#query + 1] = filter
        end
    end
    if math.random(5) == 1 then
        query[#query + 1] = "changed_after=" .. math.random(100)
    else
        if math.random(2) == 1 then query[#query + 1] = "sort=" .. sorts[math.random(#sorts)] end
        query[#query + 1] = "page=" .. math.random(3)
    end
    return wrk.format("GET", wrk.path .. "/products?" .. table.concat(query, "&"), {Authorization = "Bearer " .. key})
end

local function update()
    local body = {}
    for _, field in ipairs(fields) do
        if math.random(2) == 1 then body[#body + 1] = field:format(math.random(1000)) end
    end
    return wrk.format("POST", wrk.path .. "/products/" .. math.random(50),
        {Authorization = "Bearer " .. key, ["Content-Type"] = "application/json"}, "{" .. table.concat(body, ",") .. "}")
end

function request()
    if math.random(3) > 1 then return list() end
    return update()
end

function response(status, headers, body)
    if status == 200 then
        ok = ok + 1
    elseif status == 503 then
        busy = busy + 1
    else
        wrong = wrong + 1
        if first == "" then first = status .. " " .. body:sub(1, 300) end
    end
end

function done(summary, latency, requests)
    local good, refused, others, sample = 0, 0, 0, ""
    for _, thread in ipairs(threads) do
        good, refused, others = good + thread:get("ok"), refused + thread:get("busy"), others + thread:get("wrong")
        if sample == "" then sample = thread:get("first") end
    end
    local errors = summary.errors
    local broken = errors.connect + errors.read + errors.write + errors.timeout
    io.write(string.format("RESULT %d %d %d %d %s\n", good, refused, others, broken, sample))
end

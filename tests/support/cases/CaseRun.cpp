#include "tests/support/cases/CaseRun.h"

#include "tests/support/Responses.h"

#include <cppunit/SourceLine.h>
#include <cppunit/TestAssert.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <regex>
#include <thread>

namespace supplierd::tests {

using nlohmann::json;

namespace {

const std::map<int, std::string> ERROR_CODES{
    {400, "BAD_REQUEST"},         {401, "UNAUTHORIZED"},       {403, "FORBIDDEN"},
    {404, "NOT_FOUND"},           {405, "METHOD_NOT_ALLOWED"}, {409, "CONFLICT"},
    {412, "PRECONDITION_FAILED"}, {413, "PAYLOAD_TOO_LARGE"},  {415, "UNSUPPORTED_MEDIA_TYPE"},
    {422, "VALIDATION_ERROR"},    {429, "RATE_LIMITED"},       {503, "SERVICE_UNAVAILABLE"}};

std::string shortened(const std::string& text) {
    constexpr std::size_t MOST = 800;
    return text.size() <= MOST ? text : text.substr(0, MOST) + "… (" + std::to_string(text.size()) + " bytes)";
}

std::vector<std::string> splitAt(const std::string& text, const std::string& separator) {
    std::vector<std::string> pieces;
    for (std::size_t at = 0;;) {
        const std::size_t end = text.find(separator, at);
        pieces.push_back(text.substr(at, end - at));
        if (end == std::string::npos)
            return pieces;
        at = end + separator.size();
    }
}

/// The JSON that it is, or a text without quotes.
json jsonOf(const std::string& text) {
    json value = json::parse(text, nullptr, false);
    return value.is_discarded() ? json(text) : value;
}

/// A first member of `data` that has an id is what the response is about.
const json& objectOf(const json& data) {
    for (const json& member : data)
        if (data.is_object() && member.is_object() && member.contains("id"))
            return member;
    return data;
}

/// Of everything that a client could change.
std::string checksums() {
    std::string tables;
    TestDatabase& database = fixture().database();
    for (const TestRow& row : database.query(
             "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name IN "
             "('products', 'product_variants', 'product_skus', 'changes', 'supplier_state', 'suppliers', 'categories', "
             "'orders', 'order_groups', 'order_items', 'order_status_history')"))
        tables += (tables.empty() ? "" : ", ") + *row[0];
    std::string sums;
    for (const TestRow& row : database.query("CHECKSUM TABLE " + tables))
        sums += *row[0] + " " + row[1].value_or("") + "\n";
    return sums;
}

/// "path", "=" and "value".
struct Comparison {
    std::string path;
    std::string op;
    std::string value;
};

std::optional<Comparison> comparisonOf(const std::string& token) {
    const auto end = std::ranges::find_if(token, [](unsigned char c) {
        return std::isalnum(c) == 0 && std::string("_.*:@-").find(static_cast<char>(c)) == std::string::npos;
    });
    const auto at = static_cast<std::size_t>(end - token.begin());
    for (const std::string op : {"!=", "!~", "=", "~", ">"})
        if (at > 0 && token.compare(at, op.size(), op) == 0)
            return Comparison{token.substr(0, at), op, token.substr(at + op.size())};
    return std::nullopt;
}

void require(bool so, const std::string& message) {
    if (!so)
        throw std::runtime_error(message);
}

/// `field:code` of each detail; of an import `row:column/field/code`.
std::string problemsOf(const json& found) {
    std::vector<std::string> problems;
    const auto text = [](const json& detail, const char* name) { return detail.value(name, json("")); };
    const auto add = [&](const json& detail, const std::string& before) {
        require(!text(detail, "message").empty(), "a detail without a message");
        const json field = text(detail, "field");
        problems.push_back(before + (field.is_null() ? "" : field.get<std::string>()) + (before.empty() ? ":" : "/") +
                           text(detail, "code").get<std::string>());
    };
    for (const json& one : found)
        if (one.contains("row"))
            for (const json& detail : one["details"])
                add(detail, one["row"].dump() + ":" +
                                (detail["column"].is_null() ? "-" : detail["column"].get<std::string>()) + "/");
        else
            add(one, "");
    std::ranges::sort(problems);
    std::string all;
    for (const std::string& problem : problems)
        all += " " + problem;
    return all;
}

} // namespace

CaseRun::CaseRun(const CaseFile& file)
    : _file(file), _values([this](const std::string& name) { return builtIn(name); }) {}

CppUnit::Exception CaseRun::failure(const std::string& path, std::size_t line, const std::string& text) {
    return CppUnit::Exception(CppUnit::Message("a case failed", text),
                              CppUnit::SourceLine(path, static_cast<int>(line)));
}

void CaseRun::run(const CaseGroup& group) {
    std::string failures;
    std::size_t first = 0;
    const auto runAll = [&](const std::vector<CaseStep>& steps) {
        for (const CaseStep& step : steps) {
            _sent.clear();
            std::string what;
            try {
                runStep(step);
                continue;
            } catch (const CppUnit::Exception& exception) {
                what = exception.message().shortDescription() + " " + exception.message().details();
            } catch (const Skip&) {
                throw;
            } catch (const std::exception& exception) {
                what = exception.what();
            }
            first = first == 0 ? step.line : first;
            failures += (failures.empty() ? "" : "\n    ") + _file.path + ":" + std::to_string(step.line) +
                        "\n    case: " + shortened(step.text) +
                        (_sent.empty() ? "" : "\n    sent: " + shortened(_sent)) + "\n    " + shortened(what);
            if (!partsOf(step.text).name.empty())
                return; // those below need it
        }
    };
    runAll(_file.preparation);
    if (first == 0)
        runAll(group.steps);
    if (first == 0)
        runAll(_finally);
    if (first != 0)
        throw failure(_file.path, first, failures);
}

void CaseRun::runStep(const CaseStep& step) {
    if (step.text.starts_with("for "))
        return eachTurn(step, [this](const CaseStep& turn) {
            for (const std::string& text : splitAt(turn.text, " then "))
                runStep({turn.line, text, turn.items, turn.body});
        });
    const std::size_t space = step.text.find(' ');
    const std::string word = step.text.substr(0, space);
    if (runWord(word, space == std::string::npos ? "" : step.text.substr(space + 1), step))
        return;
    const Parts parts = partsOf(step.text);
    if (parts.what.starts_with("sql "))
        runSql(parts);
    else if (parts.what == "import" || parts.what.starts_with("import "))
        runImport(parts, step);
    else if (parts.what.starts_with("fill "))
        _values.set(parts.name, {json(caller(parts.client).supplier->fill(std::stoi(parts.what.substr(5))))});
    else if (!step.items.empty())
        runItems(parts, step);
    else
        runRequest(parts, step);
}

/// "for a, b in 1, 2 | 3, 4 do STEP then STEP"
template <class Turn>
void CaseRun::eachTurn(const CaseStep& step, const Turn& turn) {
    static const std::regex form(R"(for ([a-z]\w*(?:, [a-z]\w*)*) in (.*?) do (.*))");
    std::smatch part;
    require(std::regex_match(step.text, part, form), "a loop is written: for NAME in VALUE | VALUE do CASE");
    const auto names = splitAt(part[1], ", ");
    auto turns = splitAt(_values.fill(part[2], CasePlace::Text), " | ");
    int first = 0;
    int last = 0;
    if (std::sscanf(turns[0].c_str(), "%d..%d", &first, &last) ==
        2) // NOLINT(cert-err34-c): what is none stays as it is
        for (turns.clear(); first <= last; ++first)
            turns.push_back(std::to_string(first));
    for (const std::string& values : turns) {
        const auto each = names.size() == 1 ? std::vector<std::string>{values} : splitAt(values, ", ");
        require(each.size() == names.size(), "not one value for each name of the loop: " + values);
        for (std::size_t i = 0; i < names.size(); ++i)
            _values.set(names[i], {.text = each[i]});
        CaseStep inner = step;
        inner.text = part[3];
        turn(inner);
    }
}

bool CaseRun::runWord(const std::string& word, const std::string& rest, const CaseStep& step) {
    if (word == "base")
        _base = rest;
    else if (word == "as")
        _as = rest;
    else if (word == "client")
        runClient(rest);
    else if (word == "finally")
        _finally.push_back({step.line, rest});
    else if (word == "totals")
        runTotals();
    else if (word == "wait")
        waitForKeys();
    else if (word == "let") {
        const std::size_t equals = rest.find(" = ");
        require(equals != std::string::npos, "a name is set with: let NAME = TEXT");
        CaseValue value{.text = _values.fill(rest.substr(equals + 3), CasePlace::Json)};
        if (json object = json::parse(value.text, nullptr, false); object.is_object())
            value.json = object;
        _values.set(rest.substr(0, equals), value);
    } else
        return false;
    return true;
}

/// "NAME: supplier [SCOPE…]", "NAME: operator", "NAME: [operator] key [SECRET]"
void CaseRun::runClient(const std::string& text) {
    static const std::regex form(R"(([a-z]\w*): (supplier|operator|key|operator key)( .*)?)");
    std::smatch part;
    require(std::regex_match(text, part, form),
            "a client is: client NAME: supplier, with scopes or none, or operator, or key SECRET");
    const std::string rest = part[3].matched ? _values.fill(part[3].str().substr(1), CasePlace::Text) : "";
    Caller made;
    if (part[2] == "supplier") {
        const auto supplier = std::make_shared<SupplierClient>(SupplierOptions{.scopes = rest});
        made = {supplier, supplier.get(), nullptr, rest.empty()};
    } else if (part[2] == "operator") {
        const auto op = std::make_shared<OperatorClient>();
        made = {op, nullptr, op.get()};
    } else {
        const ServerProcess& server = fixture().server();
        made.http = std::make_shared<HttpClient>(part[2] == "key" ? server.client(rest) : server.operatorClient(rest));
    }
    _callers[part[1]] = made;
}

CaseRun::Caller& CaseRun::caller(const std::string& name) {
    const std::string& known = name.empty() ? _as : name;
    if (!_callers.contains(known)) {
        require(known == "supplier" || known == "operator",
                "\"" + known + "\" is nobody here: say who it is with \"client " + known + ": supplier\" above");
        runClient(known + ": " + known);
    }
    return _callers[known];
}

std::optional<CaseValue> CaseRun::builtIn(const std::string& name) {
    if (name == "category")
        return CaseValue{json(fixture().category())};
    if (name == "unique") { // a word of this group's own
        std::string word = "u" + caller("operator").http->key().substr(3, 8);
        std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        _values.set(name, {.text = word});
        return CaseValue{.text = word};
    }
    if (name == "next")
        return CaseValue{.text = _values.fill("$unique", CasePlace::Text) + "-" + std::to_string(++_next)};
    if (name != "supplier" && name != "operator" && !_callers.contains(name))
        return std::nullopt;
    const Caller& one = caller(name);
    json value{{"key", one.http->key()}, {"prefix", one.http->key().substr(0, 11)}};
    if (one.supplier != nullptr)
        value.update({{"id", one.supplier->id()}, {"name", one.supplier->name()}, {"seq", one.supplier->changeSeq()}});
    return CaseValue{value};
}

CaseRun::Parts CaseRun::partsOf(const std::string& text) {
    static const std::regex form(R"((?:([a-z]\w*) = )?(?:([a-z]\w*)> )?(.*))");
    Parts parts;
    const std::size_t arrow = text.find(" => ");
    parts.hasExpectation = arrow != std::string::npos;
    parts.expected = parts.hasExpectation ? text.substr(arrow + 4) : "";
    const std::string front = text.substr(0, arrow);
    std::smatch part;
    std::regex_match(front, part, form);
    parts.name = part[1];
    parts.client = part[2];
    parts.what = front.substr(static_cast<std::size_t>(part.position(3)));
    parts.what.erase(parts.what.find_last_not_of(' ') + 1);
    return parts;
}

CaseRun::Request CaseRun::requestOf(const std::string& text) const {
    if (text.starts_with('{')) {
        require(!_base.empty(), "there is no request to change: write one above with \"base POST /path {…}\"");
        Request request = requestOf(_base);
        request.body = mergedText(request.body.empty() ? "{}" : request.body, _values.fill(text, CasePlace::Json));
        return request;
    }
    static const std::regex methods("(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) ([/$].*)");
    static const std::regex header(R"(\[([A-Za-z][A-Za-z-]*): ([^\]]*)\] *)");
    std::smatch part;
    require(std::regex_match(text, part, methods),
            "this is no case: write a request (\"POST /products {…}\") or changes of the base ({…}): " + text);
    std::string rest = part[2];
    const std::size_t end = endOfToken(rest, 0);
    Request request{part[1], _values.fill(rest.substr(0, end), CasePlace::Path), {}, {}};
    rest = end < rest.size() ? rest.substr(end + 1) : "";
    while (std::regex_search(rest, part, header, std::regex_constants::match_continuous)) {
        request.headers.emplace_back(part[1], _values.fill(part[2], CasePlace::Text));
        rest = part.suffix();
    }
    request.body = _values.fill(rest, CasePlace::Json);
    return request;
}

HttpResponse CaseRun::send(const Parts& parts, const Request& request) {
    HttpClient& http = *caller(parts.client).http;
    _sent = request.method + " " + request.path;
    for (const auto& [name, value] : request.headers)
        _sent += " [" + name + ": " + value + "]";
    _sent += " " + request.body;
    if (request.method != "POST")
        return http.request(request.method, request.path, request.headers);
    return request.body.empty() ? http.postEmpty(request.path, request.headers)
                                : http.postText(request.path, request.body, request.headers);
}

void CaseRun::keep(const std::string& name, const HttpResponse& response) {
    const json envelope = json::parse(response.body, nullptr, false);
    if (!name.empty())
        _values.set(name, {envelope.is_discarded()        ? json(response.body)
                           : envelope.contains("error")   ? envelope["error"]
                           : envelope["data"].is_object() ? objectOf(envelope["data"])
                                                          : envelope["data"],
                           {},
                           response.headers});
}

/// The lines below it, with line breaks where they have "\n" or "\r".
std::string CaseRun::bodyOf(const CaseStep& step) const {
    std::string body = _values.fill(step.body, CasePlace::Text);
    for (const auto& [written, meant] : {std::pair{"\\r", '\r'}, {"\\n", '\n'}})
        for (auto at = body.find(written); at != std::string::npos; at = body.find(written, at))
            body.replace(at, 2, 1, meant);
    return body;
}

void CaseRun::runRequest(const Parts& parts, const CaseStep& step) {
    Request request = requestOf(parts.what);
    if (!step.body.empty())
        request.body = bodyOf(step);
    exchange(parts, request, parts.expected);
}

void CaseRun::exchange(const Parts& parts, const Request& request, const std::string& expected) {
    const bool expectsNoChange = std::regex_search(parts.expected, std::regex("^[45]\\d\\d|\\bunchanged\\b"));
    caller(parts.client); // who is new changes the database
    const std::string before = expectsNoChange ? checksums() : "";
    const HttpResponse response = send(parts, request);
    keep(parts.name, response);
    check(response, expected);
    require(!expectsNoChange || before == checksums(), "this was to change nothing, and the database has changed");
}

/// Expectations are put together after the response has its name.
void CaseRun::check(const HttpResponse& response, const std::string& expected) {
    int status = 0;
    static const std::regex number("\\d{3}");
    const std::string all = _values.fill(expected, CasePlace::Json);
    std::vector<std::string> problems;
    std::vector<Comparison> comparisons;
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t end = endOfToken(all, at);
        const std::string token = all.substr(at, end - at);
        at = all.find_first_not_of(' ', end);
        if (token.size() == 3 && std::regex_match(token, number) && status == 0)
            status = std::stoi(token);
        else if (const auto comparison = comparisonOf(token))
            comparisons.push_back(*comparison);
        else if (token.find(':') != std::string::npos)
            problems.push_back(token);
        else
            require(token == "unchanged", "\"" + token + "\" says nothing: write a status, field:code or path=value");
    }
    const std::string got = "\n    got:  " + response.statusLine + " " + shortened(response.body);
    require(status == 0 ? response.status / 100 == 2 : response.status == status,
            "expected status " + (status == 0 ? "2xx" : std::to_string(status)) + got);
    if (status >= 400)
        requireError(status, ERROR_CODES.at(status), response);
    if (!problems.empty() || status == 422) {
        std::ranges::sort(problems);
        std::string wanted;
        for (const std::string& problem : problems)
            wanted += " " + problem;
        const json found = status >= 400 ? response.error()["details"] : response.data()["errors"];
        require(problems.empty() || wanted == problemsOf(found),
                "expected problems:" + wanted + "\n    got:     " + problemsOf(found) + got);
        require(status != 422 || found.at(0).at("message") == response.error()["message"],
                "the error has not the message of its first detail" + got);
    }
    for (const auto& [path, op, value] : comparisons) {
        try {
            checkValue(response, path, op, value);
        } catch (const std::runtime_error& error) {
            throw std::runtime_error(error.what() + got);
        }
    }
}

void CaseRun::checkValue(const HttpResponse& response, const std::string& path, const std::string& op,
                         const std::string& value) const {
    std::optional<json> found;
    const json envelope = json::parse(response.body, nullptr, false);
    if (path.starts_with('@')) {
        if (response.hasHeader(path.substr(1)))
            found = response.header(path.substr(1));
    } else if (path == "body") {
        found = response.body;
    } else if (envelope.is_object()) {
        if (envelope.contains("data") && !envelope["data"].is_null()) {
            found = valueAt(envelope["data"], path);
            found = found ? found : valueAt(objectOf(envelope["data"]), path);
        }
        found = found ? found : valueAt(envelope, path);
    }
    const std::string shown =
        "expected " + path + op + shortened(value) + ", found " + shortened(found ? found->dump() : "absent");
    if (value == "absent")
        return require(!found.has_value() == (op == "="), shown);
    const json wanted = path == "body" || path.starts_with('@')
                            ? json(jsonOf(value).is_string() ? jsonOf(value).get<std::string>() : value)
                            : jsonOf(value);
    require(found.has_value(), shown);
    require(op == "="    ? isAsExpected(wanted, *found)
            : op == "!=" ? *found != wanted
            : op == "~"  ? isPartOf(wanted, *found)
            : op == "!~" ? !isPartOf(wanted, *found)
                         : *found > wanted,
            shown);
}

std::vector<CaseStep> CaseRun::itemsOf(const std::vector<CaseStep>& items) {
    std::vector<CaseStep> all;
    for (const CaseStep& item : items)
        if (item.text.starts_with("for "))
            eachTurn(item, [&](const CaseStep& turn) {
                all.push_back({turn.line, _values.fill(turn.text, CasePlace::Json)});
            });
        else
            all.push_back({item.line, _values.fill(item.text, CasePlace::Json)});
    return all;
}

/// A bulk request: each item is set, or fails with "CODE ["MESSAGE"] [member=JSON]".
void CaseRun::runItems(const Parts& parts, const CaseStep& step) {
    std::string body;
    std::string errors;
    int index = 0;
    int failed = 0;
    for (const CaseStep& item : itemsOf(step.items)) {
        const Parts each = partsOf(item.text);
        body += (body.empty() ? "" : ", ") + each.what;
        if (each.hasExpectation) {
            const std::string sku = memberText(each.what, "sku");
            const std::string code = each.expected.substr(0, each.expected.find(' '));
            std::string rest = each.expected.substr(std::min(code.size() + 1, each.expected.size()));
            const bool isGiven = rest.starts_with('"');
            const std::string message =
                isGiven ? rest.substr(0, endOfToken(rest, 0)) : _values.fill("$" + code, CasePlace::Json);
            rest = isGiven ? rest.substr(std::min(message.size() + 1, rest.size())) : rest;
            errors += (failed++ > 0 ? ", " : "") + std::string(R"({"index": )") + std::to_string(index) +
                      R"(, "sku": )" + (sku.starts_with('"') ? sku : "\"\"") + R"(, "code": ")" + code +
                      R"(", "error": )" + message;
            if (!rest.empty())
                errors += ", \"" + std::regex_replace(rest, std::regex("="), "\": ");
            errors += "}";
        }
        ++index;
    }
    Request request = requestOf(parts.what);
    request.body = R"({"items": [)" + body + "]}";
    exchange(parts, request,
             "200 updated=" + std::to_string(index - failed) + " failed=" + std::to_string(failed) + " errors=[" +
                 errors + "] " + parts.expected);
}

/// Uploads the rows below, and waits for the end of the import: what was not expected of its counts has to be 0.
void CaseRun::runImport(const Parts& parts, const CaseStep& step) {
    const std::string query = parts.what == "import" ? "" : "?" + _values.fill(parts.what.substr(7), CasePlace::Path);
    HttpClient& http = *caller(parts.client).http;
    const std::string file = bodyOf(step);
    _sent = "import " + query + "\n" + file;
    HttpResponse response = http.request("POST", "/products/import" + query, {{"Content-Type", "text/csv"}}, file);
    const std::string path = "/imports/" + dataOf(response, 202).at("import").at("id").dump();
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    const auto state = [&] { return response.data()["import"].value("state", ""); };
    do {
        require(std::chrono::steady_clock::now() < limit, "the import does not end: " + response.body);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        response = http.get(path);
    } while (state() != "done" && state() != "failed" && state() != "cancelled");
    keep(parts.name, response);
    std::string expected = parts.expected;
    for (const char* count : {"created", "updated", "unchanged", "failed"})
        if (!std::regex_search(" " + expected, std::regex(std::string(" ") + count + "=")))
            expected += std::string(" ") + count + "=0";
    check(response, expected + (expected.find("state=") == std::string::npos ? " state=done" : ""));
}

void CaseRun::runSql(const Parts& parts) {
    const std::string statement = _values.fill(parts.what.substr(4), CasePlace::Sql);
    _sent = statement;
    if (parts.name.empty() && !parts.hasExpectation)
        return fixture().database().exec(statement);
    std::string found;
    for (const TestRow& row : fixture().database().query(statement))
        found += (found.empty() ? "" : ", ") + row[0].value_or("NULL");
    if (!parts.name.empty())
        _values.set(parts.name, {jsonOf(found)});
    const std::string expected = _values.fill(parts.expected, CasePlace::Text);
    require(!parts.hasExpectation || expected == found, "expected " + expected + ", found " + found);
}

void CaseRun::runTotals() {
    for (const auto& [name, one] : _callers)
        if (one.hasEveryScope)
            one.supplier->requireTrueTotals();
    fixture().requireSoundOrders();
}

} // namespace supplierd::tests

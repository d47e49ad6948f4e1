#include "tests/support/cases/CaseRun.h"

#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/support/cases/CaseAnswer.h"

#include <cppunit/SourceLine.h>
#include <cppunit/TestAssert.h>

#include <algorithm>
#include <chrono>
#include <regex>
#include <thread>

namespace supplierd::tests {

namespace {

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

} // namespace

CaseRun::CaseRun(const CaseFile& file)
    : _file(file), _values([this](const std::string& name) { return builtIn(name); }) {}

CppUnit::Exception CaseRun::failure(const std::string& path, std::size_t line, const std::string& text) {
    return CppUnit::Exception(CppUnit::Message("a case failed", text),
                              CppUnit::SourceLine(path, static_cast<int>(line)));
}

void CaseRun::run(const CaseGroup& group) {
    std::string failures;
    constexpr int MOST_TOLD = 5;
    std::size_t first = 0;
    int failed = 0;
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
            if (!partsOf(step.text).name.empty() || ++failed == MOST_TOLD)
                return; // those below need its name, or fail because of these
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
    static const std::regex range(R"((\d+)\.\.(\d+))");
    std::smatch part;
    require(std::regex_match(step.text, part, form), "a loop is written: for NAME in VALUE | VALUE do CASE");
    const auto names = splitAt(part[1], ", ");
    auto turns = splitAt(_values.fill(part[2], CasePlace::Text), " | ");
    if (std::smatch ends; std::regex_match(turns[0], ends, range)) {
        const int last = std::stoi(ends[2]);
        int number = std::stoi(ends[1]);
        for (turns.clear(); number <= last; ++number)
            turns.push_back(std::to_string(number));
    }
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
    else if (word == "let") {
        const std::size_t equals = rest.find(" = ");
        require(equals != std::string::npos, "a name is set with: let NAME = TEXT");
        const std::string text = rest.substr(equals + 3);
        const bool isJson = std::string("{[\"").find(text[0]) != std::string::npos;
        CaseValue value{.text = _values.fill(text, isJson ? CasePlace::Json : CasePlace::Text)};
        if (json object = json::parse(value.text, nullptr, false); object.is_object())
            value.json = object;
        _values.set(rest.substr(0, equals), value);
    } else
        return false;
    return true;
}

/// "NAME: supplier [SCOPE…]", "NAME: operator", "NAME: [operator] key [SECRET]"
void CaseRun::runClient(const std::string& text) {
    static const std::regex form(R"(([a-z]\w*): (operator key|operator|supplier|key)( .*)?)");
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
        _sent.append(" [").append(name).append(": ").append(value).append("]");
    _sent += " " + request.body;
    if (request.method != "POST")
        return http.request(request.method, request.path, request.headers);
    return request.body.empty() ? http.postEmpty(request.path, request.headers)
                                : http.postText(request.path, request.body, request.headers);
}

void CaseRun::keep(const std::string& name, const HttpResponse& response) {
    if (!name.empty())
        _values.set(name, {subjectOf(response), {}, response.headers});
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

HttpResponse CaseRun::exchange(const Parts& parts, const Request& request, const std::string& expected) {
    const bool expectsNoChange = std::regex_search(parts.expected, std::regex("^[45]\\d\\d|\\bunchanged\\b"));
    caller(parts.client); // who is new changes the database
    const std::string before = expectsNoChange ? checksums() : "";
    HttpResponse response = send(parts, request);
    keep(parts.name, response);
    requireAnswer(_values.fill(expected, CasePlace::Json), response); // which may be named in it
    require(!expectsNoChange || before == checksums(), "this was to change nothing, and the database has changed");
    return response;
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

/// What `errors` has to say of an item that fails with "CODE ["MESSAGE"] [member=JSON]".
json CaseRun::expectedError(const Parts& item, std::size_t index) const {
    const std::size_t codeEnd = endOfToken(item.expected, 0);
    const std::string code = item.expected.substr(0, codeEnd);
    std::string rest = item.expected.substr(std::min(codeEnd + 1, item.expected.size()));
    const bool isGiven = rest.starts_with('"');
    const std::string message =
        isGiven ? rest.substr(0, endOfToken(rest, 0)) : _values.fill("$" + code, CasePlace::Json);
    rest = isGiven ? rest.substr(std::min(message.size() + 1, rest.size())) : rest;
    const json sku = jsonOf(memberText(item.what, "sku"));
    json error{{"index", index}, {"sku", sku.is_string() ? sku : json("")}, {"code", code}, {"error", jsonOf(message)}};
    if (const std::size_t equals = rest.find('='); equals != std::string::npos)
        error[rest.substr(0, equals)] = jsonOf(rest.substr(equals + 1));
    return error;
}

/// A bulk request: each item is set, or fails as it says.
void CaseRun::runItems(const Parts& parts, const CaseStep& step) {
    const std::vector<CaseStep> items = itemsOf(step.items);
    std::string body;
    std::size_t failed = 0;
    for (const CaseStep& item : items) {
        const Parts each = partsOf(item.text);
        body += (body.empty() ? "" : ", ") + each.what;
        failed += each.hasExpectation ? 1 : 0;
    }
    Request request = requestOf(parts.what);
    request.body = R"({"items": [)" + body + "]}";
    const HttpResponse response = exchange(parts, request, parts.expected);
    const json data = dataOf(response);
    for (std::size_t index = 0; index < items.size(); ++index) {
        const Parts each = partsOf(items[index].text);
        const json wanted = each.hasExpectation ? expectedError(each, index) : json("updated");
        const json found = valueAt(data["errors"], "index:" + std::to_string(index)).value_or("updated");
        require(isAsExpected(wanted, found), "item of line " + std::to_string(items[index].line) + ": " + each.what +
                                                 "\n    expected " + wanted.dump() + "\n    got      " + found.dump());
    }
    const json counts{{"updated", items.size() - failed}, {"failed", failed}, {"errors", "*"}};
    require(isAsExpected(counts, data) && data["errors"].size() == failed,
            "counts of updated, failed and errors: " + shortened(data.dump()));
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
    expected += expected.find("state=") == std::string::npos ? " state=done" : "";
    requireAnswer(_values.fill(expected, CasePlace::Json), response);
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

#include "host/http/pipeline/RequestContext.h"

#include "host/http/RequestParsing.h"
#include "host/http/response/ResponseWriter.h"

#include <supplierd/Cookies.h>
#include <supplierd/services/ChangeLog.h>

#include <Poco/String.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <utility>

namespace supplierd::host {

std::optional<std::string_view> HttpRequestHead::header(std::string_view name) const {
    const auto found = _exchange.request.find(std::string(name));
    if (found == _exchange.request.end())
        return std::nullopt;
    return found->second;
}

/// Some clients send a line for each cookie.
std::optional<std::string_view> HttpRequestHead::cookie(std::string_view name) const {
    const auto& request = _exchange.request;
    for (auto line = request.find("Cookie"); line != request.end() && Poco::icompare(line->first, "Cookie") == 0;
         ++line)
        if (const auto value = findCookie(line->second, name))
            return value;
    return std::nullopt;
}

namespace {

constexpr int FIRST_SUCCESS = 200;
constexpr int FIRST_ERROR = 400;
constexpr int LAST_STATUS = 599;

bool isControlOrTab(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// The host's own, for what has no envelope.
constexpr std::array<std::string_view, 5> FRAMING_FIELDS = {"Content-Type", "Content-Length", "Content-Range",
                                                            "Accept-Ranges", "Transfer-Encoding"};

void checkWithoutEnvelope(const Response& response) {
    if (response.status < FIRST_SUCCESS || response.status > LAST_STATUS)
        throw std::logic_error("the handler returned the status " + std::to_string(response.status));
    if (std::any_of(response.contentType.begin(), response.contentType.end(), isControlOrTab))
        throw std::logic_error("the handler returned a content type with control characters");
    for (const auto field : FRAMING_FIELDS)
        if (findHeader(response.headers, field))
            throw std::logic_error("the handler returned content with a header " + std::string(field) + " of its own");
}

void checkContent(const Response& response, Method method) {
    if (response.content && response.stream)
        throw std::logic_error("the handler returned both content and a stream");
    if (method != Method::Get || (response.content && response.status != FIRST_SUCCESS))
        throw std::logic_error("the handler returned content, which only a GET with the status 200 can have, or a "
                               "stream, which only a GET can have");
    if (const auto* tag = findHeader(response.headers, "ETag"); tag && !isEntityTag(*tag))
        throw std::logic_error("the handler returned an ETag that is not quoted: " + *tag);
}

/// The transaction as a handler sees it: remembers whom it changes.
class HandlerTransaction final : public Transaction {
public:
    explicit HandlerTransaction(Transaction& transaction) : _transaction(transaction) {}

    SqlSession& session() override { return _transaction.session(); }
    Change& change(std::int64_t supplierId) override {
        Change& change = _transaction.change(supplierId);
        _seqs[supplierId] = change.seq();
        return change;
    }

    /// An answer that is about one supplier says as of which number.
    void stamp(Response& response) const {
        if (_seqs.size() == 1 && !findHeader(response.headers, CHANGE_SEQ_HEADER))
            response.addHeader(std::string(CHANGE_SEQ_HEADER), std::to_string(_seqs.begin()->second));
    }

private:
    Transaction& _transaction;
    std::map<std::int64_t, std::int64_t> _seqs; ///< by supplier
};

} // namespace

void checkResponse(const Response& response, Method method) {
    const bool isEnveloped = response.contentType.empty() && !response.content && !response.stream;
    if (isEnveloped && (response.status < FIRST_SUCCESS || response.status >= FIRST_ERROR))
        throw std::logic_error("the handler returned the status " + std::to_string(response.status) +
                               "; errors are thrown as ApiError");
    if (!isEnveloped)
        checkWithoutEnvelope(response);
    for (const auto& [name, value] : response.headers)
        if (std::any_of(name.begin(), name.end(), isControlOrTab) ||
            std::any_of(value.begin(), value.end(), isControlOrTab))
            throw std::logic_error("the handler returned a header with control characters");
    if (response.content || response.stream)
        checkContent(response, method);
}

void checkErrorPage(const Response& page) {
    if (page.contentType.empty() || page.content || page.stream)
        throw std::logic_error("an error page is a text: Response::html(), text() or redirect()");
    checkResponse(page, Method::Get);
}

const PathParameter& RequestContext::parameter(std::string_view name) const {
    for (const auto& candidate : _inputs.match.parameters)
        if (candidate.name == name)
            return candidate;
    throw std::out_of_range("the route " + _inputs.match.handler->pattern + " has no parameter '" + std::string(name) +
                            "'");
}

std::int64_t RequestContext::pathInteger(std::string_view name) const {
    return parameter(name).integer;
}

std::string_view RequestContext::pathText(std::string_view name) const {
    return parameter(name).text;
}

JsonObject RequestContext::body() const {
    if (!_inputs.body)
        refuseBody("JSON");
    return _inputs.body->object();
}

const QueryParameters& RequestContext::form() const {
    if (!_inputs.form)
        refuseBody("form");
    return *_inputs.form;
}

BodyStream& RequestContext::rawBody() {
    if (!_inputs.rawBody)
        refuseBody("raw");
    return *_inputs.rawBody;
}

void RequestContext::refuseBody(const char* kind) const {
    throw std::logic_error("the route " + _inputs.match.handler->pattern + " takes no " + kind + " body");
}

Response RequestContext::transact(const std::function<Response(Transaction&)>& work) {
    return transact(work, Company::Alone);
}

Response RequestContext::transactTogether(const std::function<Response(Transaction&)>& work) {
    return transact(work, Company::Together);
}

Response RequestContext::transact(const std::function<Response(Transaction&)>& work, Company company) {
    if (_transacted)
        throw std::logic_error("Request::transact() was called twice");
    _transacted = true;
    Response response;
    const std::function<void(Transaction&)> attempt = [&](Transaction& transaction) {
        HandlerTransaction handlers(transaction);
        response = work(handlers);
        handlers.stamp(response);
        checkResponse(response, method());
        _inputs.sample.check(response);
    };
    // What a supplier changes is nearly always his catalog.
    const std::int64_t supplierId = principal().supplierId;
    const auto catalog = supplierId > 0 ? std::optional(supplierId) : std::nullopt;
    const ChangeOrigin origin{principal().keyPrefix, std::string(requestId())};
    const auto run = [&](CommitRecord& record) {
        if (catalog && company == Company::Together)
            _inputs.database.atPresent().runTogether(record, attempt, supplierId, origin);
        else
            _inputs.database.atPresent().run(record, attempt, catalog, origin);
    };
    if (_inputs.claim) {
        IdempotencyRecord record(*_inputs.claim, response, _inputs.warnings);
        run(record);
        _recorded = true;
    } else {
        OperationRecord record;
        run(record);
    }
    return response;
}

Response RequestContext::reply(int status) {
    Response response(status);
    response.data.swap(_inputs.buffer);
    response.data.clear();
    return response;
}

} // namespace supplierd::host

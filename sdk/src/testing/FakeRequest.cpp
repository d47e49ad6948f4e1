#include "../AsciiCase.h"

#include <supplierd/Cookies.h>
#include <supplierd/JsonBody.h>
#include <supplierd/testing/FakeRequest.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace supplierd::testing {

FakeRequest::FakeRequest(Database& database, Method method, std::string_view pathAndQuery)
    : _database(database), _method(method), _path(pathAndQuery.substr(0, pathAndQuery.find('?'))) {
    _principal = {1, 1, "sk_test0001", false, true};
    if (_path.size() < pathAndQuery.size()) {
        Details details;
        _rawQuery = pathAndQuery.substr(_path.size() + 1);
        _query = parseQuery(_rawQuery, details);
        details.throwIfAny();
    }
}

FakeRequest& FakeRequest::withBody(std::string_view json) {
    _body = parseJsonObject(std::string(json));
    return *this;
}

FakeRequest& FakeRequest::withForm(std::string_view encoded) {
    Details details;
    _form = parseQuery(encoded, details);
    details.throwIfAny();
    return *this;
}

FakeRequest& FakeRequest::withRawBody(std::string bytes, std::size_t piece) {
    _rawBody.emplace(std::move(bytes), piece);
    return *this;
}

FakeRequest& FakeRequest::withCookie(std::string_view name, std::string_view value) {
    return withHeader("Cookie", std::string(name) + "=" + std::string(value));
}

FakeRequest& FakeRequest::withClientAddress(std::string address) {
    _clientAddress = std::move(address);
    return *this;
}

FakeRequest& FakeRequest::withScheme(std::string scheme) {
    _scheme = std::move(scheme);
    return *this;
}

FakeRequest& FakeRequest::withHeader(std::string name, std::string value) {
    _headers.emplace_back(std::move(name), std::move(value));
    return *this;
}

FakeRequest& FakeRequest::withPrincipal(Principal principal) {
    _principal = std::move(principal);
    return *this;
}

FakeRequest& FakeRequest::withAdmission(std::shared_ptr<void> admission) {
    _admission = std::move(admission);
    return *this;
}

FakeRequest& FakeRequest::withPathParameter(std::string name, std::string value) {
    _pathParameters.insert_or_assign(std::move(name), std::move(value));
    return *this;
}

std::int64_t FakeRequest::pathInteger(std::string_view name) const {
    const std::string_view text = pathText(name);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        throw std::out_of_range("the path parameter '" + std::string(name) + "' is no integer");
    return number;
}

std::string_view FakeRequest::pathText(std::string_view name) const {
    const auto found = _pathParameters.find(name);
    if (found == _pathParameters.end())
        throw std::out_of_range("the route's pattern has no parameter '" + std::string(name) + "'");
    return found->second;
}

std::optional<std::string_view> FakeRequest::header(std::string_view name) const {
    for (const auto& [header, value] : _headers)
        if (isSameName(header, name))
            return value;
    return std::nullopt;
}

JsonObject FakeRequest::body() const {
    if (!hasBody())
        throw std::logic_error("the request has no body: add withBody()");
    return _body->object();
}

const QueryParameters& FakeRequest::form() const {
    if (!_form)
        throw std::logic_error("the request has no form: add withForm()");
    return *_form;
}

BodyStream& FakeRequest::rawBody() {
    if (!_rawBody)
        throw std::logic_error("the request has no raw body: add withRawBody()");
    return *_rawBody;
}

std::string_view FakeRequest::Head::method() const {
    return methodName(_request._method);
}

std::optional<std::string_view> FakeRequest::Head::cookie(std::string_view name) const {
    for (const auto& [header, value] : _request._headers)
        if (isSameName(header, "Cookie"))
            if (const auto found = findCookie(value, name))
                return found;
    return std::nullopt;
}

std::size_t FakeRequest::RawBody::read(std::span<char> to) {
    const auto size = std::min({to.size(), _piece, _bytes.size() - _next});
    std::copy_n(_bytes.data() + _next, size, to.data());
    _next += size;
    return size;
}

Response FakeRequest::transact(const std::function<Response(Transaction&)>& work) {
    if (_transacted)
        throw std::logic_error("transact() was called a second time for one request");
    _transacted = true;
    Response response;
    _database.withTransaction([&](Transaction& transaction) { response = work(transaction); });
    return response;
}

} // namespace supplierd::testing

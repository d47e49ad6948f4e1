#include "host/http/RequestContext.h"

#include <stdexcept>

namespace supplierd::host {

const PathParameter& RequestContext::parameter(std::string_view name) const {
    for (const auto& candidate : _parts.match.parameters)
        if (candidate.name == name)
            return candidate;
    throw std::out_of_range("the route " + _parts.match.handler->pattern + " has no parameter '" + std::string(name) +
                            "'");
}

std::int64_t RequestContext::pathInteger(std::string_view name) const {
    return parameter(name).integer;
}

std::string_view RequestContext::pathText(std::string_view name) const {
    return parameter(name).text;
}

std::optional<std::string_view> RequestContext::header(std::string_view name) const {
    const auto found = _parts.head.find(std::string(name));
    if (found == _parts.head.end())
        return std::nullopt;
    return found->second;
}

const Poco::JSON::Object& RequestContext::body() const {
    if (!_parts.body)
        throw std::logic_error("the route " + _parts.match.handler->pattern + " takes no body");
    return *_parts.body;
}

Response RequestContext::transact(const std::function<Response(Transaction&)>& work) {
    if (_transacted)
        throw std::logic_error("Request::transact() was called twice");
    _transacted = true;
    Response response;
    const auto attempt = [&](Transaction& transaction) { response = work(transaction); };
    if (_parts.claim) {
        IdempotencyRecord record(*_parts.claim, response);
        _parts.database.run(record, attempt);
        _recorded = true;
    } else
        _parts.database.withTransaction(attempt);
    return response;
}

Response RequestContext::reply(int status) {
    Response response(status);
    response.data.swap(_parts.buffer);
    response.data.clear();
    return response;
}

} // namespace supplierd::host

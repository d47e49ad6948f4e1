#include "host/http/pipeline/RequestFailures.h"

#include "host/db/ErrorClass.h"
#include "host/http/RequestParsing.h"
#include "host/http/response/ErrorTable.h"
#include "host/observe/CurrentWork.h"
#include "host/plugins/PluginNoteReader.h"

#include <Poco/Exception.h>

#include <algorithm>
#include <typeinfo>

namespace supplierd::host {

namespace {

constexpr int UNAVAILABLE_RETRY_SECONDS = 1;

HandlerResult errorResult(const ApiError& error) {
    HandlerResult result;
    result.status = errorRow(error.kind()).status;
    result.payload = errorFragment(error);
    if (error.kind() == ErrorKind::Unauthorized)
        result.headers.emplace_back("WWW-Authenticate", "Bearer");
    const int leastRetry = error.kind() == ErrorKind::Unavailable ? UNAVAILABLE_RETRY_SECONDS : 0;
    if (const int seconds = std::max(error.retryAfter(), leastRetry); seconds > 0)
        result.headers.emplace_back("Retry-After", std::to_string(seconds));
    return result;
}

/// Where a request failed, for the log.
std::vector<LogField> whereOf(const Exchange& exchange) {
    std::vector<LogField> fields{{"request_id", exchange.requestId}};
    const auto* handler = exchange.match.handler;
    if (handler && !handler->plugin.empty())
        fields.emplace_back("plugin", handler->plugin);
    fields.emplace_back("route", handler ? handler->work : std::string(UNMATCHED));
    return fields;
}

} // namespace

ApiError RequestFailures::respondPlainly(Exchange& exchange, const std::exception& failure) {
    auto error = errorOf(exchange, failure);
    exchange.result = errorResult(error);
    exchange.errorCode = errorRow(error.kind()).code;
    return error;
}

void RequestFailures::respond(Exchange& exchange, const std::exception& failure) {
    const auto error = respondPlainly(exchange, failure);
    if (error.kind() == ErrorKind::MethodNotAllowed)
        exchange.result.headers.emplace_back("Allow", exchange.match.allow);
    if (error.kind() == ErrorKind::RangeNotSatisfiable && exchange.content)
        exchange.result.headers.emplace_back("Content-Range", "bytes */" + std::to_string(exchange.content->size));
    if (_parts.router.hasErrorPages())
        showErrorPage(exchange, error);
}

/// What fails before routing belongs to a route too.
const RoutedHandler* RequestFailures::failedHandler(const Exchange& exchange) const {
    const auto* handler = exchange.match.handler;
    if (!handler && !exchange.target.segments.empty())
        handler = _parts.router.find(exchange.request.getMethod(), exchange.target.segments).handler;
    return handler;
}

void RequestFailures::showErrorPage(Exchange& exchange, const ApiError& error) {
    static const std::vector<Detail> NONE;
    const auto* handler = failedHandler(exchange);
    if (!handler || !handler->route.errorPage)
        return;
    const CurrentWork mark(handler->plugin.c_str(), handler->work.c_str());
    const HttpRequestHead head(exchange);
    const bool isInternal = error.kind() == ErrorKind::Internal;
    std::string reason;
    try {
        auto page = handler->route.errorPage({exchange.result.status, exchange.errorCode, publicMessage(error),
                                              isInternal ? NONE : error.details(), exchange.requestId, head});
        checkErrorPage(page);
        auto& result = exchange.result;
        result.status = page.status;
        result.payload = std::move(page.data);
        result.contentType = std::move(page.contentType);
        for (auto& header : page.headers)
            result.headers.push_back(std::move(header));
        return;
    } catch (const std::exception& failure) {
        reason = failure.what();
    } catch (...) { // a plugin may throw anything
        reason = "an exception that is no std::exception";
    }
    _parts.log.error("an error page failed; the envelope was sent: " + reason,
                     {{"request_id", exchange.requestId}, {"plugin", handler->plugin}, {"route", handler->work}});
}

/// What the client is told, and a line in the log where the operator has to know.
ApiError RequestFailures::errorOf(const Exchange& exchange, const std::exception& failure) {
    if (const auto* known = dynamic_cast<const ApiError*>(&failure)) {
        if (known->kind() == ErrorKind::Unavailable)
            _unavailable.note(known->message(), whereOf(exchange));
        if (known->kind() == ErrorKind::Internal) {
            _parts.log.write(LogLevel::Warning, known->message(), whereOf(exchange));
            _parts.metrics.internalErrors().Increment();
        }
        return *known;
    }
    const auto* database = dynamic_cast<const DatabaseError*>(&failure);
    const auto* poco = dynamic_cast<const Poco::Exception*>(&failure);
    const std::string reason = poco ? poco->displayText() : std::string(failure.what());
    auto where = whereOf(exchange);
    where.emplace_back("exception", demangled(typeid(failure).name()));
    _parts.log.write(LogLevel::Error, "request failed: " + reason, where);
    if (database && database->isConnectionLost())
        return databaseAway();
    if (database && database->isRetryable()) // locked, or deadlocked, time and again
        return databaseBusy();
    _parts.metrics.internalErrors().Increment();
    return ApiError(ErrorKind::Internal, reason);
}

} // namespace supplierd::host

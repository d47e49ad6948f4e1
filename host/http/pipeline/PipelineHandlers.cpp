#include "host/http/pipeline/PipelineHandlers.h"

#include "host/http/RequestParsing.h"
#include "host/http/response/ErrorTable.h"

#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>

#include <utility>

namespace supplierd::host {

namespace {

class PipelineHandler final : public Poco::Net::HTTPRequestHandler {
public:
    explicit PipelineHandler(Pipeline& pipeline) : _pipeline(pipeline) {}
    void handleRequest(Poco::Net::HTTPServerRequest& request, Poco::Net::HTTPServerResponse& response) override {
        _pipeline.handle(request, response);
    }

private:
    Pipeline& _pipeline;
};

class PipelineHandlerFactory final : public Poco::Net::HTTPRequestHandlerFactory {
public:
    explicit PipelineHandlerFactory(Pipeline& pipeline) : _pipeline(pipeline) {}
    Poco::Net::HTTPRequestHandler* createRequestHandler(const Poco::Net::HTTPServerRequest& request) override {
        // Poco sends "100 Continue" at once while the status is 200; the gate asks for the body when it is wanted.
        request.response().setStatus(Poco::Net::HTTPResponse::HTTP_ACCEPTED);
        return new PipelineHandler(_pipeline); // Poco takes ownership
    }

private:
    Pipeline& _pipeline;
};

/// The gate's errors look as the pipeline's do, and are noted as they are.
class PipelineRefusals final : public Refusals {
public:
    PipelineRefusals(Pipeline& pipeline, ProxyFailureNotice onProxyFailure)
        : _pipeline(pipeline), _onProxyFailure(std::move(onProxyFailure)) {}

    const Rejection* decide(const CheckedHead& head) override {
        static constexpr Rejection ALLOWED{204, "preflight", ""};
        static constexpr Rejection FOREIGN{403, "preflight", "Pages of this origin may not call the API"};
        static constexpr Rejection OPTIONS{204, "options", ""};
        if (head.target == "*")
            return &OPTIONS;
        if (!_pipeline.cors().isPreflight(head))
            return nullptr;
        return _pipeline.cors().allows(head.origin) ? &ALLOWED : &FOREIGN;
    }

    Response respond(const Refusal& refusal) override {
        constexpr int NO_CONTENT = 204;
        constexpr std::string_view ALL_METHODS = "Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n";
        Response response;
        if (refusal.status == NO_CONTENT)
            response.fields =
                refusal.head->target == "*" ? ALL_METHODS : _pipeline.cors().preflightFields(refusal.head->origin);
        else if (refusal.head)
            response.fields = _pipeline.cors().fields(*refusal.head);
        const auto given = refusal.head ? refusal.head->fields.find("x-request-id") : std::string_view();
        response.requestId = isValidRequestId(given) ? std::string(given) : newRequestId();
        if (refusal.status != NO_CONTENT)
            appendFailure(response.body, errorFragment(errorCode(refusal.status), refusal.message), response.requestId);
        _pipeline.noteRefusal(refusal, response.requestId);
        return response;
    }

    void noteFreed(std::uint64_t bytes) override { _pipeline.noteFreed(bytes); }

    void noteProxyFailure(const Poco::Net::IPAddress& proxy, std::string_view reason) override {
        _onProxyFailure(proxy, reason);
    }

private:
    Pipeline& _pipeline;
    const ProxyFailureNotice _onProxyFailure;
};

} // namespace

Poco::Net::HTTPRequestHandlerFactory* makePipelineHandlers(Pipeline& pipeline) {
    return new PipelineHandlerFactory(pipeline); // Poco takes ownership
}

std::unique_ptr<Refusals> makePipelineRefusals(Pipeline& pipeline, ProxyFailureNotice onProxyFailure) {
    return std::make_unique<PipelineRefusals>(pipeline, std::move(onProxyFailure));
}

} // namespace supplierd::host

#include "host/http/AdminListener.h"

#include "host/http/WorkerServer.h"

#include <supplierd/JsonWriter.h>

#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>

#include <algorithm>
#include <utility>

namespace supplierd::host {

namespace {

using Poco::Net::HTTPResponse;

constexpr int THREADS = 4;
constexpr auto LAST_ANSWERS = std::chrono::milliseconds(2'500); // longer than a probe of the database takes

struct Page {
    HTTPResponse::HTTPStatus status = HTTPResponse::HTTP_OK;
    std::string type = "application/json";
    std::string body;
};

/// Nothing is wrong but that it ends: what it has, it finishes.
bool onlyDrains(const Readiness& readiness) {
    return std::all_of(readiness.begin(), readiness.end(), [](const auto& check) {
        return check.second.empty() || check.first == "stopping" || check.first == "plugins";
    });
}

/// `drainingIs404`: for haproxy (http-check disable-on-404), which then sends nothing new, and leaves alone what runs;
/// of any other status it would take the server for lost.
Page readinessPage(const Readiness& readiness, const Readiness& leftOut, bool drainingIs404) {
    const bool ready =
        std::all_of(readiness.begin(), readiness.end(), [](const auto& check) { return check.second.empty(); });
    Page page;
    page.status = ready ? HTTPResponse::HTTP_OK : HTTPResponse::HTTP_SERVICE_UNAVAILABLE;
    if (!ready && drainingIs404 && onlyDrains(readiness))
        page.status = HTTPResponse::HTTP_NOT_FOUND;
    JsonWriter json(page.body);
    json.beginObject().field("ready", ready).key("checks").beginObject();
    for (const auto& [name, problem] : readiness)
        json.field(name, problem.empty() ? std::string_view("ok") : std::string_view(problem));
    json.endObject();
    if (!leftOut.empty())
        json.key("left_out").beginObject();
    for (const auto& [plugin, reason] : leftOut)
        json.field(plugin, reason);
    if (!leftOut.empty())
        json.endObject();
    json.endObject();
    return page;
}

class AdminHandler final : public Poco::Net::HTTPRequestHandler {
public:
    explicit AdminHandler(const AdminListener::Dependencies& dependencies) : _deps(dependencies) {}

    void handleRequest(Poco::Net::HTTPServerRequest& request, Poco::Net::HTTPServerResponse& response) override {
        const auto page = pageFor(request);
        response.setStatusAndReason(page.status);
        response.setContentType(page.type);
        response.setKeepAlive(false); // an unread body must not become a request
        response.sendBuffer(page.body.data(), page.body.size());
    }

private:
    Page pageFor(const Poco::Net::HTTPServerRequest& request) const {
        if (request.getMethod() != Poco::Net::HTTPRequest::HTTP_GET &&
            request.getMethod() != Poco::Net::HTTPRequest::HTTP_HEAD)
            return {HTTPResponse::HTTP_METHOD_NOT_ALLOWED, "text/plain", "Only GET and HEAD are answered here\n"};
        const auto path = request.getURI().substr(0, request.getURI().find('?'));
        if (path == "/healthz")
            return {HTTPResponse::HTTP_OK, "application/json", R"({"healthy":true})"};
        if (path == "/readyz")
            return readinessPage(_deps.readiness(), _deps.leftOut ? _deps.leftOut() : Readiness(),
                                 request.getURI().ends_with("?draining=404"));
        if (path == "/status" && _deps.status)
            return {HTTPResponse::HTTP_OK, "application/json", _deps.status()};
        if (path == "/metrics")
            return {HTTPResponse::HTTP_OK, "text/plain; version=0.0.4; charset=utf-8", _deps.metrics()};
        return {HTTPResponse::HTTP_NOT_FOUND, "text/plain", "There are /healthz, /readyz, /status and /metrics here\n"};
    }

    const AdminListener::Dependencies& _deps;
};

class AdminHandlerFactory final : public Poco::Net::HTTPRequestHandlerFactory {
public:
    explicit AdminHandlerFactory(AdminListener::Dependencies dependencies) : _deps(std::move(dependencies)) {}
    Poco::Net::HTTPRequestHandler* createRequestHandler(const Poco::Net::HTTPServerRequest&) override {
        return new AdminHandler(_deps); // Poco takes ownership
    }

private:
    AdminListener::Dependencies _deps;
};

class PlainRefusals final : public Refusals {
public:
    Response respond(const Refusal& refusal) override {
        Response response;
        JsonWriter(response.body).beginObject().field("error", refusal.message).endObject();
        return response;
    }
};

GateSettings gateSettings() {
    GateSettings settings;
    settings.headTimeout = settings.keepAliveTimeout = settings.patience = std::chrono::seconds(5);
    settings.workers = settings.shortRunning = THREADS;
    return settings;
}

} // namespace

AdminListener::AdminListener(Dependencies dependencies)
    : _threads("admin", 2, THREADS + 1),
      _socket({dependencies.address, "server.admin_listen", dependencies.passed}),
      _refusals(std::make_unique<PlainRefusals>()),
      _gate(gateSettings(), _socket.descriptor(), *_refusals),
      _server(makeWorkerServer(new AdminHandlerFactory(std::move(dependencies)), _threads, _gate, THREADS)) {
    _server->start();
    _gate.start();
}

void AdminListener::leave() {
    if (!_gate.isDraining())
        _gate.drain(Gate::Backlog::Leave, std::chrono::milliseconds(0), LAST_ANSWERS);
}

AdminListener::~AdminListener() {
    leave();
    _gate.finish(Gate::Clock::now() + LAST_ANSWERS);
    _server->stop();
    _threads.joinAll();
}

} // namespace supplierd::host

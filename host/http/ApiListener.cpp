#include "host/http/ApiListener.h"

#include "host/http/AcceptedSocket.h"

#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServerParams.h>
#include <Poco/Net/NetException.h>

#include <stdexcept>
#include <thread>

namespace supplierd::host {

namespace {

constexpr int BACKLOG = 1024;
constexpr auto POLL = std::chrono::milliseconds(5);
constexpr auto QUIET = std::chrono::milliseconds(50);          // a request that was just read has begun by then
constexpr auto CUT_OFF_GRACE = std::chrono::milliseconds(500); // to notice that the connection is gone

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
        // Poco sends "100 Continue" at once while the status is 200; the body is asked for after authentication.
        request.response().setStatus(Poco::Net::HTTPResponse::HTTP_ACCEPTED);
        return new PipelineHandler(_pipeline); // Poco takes ownership
    }

private:
    Pipeline& _pipeline;
};

Poco::Timespan toTimespan(std::chrono::milliseconds time) {
    return Poco::Timespan(std::chrono::microseconds(time).count());
}

} // namespace

Poco::Net::ServerSocket listenOn(const Poco::Net::SocketAddress& address, const std::string& setting) {
    try {
        ApiServerSocket socket;
        // Without the port's reuse, which Poco turns on by default: a second server must fail, not share the requests.
        socket.bind(address, true, false);
        socket.listen(BACKLOG);
        return socket;
    } catch (const Poco::Exception& failure) {
        throw std::runtime_error("cannot listen on " + address.toString() + " (" + setting +
                                 "): " + failure.displayText() +
                                 "; end what uses the port, or set another address in " + setting);
    }
}

ApiListener::ApiListener(const ServerSettings& settings, Pipeline& pipeline)
    : _settings(settings),
      _pipeline(pipeline),
      _threads("http", 2, settings.threads + 1),
      _socket(listenOn(settings.listen, "server.listen")) {
    Poco::Net::HTTPServerParams::Ptr params = new Poco::Net::HTTPServerParams;
    params->setMaxThreads(settings.threads);
    params->setMaxQueued(settings.maxQueued);
    params->setKeepAlive(true);
    params->setKeepAliveTimeout(toTimespan(settings.keepAliveTimeout));
    params->setTimeout(toTimespan(settings.requestTimeout));
    _server = std::make_unique<Poco::Net::HTTPServer>(
        Poco::Net::HTTPRequestHandlerFactory::Ptr(new PipelineHandlerFactory(pipeline)), _threads, _socket, params);
}

ApiListener::~ApiListener() = default;

void ApiListener::start() {
    _server->start();
}

bool ApiListener::stop(std::chrono::milliseconds deadline) {
    const auto until = Clock::now() + deadline;
    _pipeline.drain();
    // Stopping forgets connections that wait for a thread, so these are served first.
    while (_server->queuedConnections() > 0 && Clock::now() < until)
        std::this_thread::sleep_for(POLL);
    _server->stop();
    const bool finished = waitForQuiet(until);
    // Closes what is idle or half through a request head. HTTPServer's gentler way, stopAll(false), would wait for the
    // latter for ever, and cannot be cut short.
    _server->stopAll(true);
    const auto end = Clock::now() + CUT_OFF_GRACE;
    while (_pipeline.running() > 0 && Clock::now() < end)
        std::this_thread::sleep_for(POLL);
    if (_pipeline.running() > 0)
        return false;
    _threads.joinAll();
    return finished;
}

bool ApiListener::waitForQuiet(Clock::time_point until) const {
    auto quietSince = Clock::now();
    for (auto now = quietSince; now < until; now = Clock::now()) {
        if (_pipeline.running() > 0)
            quietSince = now;
        else if (now - quietSince >= QUIET)
            return true;
        std::this_thread::sleep_for(POLL);
    }
    return _pipeline.running() == 0;
}

} // namespace supplierd::host

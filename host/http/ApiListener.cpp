#include "host/http/ApiListener.h"

#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServerParams.h>
#include <Poco/Net/NetException.h>

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

namespace supplierd::host {

namespace {

constexpr int BACKLOG = 1024;
constexpr auto POLL = std::chrono::milliseconds(5);
constexpr auto QUIET = std::chrono::milliseconds(50);          // a request that was just read has begun by then
constexpr auto ACCEPT_LIMIT = std::chrono::seconds(2);         // what accepting the backlog takes at most
constexpr auto CUT_OFF_GRACE = std::chrono::milliseconds(250); // to notice that the connection is gone

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

ApiServerSocket listenOn(const ListenPlace& place, std::shared_ptr<ConnectionDrain> drain) {
    if (place.passed >= 0)
        return ApiServerSocket(std::move(drain), place.passed);
    try {
        ApiServerSocket socket(std::move(drain));
        socket.listenAlone(place.address, BACKLOG);
        return socket;
    } catch (const Poco::Exception& failure) {
        throw std::runtime_error("cannot listen on " + place.address.toString() + " (" + place.setting +
                                 "): " + failure.displayText() +
                                 "; end what uses the port, or set another address in " + place.setting);
    }
}

ApiListener::ApiListener(const ServerSettings& settings, Pipeline& pipeline, int passed)
    : _settings(settings),
      _pipeline(pipeline),
      _threads("http", 2, settings.threads + 1),
      _drain(std::make_shared<ConnectionDrain>()),
      _socket(listenOn({settings.listen, "server.listen", passed}, _drain)) {
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

int ApiListener::drain(Clock::time_point until, ConnectionDrain::Backlog backlog) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    const auto atMost = [left](std::chrono::milliseconds time) {
        return std::clamp(left, std::chrono::milliseconds(0), time);
    };
    _pipeline.drain();
    _drain->begin(backlog, atMost(_settings.drainGrace));
    _drain->waitUntilAcceptingEnded(atMost(ACCEPT_LIMIT));
    _socket.close(); // whoever comes now is refused, unless the socket is open in another process too
    return _drain->open();
}

bool ApiListener::stop(Clock::time_point until) {
    const bool finished = waitUntilServed(until);
    _server->stop(); // forgets connections that wait for a thread: there are none left, but at the deadline
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

/// Whatever has a request, or may still bring one within the grace, is awaited; a connection that is silent or half
/// through a request head after that is not.
bool ApiListener::waitUntilServed(Clock::time_point until) const {
    const auto graceEnd = _drain->graceEnd(Clock::now());
    auto quietSince = Clock::now();
    for (auto now = quietSince; now < until; now = Clock::now()) {
        if (_drain->open() == 0)
            return true;
        if (_pipeline.running() > 0 || _server->queuedConnections() > 0)
            quietSince = now;
        else if (now >= graceEnd && now - quietSince >= QUIET)
            return true;
        std::this_thread::sleep_for(POLL);
    }
    return _pipeline.running() == 0 && _server->queuedConnections() == 0;
}

} // namespace supplierd::host

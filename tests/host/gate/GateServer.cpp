#include "tests/host/gate/GateServer.h"

#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServerParams.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>

#include <cppunit/TestAssert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace supplierd::tests {

using namespace std::chrono_literals;

host::GateSettings oneWorker() {
    host::GateSettings settings;
    settings.workers = 1;
    settings.shortRunning = 1;
    for (auto* limit : {&settings.headTimeout, &settings.keepAliveTimeout, &settings.patience, &settings.queueTime})
        *limit = 5min; // a busy machine makes no test fail
    return settings;
}

std::string letters(std::size_t size) {
    std::string bytes(size, ' ');
    std::uint32_t state = 1;
    for (char& byte : bytes) {
        state = state * 1'664'525U + 1'013'904'223U;
        byte = static_cast<char>('a' + (state >> 24U) % 26);
    }
    return bytes;
}

std::string bodyOf(const std::string& response) {
    return response.substr(response.find("\r\n\r\n") + 4);
}

namespace {

class FileContent final : public Content {
public:
    explicit FileContent(const std::string& bytes)
        : _size(bytes.size()), _descriptor(::memfd_create("gate-test", MFD_CLOEXEC)) {
        if (::pwrite(_descriptor, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
            throw std::runtime_error("the file cannot be written");
    }
    ~FileContent() override { ::close(_descriptor); }

    std::uint64_t size() const override { return _size; }
    std::string read(std::uint64_t, std::size_t) const override { throw std::logic_error("the file was read"); }
    int descriptor() const override { return _descriptor; }

private:
    const std::uint64_t _size;
    const int _descriptor;
};

class LetterSource final : public host::ResponseSource {
public:
    explicit LetterSource(std::size_t size) : _bytes(letters(size)) {}

    bool produce(std::string& to) override {
        const auto piece = std::min<std::size_t>(_bytes.size() - _at, 50'000);
        to.append(_bytes, _at, piece);
        _at += piece;
        return _at < _bytes.size();
    }

private:
    const std::string _bytes;
    std::size_t _at = 0;
};

struct Suspended final : host::SuspendedRequest {};

std::string headOf(int status, std::size_t size, bool closes) {
    return "HTTP/1.1 " + std::to_string(status) + " X\r\nConnection: " + (closes ? "close" : "keep-alive") +
           "\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
}

} // namespace

class GateServer::Completion final : public host::SendCompletion {
public:
    explicit Completion(GateServer& server) : _server(server) {}
    void sent(const host::SendResult& result) noexcept override { _server.note(result); }

private:
    GateServer& _server;
};

class GateServer::Handler final : public Poco::Net::HTTPRequestHandler {
public:
    explicit Handler(GateServer& server) : _server(server) {}
    void handleRequest(Poco::Net::HTTPServerRequest& request, Poco::Net::HTTPServerResponse& response) override {
        _server.answer(host::RequestChannel::of(request), request.clientAddress().host());
        response.setKeepAlive(true);
    }

private:
    GateServer& _server;
};

class GateServer::HandlerFactory final : public Poco::Net::HTTPRequestHandlerFactory {
public:
    explicit HandlerFactory(GateServer& server) : _server(server) {}
    Poco::Net::HTTPRequestHandler* createRequestHandler(const Poco::Net::HTTPServerRequest& request) override {
        request.response().setStatus(Poco::Net::HTTPResponse::HTTP_ACCEPTED);
        return new Handler(_server);
    }

private:
    GateServer& _server;
};

class GateServer::CountingRefusals final : public host::Refusals {
public:
    explicit CountingRefusals(GateServer& server) : _server(server) {}
    Response respond(const host::Refusal& refusal) override {
        ++_server._refused;
        return {"r-1", "{\"reason\":\"" + std::string(refusal.reason) + "\"}"};
    }
    void noteProxyFailure(const Poco::Net::IPAddress&, std::string_view reason) override {
        const std::lock_guard lock(_server._mutex);
        _server._proxyFailures.append(reason) += ' ';
    }

private:
    GateServer& _server;
};

GateServer::GateServer(const host::GateSettings& settings)
    : _listening(Poco::Net::SocketAddress("127.0.0.1", 0), 1024),
      _threads("gate-test", 2, settings.workers + 1),
      _refusals(std::make_unique<CountingRefusals>(*this)) {
    const int descriptor = _listening.impl()->sockfd();
    ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    _gate = std::make_unique<host::Gate>(settings, descriptor, *_refusals);
    Poco::Net::HTTPServerParams::Ptr params = new Poco::Net::HTTPServerParams;
    params->setMaxThreads(settings.workers);
    params->setMaxQueued(settings.workers + 1);
    params->setKeepAliveTimeout(Poco::Timespan(30, 0));
    params->setTimeout(Poco::Timespan(30, 0));
    _server =
        std::make_unique<Poco::Net::HTTPServer>(Poco::Net::HTTPRequestHandlerFactory::Ptr(new HandlerFactory(*this)),
                                                _threads, host::WorkerServerSocket(*_gate), params);
    _server->start();
    _gate->start();
}

GateServer::~GateServer() {
    let();
    if (!_gate->isDraining())
        _gate->drain(host::Gate::Backlog::Serve, 0ms, 10s);
    _gate->finish(host::Gate::Clock::now());
    _server->stop();
    _threads.joinAll();
}

std::string GateServer::ask(const std::string& head, const std::string& body) const {
    auto connection = connect();
    connection.send(head + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: " +
                    std::to_string(body.size()) + "\r\n\r\n" + body);
    return connection.receiveAll(30s);
}

void GateServer::let() {
    {
        const std::lock_guard lock(_mutex);
        _isLet = true;
    }
    _changed.notify_all();
}

std::string GateServer::proxyFailures() const {
    const std::lock_guard lock(_mutex);
    return _proxyFailures;
}

void GateServer::answer(host::RequestChannel& channel, const Poco::Net::IPAddress& client) {
    const std::string method(channel.head().method);
    const std::string target(channel.head().target);
    const bool closes = !channel.head().keepsAlive || channel.isDraining();
    const auto completion = [this] {
        return std::unique_ptr<host::SendCompletion>(std::make_unique<Completion>(*this));
    };
    host::OutgoingResponse response;
    response.closes = closes;
    response.isForKnown = true;
    std::string bytes;
    const auto number = static_cast<std::size_t>(std::atoll(target.substr(target.rfind('/') + 1).c_str()));
    if (target.starts_with("/large/")) {
        bytes = headOf(200, number, closes) + letters(number);
    } else if (target.starts_with("/file/")) {
        bytes = headOf(200, number, closes);
        response.file.content = std::make_shared<FileContent>(letters(number));
        response.file.size = number;
    } else if (target.starts_with("/source/")) {
        bytes = headOf(200, number, closes);
        response.source = std::make_unique<LetterSource>(number);
    } else if (target == "/client") {
        const auto address = client.toString();
        bytes = headOf(200, address.size(), closes) + address;
    } else if (target == "/refused") {
        response.closes = closes || channel.head().framing != host::BodyFraming::None;
        bytes = headOf(404, 0, response.closes);
    } else {
        if (channel.bodyState() == host::Connection::BodyState::Pending) {
            const bool isRaw = target == "/raw";
            const std::uint64_t limit = isRaw ? 100'000'000 : 1'000'000;
            if (channel.makeRoomForBody(limit, isRaw, 0, target != "/stranger")) {
                channel.collectBody(limit, std::make_unique<Suspended>());
                return;
            }
            response.closes = true;
            response.bytes = bytes = headOf(503, 0, true);
            channel.respond(std::move(response), completion);
            return;
        }
        channel.takeSuspended();
        const bool isWhole = channel.bodyState() == host::Connection::BodyState::Complete;
        std::string body = method + " " + target + " ";
        std::array<char, 4'096> buffer{};
        for (std::size_t got = 0; isWhole && (got = channel.body().read(buffer)) > 0;)
            body.append(buffer.data(), got);
        if (target == "/wait") {
            ++_waiting;
            std::unique_lock lock(_mutex);
            _changed.wait(lock, [this] { return _isLet; });
            --_waiting;
        }
        response.closes = closes || !isWhole || channel.isDraining();
        bytes = headOf(isWhole ? 200 : 400, body.size(), response.closes) + body;
    }
    response.bytes = bytes;
    if (const auto sent = channel.respond(std::move(response), completion))
        note(*sent);
}

void GateServer::note(const host::SendResult& result) {
    _sentBytes += result.bytes;
    ++(result.isWhole ? _whole : _cutOff);
}

} // namespace supplierd::tests

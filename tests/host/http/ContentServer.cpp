#include "tests/host/http/ContentServer.h"

#include "tests/support/ChildProcess.h"

#include <cppunit/TestAssert.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace supplierd::tests {

namespace {

int fileWith(const std::string& bytes) {
    const int descriptor = ::memfd_create("content", MFD_CLOEXEC);
    if (descriptor < 0)
        throw std::system_error(errno, std::generic_category(), "memfd_create");
    if (::pwrite(descriptor, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw std::system_error(errno, std::generic_category(), "pwrite");
    return descriptor;
}

} // namespace

std::string patternBytes(std::size_t size) {
    std::string bytes(size, ' ');
    std::uint32_t state = 1;
    for (char& byte : bytes) {
        state = state * 1'664'525U + 1'013'904'223U;
        byte = static_cast<char>('a' + (state >> 24U) % 26);
    }
    return bytes;
}

FileContent::FileContent(const std::string& bytes) : _size(bytes.size()), _descriptor(fileWith(bytes)) {}

FileContent::~FileContent() {
    ::close(_descriptor);
}

std::string FileContent::read(std::uint64_t, std::size_t) const {
    throw std::logic_error("a file that the kernel can send was read");
}

void FileContent::truncate(std::uint64_t size) const {
    if (::ftruncate(_descriptor, static_cast<off_t>(size)) != 0)
        throw std::system_error(errno, std::generic_category(), "ftruncate");
}

namespace {

host::Settings settingsOf(std::chrono::milliseconds requestTimeout, int publicPerMinute) {
    host::Settings settings;
    settings.server.listen = Poco::Net::SocketAddress("127.0.0.1", 0);
    settings.server.threads = ContentServer::THREADS;
    settings.server.requestTimeout = requestTimeout;
    settings.rateLimit.publicPerMinute = publicPerMinute;
    return settings;
}

} // namespace

ContentServer::ContentServer(const std::vector<Route>& routes, std::chrono::milliseconds requestTimeout,
                             int publicPerMinute)
    : _settings(settingsOf(requestTimeout, publicPerMinute)),
      _logWriter(_directory / "server.log"),
      _accessWriter(_directory / "access.log"),
      _logger(_logWriter, "supplierd", LogLevel::Information),
      _accessLog(_accessWriter),
      _metrics(_registry),
      _tlsMetrics(*_registry),
      _pool(_settings.database.session, {}),
      _database(_pool, &_logger),
      _authenticator(
          _database, [](std::int64_t) { return std::int64_t{0}; }, _cacheMemory, _settings.auth),
      _requestAuthenticators(_authenticator),
      _observers(_metrics.observerDropped(), _logger),
      _idempotency(_database, _settings.idempotency, "server", 1),
      _router(_metrics),
      _pipeline({_settings, _database, _authenticator, _requestAuthenticators, _rateLimiter, nullptr, _idempotency,
                 _router, _heap, _metrics, _observers, &_accessLog, _logger}) {
    for (const auto& route : routes)
        _router.add(route);
    _listener = std::make_unique<host::ApiListener>(_settings.server, _pipeline, -1,
                                                    host::ApiListener::Notices{_tlsMetrics, {}, {}});
    _listener->start();
}

ContentServer::~ContentServer() {
    if (!_stopped)
        stop(std::chrono::seconds(10));
}

bool ContentServer::stop(std::chrono::milliseconds deadline) {
    _stopped = true;
    const auto until = host::ApiListener::Clock::now() + deadline;
    _listener->drain(until, host::Gate::Backlog::Serve);
    return _listener->stop(until);
}

void ContentServer::waitUntilIdle() const {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (_pipeline.running() > 0) {
        CPPUNIT_ASSERT_MESSAGE("a worker still hangs", std::chrono::steady_clock::now() < limit);
        std::this_thread::yield();
    }
}

std::string ContentServer::accessLog() {
    _accessWriter.flush();
    return readWholeFile(_directory / "access.log");
}

std::string ContentServer::log() {
    _logWriter.flush();
    return readWholeFile(_directory / "server.log");
}

Route publicRoute(std::string pattern, Handler handler, Method method) {
    Route route;
    route.method = method;
    route.pattern = std::move(pattern);
    route.audience = Audience::Public;
    route.handler = std::move(handler);
    return route;
}

} // namespace supplierd::tests

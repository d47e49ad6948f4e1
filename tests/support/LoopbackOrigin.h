#pragma once

#include <Poco/Net/ServerSocket.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

struct ssl_ctx_st;
struct ssl_st;

namespace supplierd::tests {

/// The descriptor of a connection, which its script may close while another thread cuts it. Poco's sockets count who
/// uses them in a library that ThreadSanitizer does not see into. Thread: any.
class OriginSocket {
public:
    explicit OriginSocket(int descriptor) : _descriptor(descriptor) {}
    ~OriginSocket() { close(); }
    OriginSocket(const OriginSocket&) = delete;
    OriginSocket& operator=(const OriginSocket&) = delete;

    /// Of the one thread that closes it; -1 afterwards.
    int descriptor() const { return _descriptor; }
    /// shutdown(2); nothing when it is closed.
    void shutdown(int direction);
    void close();

private:
    std::mutex _mutex;
    int _descriptor;
};

/// One connection that a LoopbackOrigin has accepted; its first request's head has been read. Everything throws
/// std::runtime_error once the client is gone, which ends the script. Thread: that of the script.
class OriginConnection {
public:
    using OnHead = std::function<void(const std::string&)>;

    OriginConnection(OriginSocket& socket, ssl_st* tls, OnHead onHead)
        : _socket(socket), _tls(tls), _onHead(std::move(onHead)) {}

    const std::string& head() const { return _head; }
    /// "/a.jpg?b" of the request line.
    std::string target() const;

    /// Takes the next request on the connection; of this one all has been read.
    void next();
    /// So much of the request's body.
    std::string read(std::size_t size);

    void send(std::string_view bytes);
    /// Status line, Content-Length and `fields` ("Name: value\r\n"…), then the body.
    void answer(std::string_view status, std::string_view body, std::string_view fields = {});
    void redirect(std::string_view location, std::string_view status = "302 Found");
    /// Lets time pass, or throws as soon as the client goes.
    void pause(std::chrono::milliseconds duration);
    /// Until the client goes.
    void holdOpen();
    /// Ends the connection with RST instead of FIN.
    void reset();
    /// Ends the connection at once; under TLS without a good-bye.
    void end();

private:
    std::size_t receive(char* buffer, std::size_t size);

    OriginSocket& _socket;
    ssl_st* _tls;
    const OnHead _onHead;
    std::string _head;
};

/// A web server on 127.0.0.1 that answers every connection as its script says, good or bad.
class LoopbackOrigin {
public:
    using Script = std::function<void(OriginConnection&)>;
    struct Certificate {
        std::filesystem::path chain;
        std::filesystem::path key;
    };

    explicit LoopbackOrigin(Script script);
    /// With TLS.
    LoopbackOrigin(Script script, const Certificate& certificate);
    /// Cuts what is open.
    ~LoopbackOrigin();
    LoopbackOrigin(const LoopbackOrigin&) = delete;
    LoopbackOrigin& operator=(const LoopbackOrigin&) = delete;

    std::uint16_t port() const { return _listener.address().port(); }
    /// The heads of all requests so far.
    std::vector<std::string> requests() const;
    unsigned connections() const;
    /// The server names that TLS clients asked for; "" for a client that sent none.
    std::vector<std::string> serverNames() const;

private:
    struct Served {
        std::shared_ptr<OriginSocket> socket;
        std::thread thread;
    };

    void accept();
    void serve(const std::shared_ptr<OriginSocket>& socket);

    const Script _script;
    std::shared_ptr<ssl_ctx_st> _tls;
    Poco::Net::ServerSocket _listener;
    mutable std::mutex _mutex;
    bool _isStopping = false;
    unsigned _connections = 0;
    std::vector<std::string> _requests;
    std::vector<std::string> _serverNames;
    std::vector<std::shared_ptr<OriginSocket>> _open;
    std::vector<Served> _served;
    std::thread _acceptor;
};

} // namespace supplierd::tests

#pragma once

#include <Poco/Net/DatagramSocket.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

/// A DNS server on 127.0.0.1, over UDP, that answers as its script says.
class FakeNameServer {
public:
    struct Reply {
        unsigned rcode = 0;
        std::vector<std::string> addresses = {}; ///< those of the asked type are sent
        std::string alias = {};                  ///< a CNAME before them, whose addresses they are
        bool isForgedFirst = false;              ///< before it, the same with another id and the address 127.0.0.1
    };
    /// No reply: silence.
    using Script = std::function<std::optional<Reply>(const std::string& name)>;

    explicit FakeNameServer(Script script);
    ~FakeNameServer();
    FakeNameServer(const FakeNameServer&) = delete;
    FakeNameServer& operator=(const FakeNameServer&) = delete;

    /// "127.0.0.1:5353", as DnsResolver takes it.
    std::string address() const { return _socket.address().toString(); }
    /// "A name" and "AAAA name", in the order they came.
    std::vector<std::string> questions() const;

private:
    void serve();
    void answer(const std::string& query, const Poco::Net::SocketAddress& client);

    const Script _script;
    Poco::Net::DatagramSocket _socket;
    mutable std::mutex _mutex;
    std::vector<std::string> _questions;
    std::thread _thread;
};

} // namespace supplierd::tests

#include "tests/system/faults/MysqlProxy.h"

#include "tests/system/faults/MysqlConversation.h"

#include <Poco/Exception.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/SocketAddress.h>
#include <Poco/Net/StreamSocket.h>

#include <array>
#include <chrono>

namespace supplierd::tests {
namespace {

using Poco::Net::StreamSocket;
using std::chrono::milliseconds;

const Poco::Timespan LOOK_INTERVAL(0, 20'000);
constexpr auto LATENESS = milliseconds(30);
constexpr int LOOKS = 1'000;

void sendAll(StreamSocket& socket, std::string_view bytes) {
    while (!bytes.empty())
        bytes.remove_prefix(static_cast<std::size_t>(socket.sendBytes(bytes.data(), static_cast<int>(bytes.size()))));
}

/// Empty: the peer has closed.
std::string receive(StreamSocket& socket) {
    std::array<char, 16384> buffer{};
    const int count = socket.receiveBytes(buffer.data(), static_cast<int>(buffer.size()));
    return {buffer.data(), static_cast<std::size_t>(count > 0 ? count : 0)};
}

bool fits(const std::string& wanted, const std::string& sql) {
    return wanted.find(' ') == std::string::npos ? sql == wanted : sql.find(wanted) != std::string::npos;
}

} // namespace

/// One client and its connection to the database, with a thread of their own.
class MysqlProxy::Connection {
public:
    Connection(MysqlProxy& proxy, const StreamSocket& client)
        : _proxy(proxy), _client(client), _thread([this] { run(); }) {}
    ~Connection() { _thread.join(); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    bool ended() const { return _ended; }

private:
    void run() {
        try {
            _client.setNoDelay(true);
            _database.connect(Poco::Net::SocketAddress("127.0.0.1", static_cast<Poco::UInt16>(_proxy._databasePort)));
            _database.setNoDelay(true);
            while (!_proxy._stopping && passOn()) {
            }
        } catch (const Poco::Exception&) {
            // Either side may go at any moment; the other one is to see it.
        }
        _client.close();
        _database.close();
        _ended = true;
    }

    /// False: the connection is to end.
    bool passOn() {
        Poco::Net::Socket::SocketList readable{_client, _database};
        Poco::Net::Socket::SocketList none;
        Poco::Net::Socket::SocketList failed;
        Poco::Net::Socket::select(readable, none, failed, LOOK_INTERVAL);
        for (const auto& socket : readable)
            if (socket == _client ? !passOnToDatabase() : !passOnToClient())
                return false;
        return true;
    }

    bool passOnToClient() {
        const auto bytes = receive(_database);
        if (bytes.empty())
            return false;
        _conversation.fromServer(bytes);
        sendAll(_client, bytes);
        return true;
    }

    bool passOnToDatabase() {
        const auto bytes = receive(_client);
        if (bytes.empty())
            return false;
        _conversation.fromClient(bytes);
        while (const auto packet = _conversation.nextPacket()) {
            if (const auto fault = _proxy.faultFor(packet->sql)) {
                strike(*fault, packet->bytes);
                return false;
            }
            sendAll(_database, packet->bytes);
        }
        return true;
    }

    void strike(Fault fault, const std::string& command) {
        if (fault == Fault::BeforeCommand)
            return;
        if (fault == Fault::Late) {
            _client.close();
            std::this_thread::sleep_for(LATENESS);
        }
        sendAll(_database, command);
        if (fault == Fault::AtOnce)
            _client.close();
        await(_database);
        if (fault == Fault::Silence)
            await(_client);
    }

    /// Until the socket has something to say, if only its end.
    void await(const StreamSocket& socket) const {
        for (int i = 0; i < LOOKS && !_proxy._stopping; ++i)
            if (socket.poll(LOOK_INTERVAL, Poco::Net::Socket::SELECT_READ))
                return;
    }

    MysqlProxy& _proxy;
    StreamSocket _client;
    StreamSocket _database;
    MysqlConversation _conversation;
    std::atomic<bool> _ended{false};
    std::thread _thread;
};

MysqlProxy::MysqlProxy(unsigned databasePort)
    : _databasePort(databasePort),
      _listener(Poco::Net::SocketAddress("127.0.0.1", 0)),
      _port(_listener.address().port()),
      _acceptor([this] { accept(); }) {}

MysqlProxy::~MysqlProxy() {
    _stopping = true;
    _acceptor.join();
    _connections.clear();
}

void MysqlProxy::accept() {
    while (!_stopping) {
        if (!_listener.poll(LOOK_INTERVAL, Poco::Net::Socket::SELECT_READ))
            continue;
        try {
            auto client = _listener.acceptConnection();
            _connections.remove_if([](const auto& connection) { return connection->ended(); });
            if (_refusing)
                client.close();
            else
                _connections.push_back(std::make_unique<Connection>(*this, client));
        } catch (const Poco::Exception&) {
            // It went before it was accepted.
        }
    }
}

void MysqlProxy::arm(std::string sql, Fault fault, int times) {
    const std::lock_guard lock(_mutex);
    _rules.push_back({std::move(sql), fault, times});
}

void MysqlProxy::disarm() {
    const std::lock_guard lock(_mutex);
    _rules.clear();
}

std::optional<Fault> MysqlProxy::faultFor(const std::string& sql) {
    if (sql.empty())
        return std::nullopt;
    const std::lock_guard lock(_mutex);
    for (auto rule = _rules.begin(); rule != _rules.end(); ++rule) {
        if (!fits(rule->sql, sql))
            continue;
        const Fault fault = rule->fault;
        if (--rule->times == 0)
            _rules.erase(rule);
        if (_refusingNext.exchange(false))
            _refusing = true;
        ++_strikes;
        return fault;
    }
    return std::nullopt;
}

} // namespace supplierd::tests

#include "FakeNameServer.h"

#include <Poco/Net/IPAddress.h>
#include <Poco/Net/SocketAddress.h>

#include <array>

namespace supplierd::tests {

using Poco::Net::IPAddress;
using Poco::Net::SocketAddress;

namespace {

constexpr std::size_t HEADER = 12;
constexpr unsigned TYPE_A = 1;
constexpr unsigned TYPE_CNAME = 5;
constexpr unsigned TYPE_AAAA = 28;

std::string twoBytes(std::size_t value) {
    return {static_cast<char>(value >> 8 & 255), static_cast<char>(value & 255)};
}

std::string labels(const std::string& name) {
    std::string result;
    for (std::size_t begin = 0; begin < name.size();) {
        const std::size_t end = std::min(name.find('.', begin), name.size());
        result += static_cast<char>(end - begin);
        result += name.substr(begin, end - begin);
        begin = end + 1;
    }
    return result + '\0';
}

std::string nameIn(const std::string& query) {
    std::string name;
    for (std::size_t at = HEADER; query.at(at) != 0;) {
        const auto length = static_cast<std::size_t>(query[at]);
        name += (name.empty() ? "" : ".") + query.substr(at + 1, length);
        at += length + 1;
    }
    return name;
}

std::string record(const std::string& owner, unsigned type, const std::string& data) {
    return owner + twoBytes(type) + twoBytes(1) + std::string(4, '\0') + twoBytes(data.size()) + data;
}

std::string packet(const std::string& id, const std::string& question, const FakeNameServer::Reply& reply,
                   unsigned type) {
    std::string owner = "\xc0\x0c";
    std::string records;
    std::size_t count = 0;
    if (!reply.alias.empty()) {
        records += record(owner, TYPE_CNAME, labels(reply.alias));
        owner = labels(reply.alias);
        ++count;
    }
    for (const auto& text : reply.addresses) {
        const IPAddress address = IPAddress::parse(text);
        if ((address.family() == IPAddress::IPv4 ? TYPE_A : TYPE_AAAA) != type)
            continue;
        records += record(owner, type, {static_cast<const char*>(address.addr()), address.length()});
        ++count;
    }
    return id + twoBytes(0x8180 | reply.rcode) + twoBytes(1) + twoBytes(count) + std::string(4, '\0') + question +
           records;
}

} // namespace

FakeNameServer::FakeNameServer(Script script)
    : _script(std::move(script)), _socket(SocketAddress("127.0.0.1", 0)), _thread([this] { serve(); }) {}

FakeNameServer::~FakeNameServer() {
    Poco::Net::DatagramSocket().sendTo("", 0, _socket.address()); // an empty packet ends it
    _thread.join();
}

std::vector<std::string> FakeNameServer::questions() const {
    const std::lock_guard lock(_mutex);
    return _questions;
}

void FakeNameServer::serve() {
    std::array<char, 2048> buffer{};
    for (;;) {
        SocketAddress client;
        const int size = _socket.receiveFrom(buffer.data(), static_cast<int>(buffer.size()), client);
        if (size <= 0)
            return;
        answer({buffer.data(), static_cast<std::size_t>(size)}, client);
    }
}

void FakeNameServer::answer(const std::string& query, const SocketAddress& client) {
    const std::string name = nameIn(query);
    const std::string question = query.substr(HEADER, name.size() + 6);
    const unsigned type = static_cast<unsigned char>(question[name.size() + 3]);
    {
        const std::lock_guard lock(_mutex);
        _questions.push_back((type == TYPE_A ? "A " : "AAAA ") + name);
    }
    const auto reply = _script(name);
    if (!reply)
        return;
    const auto send = [&](const std::string& bytes) {
        _socket.sendTo(bytes.data(), static_cast<int>(bytes.size()), client);
    };
    if (reply->isForgedFirst) {
        const std::string otherId{static_cast<char>(query[0] ^ 1), query[1]};
        send(packet(otherId, question, {0, {"127.0.0.1", "::1"}}, type));
    }
    send(packet(query.substr(0, 2), question, *reply, type));
}

} // namespace supplierd::tests

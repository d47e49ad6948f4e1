#include "host/outbound/DnsResolver.h"

#include "tests/host/outbound/OutboundFixtures.h"
#include "tests/support/Test.h"
#include "tests/support/Thrown.h"

#include <Poco/Net/DatagramSocket.h>
#include <Poco/Net/IPAddress.h>
#include <Poco/Net/SocketAddress.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

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

/// What a name server is to say.
struct Reply {
    unsigned rcode = 0;
    std::vector<std::string> addresses = {}; ///< those of the asked type are sent
    std::string alias = {};                  ///< a CNAME before them, whose addresses they are
    bool isForgedFirst = false;              ///< before it, the same with another id and the address 127.0.0.1
};

std::string packet(const std::string& id, const std::string& question, const Reply& reply, unsigned type) {
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

/// A DNS server on 127.0.0.1, over UDP, that answers as its script says.
class FakeNameServer {
public:
    /// No reply: silence.
    using Script = std::function<std::optional<Reply>(const std::string& name)>;

    explicit FakeNameServer(Script script)
        : _script(std::move(script)), _socket(SocketAddress("127.0.0.1", 0), false), _thread([this] { serve(); }) {}
    ~FakeNameServer() {
        Poco::Net::DatagramSocket().sendTo("", 0, _socket.address()); // an empty packet ends it
        _thread.join();
    }
    FakeNameServer(const FakeNameServer&) = delete;
    FakeNameServer& operator=(const FakeNameServer&) = delete;

    /// "127.0.0.1:5353", as DnsResolver takes it.
    std::string address() const { return _socket.address().toString(); }
    /// "A name" and "AAAA name", in the order they came.
    std::vector<std::string> questions() const {
        const std::lock_guard lock(_mutex);
        return _questions;
    }

private:
    void serve() {
        std::array<char, 2048> buffer{};
        for (;;) {
            SocketAddress client;
            const int size = _socket.receiveFrom(buffer.data(), static_cast<int>(buffer.size()), client);
            if (size <= 0)
                return;
            answer({buffer.data(), static_cast<std::size_t>(size)}, client);
        }
    }

    void answer(const std::string& query, const Poco::Net::SocketAddress& client) {
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

    const Script _script;
    Poco::Net::DatagramSocket _socket;
    mutable std::mutex _mutex;
    std::vector<std::string> _questions;
    std::thread _thread;
};

} // namespace

using host::DnsResolver;
using host::TimeLimit;

class DnsResolverTest : public CppUnit::TestFixture {
protected:
    using Texts = std::set<std::string>;

    static Texts resolve(const FakeNameServer& server, const std::string& name) {
        Texts texts;
        for (const auto& address : DnsResolver(server.address()).resolve(name, longLimit()))
            texts.insert(address.toString());
        return texts;
    }

    static HttpErrorCode codeOf(const FakeNameServer& server, const TimeLimit& limit) {
        return thrownBy<HttpError>([&] { DnsResolver(server.address()).resolve("images.example.com", limit); }).code();
        return HttpErrorCode::Damaged;
    }

    static HttpErrorCode codeFor(const Reply& reply) {
        const FakeNameServer server([&](const std::string&) { return reply; });
        return codeOf(server, longLimit());
    }
};

TEST(DnsResolverTest, addressesOfBothFamiliesAreFound) {
    const FakeNameServer server([](const std::string&) {
        return Reply{0, {"1.1.1.1", "1.0.0.1", "2606:4700:4700::1111"}};
    });
    CPPUNIT_ASSERT(resolve(server, "images.example.com") == (Texts{"1.1.1.1", "1.0.0.1", "2606:4700:4700::1111"}));
    const FakeNameServer only4([](const std::string&) { return Reply{0, {"1.1.1.1"}}; });
    CPPUNIT_ASSERT(resolve(only4, "images.example.com") == Texts{"1.1.1.1"});
    const FakeNameServer only6([](const std::string&) { return Reply{0, {"2606:4700:4700::1111"}}; });
    CPPUNIT_ASSERT(resolve(only6, "images.example.com") == Texts{"2606:4700:4700::1111"});
}

TEST(DnsResolverTest, aliasesAreFollowed) {
    const FakeNameServer server([](const std::string&) { return Reply{0, {"10.0.0.1"}, "inner.example.net"}; });
    CPPUNIT_ASSERT(resolve(server, "images.example.com") == Texts{"10.0.0.1"});
}

TEST(DnsResolverTest, namesAreAskedAsTheyAre) {
    const FakeNameServer server([](const std::string&) { return Reply{3, {}}; });
    for (const std::string name : {"images.example.com", "printer"})
        CPPUNIT_ASSERT_THROW(DnsResolver(server.address()).resolve(name, longLimit()), HttpError);
    for (const auto& question : server.questions())
        CPPUNIT_ASSERT_MESSAGE(question, question.ends_with(" images.example.com") || question.ends_with(" printer"));
    CPPUNIT_ASSERT(std::ranges::count(server.questions(), "A images.example.com") == 1);
}

TEST(DnsResolverTest, unknownNameIsADnsError) {
    CPPUNIT_ASSERT(codeFor({3, {}}) == HttpErrorCode::Dns);
}

TEST(DnsResolverTest, nameWithoutAddressesIsADnsError) {
    CPPUNIT_ASSERT(codeFor({0, {}}) == HttpErrorCode::Dns);
}

TEST(DnsResolverTest, failingServerIsADnsError) {
    CPPUNIT_ASSERT(codeFor({2, {}}) == HttpErrorCode::Dns);
}

TEST(DnsResolverTest, answerWithAnotherIdIsIgnored) {
    const FakeNameServer server([](const std::string&) { return Reply{0, {"1.1.1.1"}, {}, true}; });
    CPPUNIT_ASSERT(resolve(server, "images.example.com") == Texts{"1.1.1.1"});
}

TEST(DnsResolverTest, silentServerEndsAtTheLimit) {
    const FakeNameServer server([](const std::string&) { return std::nullopt; });
    const TimeLimit limit(TimeLimit::Clock::now() + std::chrono::milliseconds(200));
    CPPUNIT_ASSERT(codeOf(server, limit) == HttpErrorCode::Timeout);
    CPPUNIT_ASSERT(codeOf(server, longLimit()) == HttpErrorCode::Dns);
}

TEST(DnsResolverTest, stopEndsALookup) {
    StopSignal stop;
    const FakeNameServer server([&](const std::string&) {
        stop.raise();
        return std::nullopt;
    });
    CPPUNIT_ASSERT(codeOf(server, longLimit(&stop)) == HttpErrorCode::Stopped);
}

} // namespace supplierd::tests

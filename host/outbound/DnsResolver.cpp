#include "host/outbound/DnsResolver.h"

#include <supplierd/services/HttpClient.h>

#include <Poco/Exception.h>

#include <ares.h>
#include <netinet/in.h>

#include <memory>

namespace supplierd::host {

using Poco::Net::IPAddress;
using std::chrono::milliseconds;

namespace {

// The second try waits twice as long as the first: a silent name server costs 4.5 s.
constexpr milliseconds FIRST_TRY{1500};
constexpr int TRIES = 2;
constexpr std::size_t MAX_ADDRESSES = 64;

HttpError unknownHost() {
    return {HttpErrorCode::Dns, "the host of the URL is not known"};
}

HttpError noAnswer() {
    return {HttpErrorCode::Dns, "the host of the URL could not be looked up"};
}

struct Answer {
    bool isDone = false;
    int status = ARES_SUCCESS;
    std::vector<IPAddress> addresses;
};

void collect(const ares_addrinfo& found, std::vector<IPAddress>& addresses) {
    for (const auto* node = found.nodes; node != nullptr && addresses.size() < MAX_ADDRESSES; node = node->ai_next) {
        if (node->ai_family == AF_INET)
            addresses.emplace_back(&reinterpret_cast<const sockaddr_in*>(node->ai_addr)->sin_addr, 4);
        else if (node->ai_family == AF_INET6)
            addresses.emplace_back(&reinterpret_cast<const sockaddr_in6*>(node->ai_addr)->sin6_addr, 16);
    }
}

void onAnswer(void* context, int status, int, ares_addrinfo* found) {
    const std::unique_ptr<ares_addrinfo, decltype(&::ares_freeaddrinfo)> owned(found, &::ares_freeaddrinfo);
    auto& answer = *static_cast<Answer*>(context);
    answer.isDone = true;
    answer.status = status;
    if (status == ARES_SUCCESS && owned)
        collect(*owned, answer.addresses);
}

using Sockets = std::vector<pollfd>;

/// Keeps what the channel waits for.
void onSocket(void* context, ares_socket_t socket, int isReading, int isWriting) {
    auto& sockets = *static_cast<Sockets*>(context);
    std::erase_if(sockets, [&](const pollfd& known) { return known.fd == socket; });
    const int events = (isReading != 0 ? POLLIN : 0) | (isWriting != 0 ? POLLOUT : 0);
    if (events != 0)
        sockets.push_back({socket, static_cast<short>(events), 0});
}

struct DestroyChannel {
    void operator()(ares_channeldata* channel) const { ::ares_destroy(channel); }
};
using Channel = std::unique_ptr<ares_channeldata, DestroyChannel>;

/// A channel of its own per name: it reads /etc/resolv.conf as it is now, and has its own random ports and ids.
/// `sockets` has to outlive it.
Channel openChannel(const std::string& servers, Sockets& sockets) {
    ares_options options{};
    options.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES;
    options.timeout = static_cast<int>(FIRST_TRY.count());
    options.tries = TRIES;
    options.sock_state_cb = &onSocket;
    options.sock_state_cb_data = &sockets;
    constexpr int GIVEN = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB;
    ares_channel raw = nullptr;
    if (::ares_init_options(&raw, &options, GIVEN) != ARES_SUCCESS)
        throw noAnswer();
    Channel channel(raw);
    if (!servers.empty() && ::ares_set_servers_ports_csv(raw, servers.c_str()) != ARES_SUCCESS)
        throw Poco::InvalidArgumentException("not a list of name servers: " + servers);
    return channel;
}

milliseconds untilNextTry(ares_channel channel) {
    timeval wait{};
    timeval most{60, 0};
    const timeval* next = ::ares_timeout(channel, &most, &wait);
    return milliseconds(next->tv_sec * 1000 + next->tv_usec / 1000 + 1);
}

/// With its own copy of `sockets`, which change meanwhile.
void step(ares_channel channel, Sockets sockets, const TimeLimit& limit) {
    limit.wait(sockets, untilNextTry(channel));
    bool isIdle = true;
    for (const auto& ready : sockets) {
        if (ready.revents == 0)
            continue;
        isIdle = false;
        const bool isReadable = (ready.revents & ~POLLOUT) != 0;
        const bool isWritable = (ready.revents & POLLOUT) != 0;
        ::ares_process_fd(channel, isReadable ? ready.fd : ARES_SOCKET_BAD, isWritable ? ready.fd : ARES_SOCKET_BAD);
    }
    if (isIdle)
        ::ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}

} // namespace

DnsResolver::DnsResolver(std::string servers) : _servers(std::move(servers)) {
    if (::ares_library_init(ARES_LIB_INIT_ALL) != ARES_SUCCESS)
        throw Poco::RuntimeException("cannot initialise c-ares");
}

DnsResolver::~DnsResolver() {
    ::ares_library_cleanup();
}

std::vector<IPAddress> DnsResolver::resolve(const std::string& name, const TimeLimit& limit) const {
    limit.check();
    Answer answer; // outlives the channel, whose end calls onAnswer()
    Sockets sockets;
    const Channel channel = openChannel(_servers, sockets);
    ares_addrinfo_hints hints{};
    hints.ai_flags = ARES_AI_NOSORT; // sorting would connect sockets to addresses that nobody has checked
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    ::ares_getaddrinfo(channel.get(), name.c_str(), nullptr, &hints, &onAnswer, &answer);
    while (!answer.isDone)
        step(channel.get(), sockets, limit);
    if (answer.status == ARES_ENOTFOUND || answer.status == ARES_ENODATA || answer.status == ARES_ENONAME)
        throw unknownHost();
    if (answer.status != ARES_SUCCESS)
        throw noAnswer();
    if (answer.addresses.empty())
        throw unknownHost();
    return std::move(answer.addresses);
}

} // namespace supplierd::host

// supplierd-bench-overload HOST PORT CONNECTIONS RATE SECONDS: sends the request that is on its standard input over so
// many kept connections, and prints what became of all of them. RATE 0 is a closed loop: each connection sends its next
// request when it has the last answer. Otherwise an open one: so many requests a second begin whether the server keeps
// up or not, each on the connection that has been idle for longest. One that got a 503 rests for the second that
// Retry-After asks for. Those requests for which no connection is free are not sent, and counted.
//
// RESULT <per second: 200s, sent> <200s> <503s> <others> <broken> <unanswered> <withheld> <200: p50, p99 µs> <503: p50,
// p99, most µs>. A 503 that has no Retry-After is one of the others; broken: closed or reset without a whole answer.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

/// What every 503 of the gate says.
constexpr auto RETRY_AFTER = std::chrono::seconds(1);

struct Connection {
    int descriptor = -1;
    bool isBusy = false;
    std::size_t sent = 0; ///< of the request
    Clock::time_point since;
    std::string received;
};

struct Counts {
    std::size_t sent = 0, good = 0, goodInTime = 0, shed = 0, others = 0, broken = 0, withheld = 0;
    std::vector<std::int64_t> goodMicroseconds, shedMicroseconds;
    std::string sample; ///< of what is neither a 200 nor a whole 503
};

std::int64_t quantile(std::vector<std::int64_t>& values, double part) {
    if (values.empty())
        return 0;
    const auto place = static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + place, values.end());
    return values[static_cast<std::size_t>(place)];
}

/// The length of the answer that the bytes begin with; 0 while it is not whole.
std::size_t answerLength(std::string_view bytes) {
    const auto end = bytes.find("\r\n\r\n");
    if (end == std::string_view::npos)
        return 0;
    constexpr std::string_view NAME = "\r\nContent-Length: ";
    const auto at = bytes.substr(0, end).find(NAME);
    const auto size = at == std::string_view::npos ? 0 : std::strtoul(bytes.data() + at + NAME.size(), nullptr, 10);
    const auto length = end + 4 + size;
    return bytes.size() >= length ? length : 0;
}

class Load {
public:
    Load(const sockaddr_in& server, std::string request, std::size_t connections)
        : _server(server), _request(std::move(request)), _connections(connections), _epoll(::epoll_create1(0)) {
        for (auto& connection : _connections) {
            open(connection);
            _idle.push_back(&connection);
        }
    }

    void run(double rate, Clock::duration time) {
        const auto begin = Clock::now();
        _end = begin + time;
        _isClosedLoop = rate == 0;
        if (_isClosedLoop)
            for (; !_idle.empty(); _idle.pop_front())
                send(*_idle.front());
        double due = 0;
        for (auto now = begin; now < _end; now = Clock::now()) {
            for (; !_resting.empty() && now - _resting.front()->since >= RETRY_AFTER; _resting.pop_front())
                _idle.push_back(_resting.front());
            const double seconds = std::chrono::duration<double>(now - begin).count();
            for (; due < seconds * rate; ++due)
                offer();
            wait(1);
        }
        for (const auto last = Clock::now() + std::chrono::seconds(10); unanswered() > 0 && Clock::now() < last;)
            wait(10);
    }

    std::size_t unanswered() const {
        return static_cast<std::size_t>(std::count_if(_connections.begin(), _connections.end(),
                                                      [](const auto& connection) { return connection.isBusy; }));
    }
    Counts counts;

private:
    void open(Connection& connection) {
        connection.descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const int on = 1;
        ::setsockopt(connection.descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        if (::connect(connection.descriptor, reinterpret_cast<const sockaddr*>(&_server), sizeof(_server)) != 0) {
            ::close(connection.descriptor);
            connection.descriptor = -1;
            return;
        }
        epoll_event wanted{EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, {.ptr = &connection}};
        ::epoll_ctl(_epoll, EPOLL_CTL_ADD, connection.descriptor, &wanted);
    }

    void offer() {
        if (_idle.empty()) {
            ++counts.withheld;
            return;
        }
        auto& connection = *_idle.front();
        _idle.pop_front();
        send(connection);
    }

    void send(Connection& connection) {
        ++counts.sent;
        if (connection.descriptor < 0)
            open(connection);
        connection.isBusy = true;
        connection.sent = 0;
        connection.received.clear();
        connection.since = Clock::now();
        if (!goOn(connection))
            end(connection);
    }

    /// False when the connection is of no use any more.
    bool goOn(Connection& connection) const {
        while (connection.sent < _request.size()) {
            const auto sent = ::send(connection.descriptor, _request.data() + connection.sent,
                                     _request.size() - connection.sent, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (sent < 0)
                return errno == EAGAIN || errno == EWOULDBLOCK;
            connection.sent += static_cast<std::size_t>(sent);
        }
        return true;
    }

    void wait(int milliseconds) {
        std::array<epoll_event, 512> events{};
        const int count = ::epoll_wait(_epoll, events.data(), static_cast<int>(events.size()), milliseconds);
        for (const auto* event = events.data(); event < events.data() + std::max(count, 0); ++event) {
            auto& connection = *static_cast<Connection*>(event->data.ptr);
            if (connection.descriptor >= 0 && (!receive(connection) || (connection.isBusy && !goOn(connection))))
                end(connection);
        }
    }

    /// False when the server has closed it.
    bool receive(Connection& connection) {
        while (true) {
            const auto got = ::recv(connection.descriptor, _buffer.data(), _buffer.size(), MSG_DONTWAIT);
            if (got < 0)
                return errno == EAGAIN || errno == EWOULDBLOCK;
            if (got == 0)
                return false;
            connection.received.append(_buffer.data(), static_cast<std::size_t>(got));
            if (answerLength(connection.received) > 0) {
                note(connection);
                if (static_cast<std::size_t>(got) < _buffer.size())
                    return true; // an event tells of what comes now
            }
        }
    }

    void note(Connection& connection) {
        const auto now = Clock::now();
        const auto took = std::chrono::duration_cast<std::chrono::microseconds>(now - connection.since).count();
        const std::string_view answer = connection.received;
        if (!connection.isBusy) {
            ++counts.others; // nobody has asked
        } else if (answer.starts_with("HTTP/1.1 200 ")) {
            ++counts.good;
            counts.goodInTime += now <= _end ? 1 : 0;
            counts.goodMicroseconds.push_back(took);
        } else if (answer.starts_with("HTTP/1.1 503 ") && answer.find("\r\nRetry-After: ") != std::string_view::npos) {
            ++counts.shed;
            counts.shedMicroseconds.push_back(took);
        } else {
            ++counts.others;
            counts.sample = answer.substr(0, answer.find('\r'));
        }
        const bool rests = answer.starts_with("HTTP/1.1 503 ");
        connection.isBusy = false;
        connection.received.clear();
        connection.since = now;
        if (rests)
            _resting.push_back(&connection);
        else if (_isClosedLoop && now < _end)
            send(connection);
        else
            _idle.push_back(&connection);
    }

    void end(Connection& connection) {
        ::close(connection.descriptor);
        connection.descriptor = -1;
        if (!connection.isBusy)
            return; // it was idle for long: it is opened again when it is needed
        ++counts.broken;
        connection.isBusy = false;
        _idle.push_back(&connection);
    }

    const sockaddr_in _server;
    const std::string _request;
    std::vector<Connection> _connections;
    const int _epoll;
    std::deque<Connection*> _idle; ///< the one that has been for longest first
    std::deque<Connection*> _resting;
    std::array<char, 65'536> _buffer{};
    Clock::time_point _end;
    bool _isClosedLoop = false;
};

} // namespace

int main(int argc, char** argv) {
    if (argc != 6) {
        std::cerr << "usage: supplierd-bench-overload HOST PORT CONNECTIONS RATE SECONDS <REQUEST\n";
        return 2;
    }
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
    sockaddr_in server{};
    server.sin_family = AF_INET;
    server.sin_port = htons(static_cast<std::uint16_t>(std::stoi(argv[2])));
    ::inet_pton(AF_INET, argv[1], &server.sin_addr);
    const std::string request{std::istreambuf_iterator<char>(std::cin), {}};
    const double rate = std::stod(argv[4]);
    const double seconds = std::stod(argv[5]);

    Load load(server, request, std::stoul(argv[3]));
    load.run(rate, std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)));
    auto& counts = load.counts;
    const auto each = [seconds](std::size_t count) {
        return static_cast<std::int64_t>(static_cast<double>(count) / seconds);
    };
    std::cout << "RESULT " << each(counts.goodInTime) << ' ' << each(counts.sent) << ' ' << counts.good << ' '
              << counts.shed << ' ' << counts.others << ' ' << counts.broken << ' ' << load.unanswered() << ' '
              << counts.withheld << ' ' << quantile(counts.goodMicroseconds, 0.5) << ' '
              << quantile(counts.goodMicroseconds, 0.99) << ' ' << quantile(counts.shedMicroseconds, 0.5) << ' '
              << quantile(counts.shedMicroseconds, 0.99) << ' ' << quantile(counts.shedMicroseconds, 1) << ' '
              << counts.sample << std::endl;
    return 0;
}

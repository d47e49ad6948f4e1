// supplierd-bench-slow HOST PORT HEADS BODIES READERS IDLE PICTURE: a hostile client. Keeps so many connections on
// which a request's head, or its body, comes byte by byte, a byte a second, so many that take a picture at 1 KiB a
// second, and so many that do nothing once they have had an answer; each that is closed is opened again. They come from
// several loopback addresses, each of which has ports of its own. The API key comes by the environment: BENCH_KEY.
// Prints a line once all have been opened, and another at the end of its standard input, which ends it.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

/// Each connection has its turn once in so many ticks, which is a second.
constexpr std::size_t TURNS = 100;
constexpr auto TICK = std::chrono::milliseconds(10);
constexpr std::size_t READ_AT_ONCE = 1'024;

/// What a Connection sends instead of a byte again and again: nothing, and reads slowly, or as much as there is.
constexpr char READS_SLOWLY = 0;
constexpr char IDLES = 1;

struct Connection {
    std::string_view begin; ///< of the request, sent at once
    char further = READS_SLOWLY;
    int descriptor = -1;
    bool isBegun = false;
    bool wasBegun = false; ///< ever
};

struct Counts {
    std::size_t opened = 0;
    std::size_t closed = 0; ///< by the server
    std::size_t failed = 0; ///< could not be opened
};

int openTo(const sockaddr_in& server, bool isReader) {
    constexpr unsigned ADDRESSES = 8;
    static unsigned opened = 0;
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return -1;
    if (constexpr int small = 4'096; isReader)
        ::setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK + opened++ % ADDRESSES);
    constexpr int on = 1;
    ::setsockopt(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
    if (::bind(descriptor, reinterpret_cast<const sockaddr*>(&own), sizeof(own)) != 0) {
        ::close(descriptor);
        return -1;
    }
    if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&server), sizeof(server)) == 0 || errno == EINPROGRESS)
        return descriptor;
    ::close(descriptor);
    return -1;
}

bool wouldBlock(ssize_t result) {
    return result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOTCONN);
}

/// False when the server has closed it, or the connection broke.
bool takeTurn(Connection& connection) {
    if (!connection.isBegun) {
        const auto sent = ::send(connection.descriptor, connection.begin.data(), connection.begin.size(), MSG_NOSIGNAL);
        connection.isBegun = sent > 0; // all of it: the buffer is empty
        connection.wasBegun = connection.wasBegun || connection.isBegun;
        return sent > 0 || wouldBlock(sent);
    }
    std::array<char, READ_AT_ONCE> buffer{};
    const auto got = ::recv(connection.descriptor, buffer.data(), buffer.size(), 0);
    if (got == 0 || (got < 0 && !wouldBlock(got)))
        return false;
    if (connection.further == READS_SLOWLY || connection.further == IDLES)
        return true;
    if (got > 0)
        return false; // it was refused
    const auto sent = ::send(connection.descriptor, &connection.further, 1, MSG_NOSIGNAL);
    return sent > 0 || wouldBlock(sent);
}

void takeTurn(Connection& connection, const sockaddr_in& server, Counts& counts) {
    if (connection.descriptor >= 0 && !takeTurn(connection)) {
        ::close(connection.descriptor);
        connection.descriptor = -1;
        ++counts.closed;
    }
    if (connection.descriptor >= 0)
        return;
    connection.descriptor = openTo(server, connection.further == READS_SLOWLY);
    connection.isBegun = false;
    ++(connection.descriptor < 0 ? counts.failed : counts.opened);
}

bool inputHasEnded() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    char ignored = 0;
    return ::poll(&input, 1, 0) > 0 && ::read(STDIN_FILENO, &ignored, 1) <= 0;
}

std::size_t openOf(const std::vector<Connection>& connections) {
    std::size_t open = 0;
    for (const auto& connection : connections)
        open += connection.isBegun ? 1 : 0;
    return open;
}

} // namespace

int main(int argc, char** argv) {
    const auto* const key = std::getenv("BENCH_KEY");
    if (argc != 8 || !key) {
        std::cerr << "usage: BENCH_KEY=… supplierd-bench-slow HOST PORT HEADS BODIES READERS IDLE PICTURE\n";
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

    const std::string head = "GET /api/v1/supplier/products HTTP/1.1\r\nHost: slow\r\nX-Slow: ";
    const std::string body = "POST /api/v1/supplier/products HTTP/1.1\r\nHost: slow\r\nAuthorization: Bearer " +
                             std::string(key) +
                             "\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{\"name\": \"";
    const std::string picture = "GET " + std::string(argv[7]) + " HTTP/1.1\r\nHost: slow\r\n\r\n";
    const std::string answered =
        "GET /api/v1/supplier/products?per_page=1 HTTP/1.1\r\nHost: idle\r\nAuthorization: Bearer " + std::string(key) +
        "\r\n\r\n";
    std::vector<Connection> connections;
    connections.insert(connections.end(), std::stoul(argv[3]), {head, 'a', -1, false, false});
    connections.insert(connections.end(), std::stoul(argv[4]), {body, 'b', -1, false, false});
    connections.insert(connections.end(), std::stoul(argv[5]), {picture, READS_SLOWLY, -1, false, false});
    connections.insert(connections.end(), std::stoul(argv[6]), {answered, IDLES, -1, false, false});

    Counts counts;
    bool isTold = false;
    auto next = std::chrono::steady_clock::now();
    for (std::size_t turn = 0; !inputHasEnded(); turn = (turn + 1) % TURNS) {
        for (std::size_t i = turn; i < connections.size(); i += TURNS)
            takeTurn(connections[i], server, counts);
        if (!isTold && turn == 0 &&
            std::all_of(connections.begin(), connections.end(), [](const auto& one) { return one.wasBegun; })) {
            isTold = true;
            std::cout << "open " << openOf(connections) << std::endl;
        }
        next = std::max(next + TICK, std::chrono::steady_clock::now());
        std::this_thread::sleep_until(next);
    }
    std::cout << "ended with " << openOf(connections) << " open; opened " << counts.opened << ", closed by the server "
              << counts.closed << ", could not be opened " << counts.failed << std::endl;
    return 0;
}

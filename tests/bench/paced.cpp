// supplierd-bench-paced PORT PATH RATE SECONDS CONNECTIONS: an honest client on the loopback. Sends so many requests a
// second over so many connections, each at its time whatever became of the one before: what a request waits because its
// connection is still busy counts. The API key comes by the environment: BENCH_KEY. Prints `RESULT <per second>
// <requests> <errors> <p50 µs> <p99 µs> <longest µs>`; anything but a 2xx is an error.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view HEAD_END = "\r\n\r\n";
constexpr std::string_view LENGTH = "\r\nContent-Length: ";
constexpr std::string_view SUCCESS = "HTTP/1.1 2";

class Connection {
public:
    explicit Connection(std::uint16_t port) : _descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in server{};
        server.sin_family = AF_INET;
        server.sin_port = htons(port);
        server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        constexpr int on = 1;
        ::setsockopt(_descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        if (::connect(_descriptor, reinterpret_cast<const sockaddr*>(&server), sizeof(server)) != 0)
            throw std::runtime_error("the server cannot be reached");
    }
    ~Connection() { ::close(_descriptor); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Whether the response, which was read to its end, is a success.
    bool ask(std::string_view request) {
        if (::send(_descriptor, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
            throw std::runtime_error("the connection broke");
        std::string response;
        std::size_t end = 0;
        do {
            const auto got = ::recv(_descriptor, _buffer.data(), _buffer.size(), 0);
            if (got <= 0)
                throw std::runtime_error("the server closed the connection");
            response.append(_buffer.data(), static_cast<std::size_t>(got));
            end = end == 0 ? endOf(response) : end;
        } while (end == 0 || response.size() < end);
        return response.starts_with(SUCCESS);
    }

private:
    /// 0 as long as the head is not all there.
    static std::size_t endOf(std::string_view response) {
        const auto head = response.find(HEAD_END);
        if (head == std::string_view::npos)
            return 0;
        const auto length = response.find(LENGTH);
        if (length == std::string_view::npos || length > head)
            throw std::runtime_error("the response does not say how long it is");
        std::size_t size = 0;
        const auto digits = response.substr(length + LENGTH.size());
        std::from_chars(digits.data(), digits.data() + digits.size(), size);
        return head + HEAD_END.size() + size;
    }

    int _descriptor;
    std::array<char, 65'536> _buffer{};
};

struct Results {
    std::vector<std::int64_t> microseconds;
    std::size_t errors = 0;
    std::string problem;
};

void drive(std::uint16_t port, const std::string& request, Clock::time_point first, Clock::time_point end,
           Clock::duration interval, Results& results) {
    ::prctl(PR_SET_TIMERSLACK, 1'000); // nanoseconds: what the client oversleeps would count as the server's
    try {
        Connection connection(port);
        for (auto due = first; due < end; due += interval) {
            std::this_thread::sleep_until(due);
            results.errors += connection.ask(request) ? 0 : 1;
            results.microseconds.push_back(
                std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - due).count());
        }
    } catch (const std::exception& error) {
        results.problem = error.what();
    }
}

std::int64_t numberOf(const char* text) {
    const std::int64_t number = std::strtoll(text, nullptr, 10);
    if (number <= 0)
        throw std::invalid_argument(std::string("'") + text + "' is no number from 1 on");
    return number;
}

int run(char** words) {
    const auto port = static_cast<std::uint16_t>(numberOf(words[1]));
    const char* const key = std::getenv("BENCH_KEY");
    const std::string request = std::string("GET ") + words[2] +
                                " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + (key == nullptr ? "" : key) +
                                std::string(HEAD_END);
    const std::int64_t rate = numberOf(words[3]);
    const std::chrono::seconds seconds(numberOf(words[4]));
    const std::int64_t connections = numberOf(words[5]);
    const Clock::duration between = Clock::duration(std::chrono::seconds(1)) / rate;
    std::vector<Results> results(static_cast<std::size_t>(connections));
    std::vector<std::thread> threads;
    const auto begin = Clock::now() + std::chrono::milliseconds(50);
    for (std::int64_t i = 0; i < connections; ++i)
        threads.emplace_back(drive, port, request, begin + between * i, begin + seconds, between * connections,
                             std::ref(results[static_cast<std::size_t>(i)]));
    for (auto& thread : threads)
        thread.join();
    std::vector<std::int64_t> all;
    std::size_t errors = 0;
    for (const Results& part : results) {
        if (!part.problem.empty())
            throw std::runtime_error(part.problem);
        all.insert(all.end(), part.microseconds.begin(), part.microseconds.end());
        errors += part.errors;
    }
    if (all.empty())
        throw std::runtime_error("no request was made");
    std::sort(all.begin(), all.end());
    std::cout << "RESULT " << static_cast<std::int64_t>(all.size()) / seconds.count() << ' ' << all.size() << ' '
              << errors << ' ' << all[all.size() / 2] << ' ' << all[all.size() * 99 / 100] << ' ' << all.back() << '\n';
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 6) {
        std::cerr << "usage: supplierd-bench-paced PORT PATH RATE SECONDS CONNECTIONS\n";
        return 2;
    }
    try {
        return run(argv);
    } catch (const std::exception& error) {
        std::cerr << "supplierd-bench-paced: " << error.what() << '\n';
        return 1;
    }
}

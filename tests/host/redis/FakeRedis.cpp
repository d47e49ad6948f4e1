#include "tests/host/redis/FakeRedis.h"

#include <Poco/Exception.h>
#include <Poco/Net/SocketAddress.h>
#include <Poco/Timespan.h>

#include <array>
#include <memory>
#include <utility>

namespace supplierd::tests {

FakeRedis::FakeRedis(Answer answer) : _answer(std::move(answer)), _listening(Poco::Net::SocketAddress("127.0.0.1", 0)) {
    _accepting = std::thread([this] {
        while (!_stopping) {
            if (!_listening.poll(Poco::Timespan(20'000), Poco::Net::Socket::SELECT_READ))
                continue;
            // The thread has the only reference: ThreadSanitizer does not see that Poco counts them.
            auto socket = std::make_unique<Poco::Net::StreamSocket>(_listening.acceptConnection());
            ++_connections;
            _threads.emplace_back([this, socket = std::move(socket)] { serve(*socket); });
        }
    });
}

FakeRedis::~FakeRedis() {
    _stopping = true;
    _accepting.join();
    for (auto& thread : _threads)
        thread.join();
}

host::RedisSettings FakeRedis::settings() const {
    host::RedisSettings settings;
    settings.host = "127.0.0.1";
    settings.port = _listening.address().port();
    return settings;
}

void FakeRedis::serve(Poco::Net::StreamSocket& socket) {
    try {
        std::array<char, 4096> buffer{};
        while (!_stopping) {
            if (!socket.poll(Poco::Timespan(20'000), Poco::Net::Socket::SELECT_READ))
                continue;
            const int size = socket.receiveBytes(buffer.data(), static_cast<int>(buffer.size()));
            if (size <= 0)
                return;
            const auto answer = _answer(std::string(buffer.data(), static_cast<std::size_t>(size)));
            const auto pause = _pause.load();
            if (pause.count() == 0 && !answer.empty())
                socket.sendBytes(answer.data(), static_cast<int>(answer.size()));
            for (std::size_t i = 0; pause.count() > 0 && i < answer.size() && !_stopping; ++i) {
                socket.sendBytes(answer.data() + i, 1);
                std::this_thread::sleep_for(pause);
            }
        }
    } catch (const Poco::Exception&) {
        return; // the client has left
    }
}

} // namespace supplierd::tests

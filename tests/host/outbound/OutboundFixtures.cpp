#include "tests/host/outbound/OutboundFixtures.h"

namespace supplierd::tests {

using Poco::Net::IPAddress;
using Poco::Net::SocketAddress;

void StubResolver::set(const std::string& name, std::deque<Addresses> answers) {
    const std::lock_guard lock(_mutex);
    _answers[name] = std::move(answers);
}

void StubResolver::setDefault(Addresses addresses) {
    const std::lock_guard lock(_mutex);
    _default = std::move(addresses);
}

std::vector<std::string> StubResolver::asked() const {
    const std::lock_guard lock(_mutex);
    return _asked;
}

std::vector<IPAddress> StubResolver::resolve(const std::string& name, const host::TimeLimit& limit) const {
    limit.check();
    const std::lock_guard lock(_mutex);
    _asked.push_back(name);
    Addresses texts = _default;
    if (const auto entry = _answers.find(name); entry != _answers.end()) {
        texts = entry->second.front();
        if (entry->second.size() > 1)
            entry->second.pop_front();
    }
    if (texts.empty())
        throw HttpError(HttpErrorCode::Dns, "the host of the URL is not known");
    std::vector<IPAddress> addresses;
    for (const auto& text : texts)
        addresses.push_back(IPAddress::parse(text));
    return addresses;
}

void Detour::block(const std::string& address) {
    const std::lock_guard lock(_mutex);
    _blocked = address;
}

std::vector<std::string> Detour::addresses() const {
    const std::lock_guard lock(_mutex);
    return _addresses;
}

SocketAddress Detour::destination(const SocketAddress& judged) const {
    const std::lock_guard lock(_mutex);
    _addresses.push_back(judged.toString());
    if (_port == 0 || judged.host().toString() == _blocked)
        throw HttpError(HttpErrorCode::Connect, "no way there");
    return SocketAddress("127.0.0.1", _port);
}

host::TimeLimit longLimit(const StopSignal* stop) {
    return host::TimeLimit(host::TimeLimit::Clock::now() + std::chrono::minutes(2), stop);
}

} // namespace supplierd::tests

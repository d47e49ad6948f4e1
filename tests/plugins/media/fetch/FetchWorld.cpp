#include "FetchWorld.h"

namespace supplierd::tests {

using media::FetchError;
using media::FetchErrorCode;
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

std::vector<IPAddress> StubResolver::resolve(const std::string& name, const media::TimeLimit& limit) const {
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
        throw FetchError(FetchErrorCode::Dns, "the host of the URL is not known");
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
        throw FetchError(FetchErrorCode::Connect, "no way there");
    return SocketAddress("127.0.0.1", _port);
}

std::shared_ptr<const media::ImageFetcher> FetchWorld::fetcher() const {
    return std::make_shared<media::ImageFetcher>(options, policy, resolver, detour);
}

media::FetchedImage FetchWorld::fetch(const std::string& url) const {
    return fetcher()->fetch(media::ImageUrl::parse(url), longLimit());
}

std::string FetchWorld::failure(const std::string& url) const {
    try {
        fetch(url);
        return "fetched";
    } catch (const FetchError& problem) {
        return std::string(media::codeName(problem.code())) + ": " + problem.what();
    }
}

std::string FetchWorld::code(const std::string& url) const {
    const std::string text = failure(url);
    return text.substr(0, text.find(':'));
}

media::TimeLimit longLimit(const media::StopSignal* stop) {
    return media::TimeLimit(media::TimeLimit::Clock::now() + std::chrono::minutes(2), stop);
}

std::string pictureOf(std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<char>(i * 2654435761u >> 13);
    return bytes;
}

} // namespace supplierd::tests

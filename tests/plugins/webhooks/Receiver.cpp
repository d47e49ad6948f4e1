#include "Receiver.h"

#include <cppunit/TestAssert.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace supplierd::tests {

namespace {

using namespace std::chrono_literals;

std::string fieldOf(const std::string& head, const std::string& name) {
    const auto begin = head.find("\r\n" + name + ": ");
    if (begin == std::string::npos)
        return {};
    const auto value = begin + name.size() + 4;
    return head.substr(value, head.find("\r\n", value) - value);
}

std::string decoded(const std::string& base64) {
    std::string bytes(base64.size(), '\0');
    const int size =
        ::EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                          reinterpret_cast<const unsigned char*>(base64.data()), static_cast<int>(base64.size()));
    const auto padding = static_cast<std::size_t>(std::ranges::count(base64, '='));
    bytes.resize(static_cast<std::size_t>(std::max(size, 0)) - padding);
    return bytes;
}

std::string encoded(const std::string& bytes) {
    std::string base64(4 * ((bytes.size() + 2) / 3) + 1, '\0');
    const int size =
        ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(base64.data()),
                          reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    base64.resize(static_cast<std::size_t>(size));
    return base64;
}

} // namespace

Receiver::Receiver() : _isSecure(false), _origin([this](OriginConnection& connection) { take(connection); }) {}

Receiver::Receiver(const LoopbackOrigin::Certificate& certificate)
    : _isSecure(true), _origin([this](OriginConnection& connection) { take(connection); }, certificate) {}

std::string Receiver::url(const std::string& path) const {
    return (_isSecure ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(_origin.port()) + path;
}

void Receiver::on(const std::string& path, Behaviour behaviour) {
    const std::lock_guard lock(_mutex);
    _behaviours[path] = std::move(behaviour);
}

std::vector<Received> Receiver::received(const std::string& path) const {
    const std::lock_guard lock(_mutex);
    std::vector<Received> result;
    std::ranges::copy_if(_received, std::back_inserter(result),
                         [&](const Received& delivery) { return delivery.path == path; });
    return result;
}

std::vector<Received> Receiver::waitFor(const std::string& path, std::size_t count) {
    waitUntil([&] { return received(path).size() >= count; });
    return received(path);
}

void Receiver::waitUntil(const std::function<bool()>& isEnough) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!isEnough()) {
        std::unique_lock lock(_mutex);
        _changed.wait_for(lock, 20ms);
        CPPUNIT_ASSERT_MESSAGE("deliveries that were waited for did not come", std::chrono::steady_clock::now() < end);
    }
}

void Receiver::take(OriginConnection& connection) {
    Received delivery;
    delivery.path = connection.target();
    delivery.id = fieldOf(connection.head(), "webhook-id");
    delivery.timestamp = fieldOf(connection.head(), "webhook-timestamp");
    delivery.signature = fieldOf(connection.head(), "webhook-signature");
    delivery.text = connection.read(std::stoul(fieldOf(connection.head(), "Content-Length")));
    Behaviour behaviour;
    {
        const std::lock_guard lock(_mutex);
        _received.push_back(delivery);
        behaviour = _behaviours[delivery.path];
    }
    _changed.notify_all();
    if (behaviour)
        behaviour(connection, delivery);
    else
        connection.answer("200 OK", "thanks");
}

bool isSignedWith(const std::string& secret, const Received& delivery) {
    const std::string key = decoded(secret.substr(secret.find('_') + 1));
    const std::string text = delivery.id + "." + delivery.timestamp + "." + delivery.text;
    std::array<unsigned char, 32> digest{};
    unsigned size = 0;
    ::HMAC(::EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
    const std::string expected = "v1," + encoded({reinterpret_cast<const char*>(digest.data()), size});
    std::istringstream signatures(delivery.signature);
    for (std::string signature; signatures >> signature;)
        if (signature == expected)
            return true;
    return false;
}

std::size_t signatureCount(const Received& delivery) {
    return static_cast<std::size_t>(std::ranges::count(delivery.signature, ' ')) + 1;
}

} // namespace supplierd::tests

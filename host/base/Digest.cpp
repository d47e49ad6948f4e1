#include "host/base/Digest.h"

#include <Poco/SHA2Engine.h>

#include <algorithm>

namespace supplierd::host {

std::string base64url(std::string_view bytes) {
    std::string out;
    unsigned bits = 0;
    int held = 0;
    for (const char byte : bytes) {
        bits = (bits << 8 | static_cast<unsigned char>(byte)) & 0xffffU;
        for (held += 8; held >= 6; held -= 6)
            out += BASE64URL[bits >> (held - 6) & 63U];
    }
    if (held > 0)
        out += BASE64URL[bits << (6 - held) & 63U];
    return out;
}

Sha256Digest sha256(std::string_view bytes) {
    Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
    engine.update(bytes.data(), bytes.size());
    const auto& digest = engine.digest();
    Sha256Digest result{};
    std::copy_n(digest.begin(), result.size(), result.begin());
    return result;
}

std::string_view asBytes(const Sha256Digest& digest) {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

bool equalInConstantTime(std::string_view a, std::string_view b) {
    if (a.size() != b.size())
        return false;
    unsigned char difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
    return difference == 0;
}

} // namespace supplierd::host

#include "host/auth/HostCrypto.h"

#include "host/base/Digest.h"
#include "host/base/Random.h"

#include <supplierd/Errors.h>

#include <argon2.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <thread>

namespace supplierd::host {

namespace {

// OWASP's second choice of the year 2023: as hard as its first, with less memory.
constexpr std::uint32_t PASSES = 2;
constexpr std::uint32_t KIBIBYTES = 19'456;
constexpr std::uint32_t LANES = 1;
constexpr std::size_t SALT_SIZE = 16;
constexpr std::size_t HASH_SIZE = 32;
constexpr std::size_t LONGEST_PASSWORD = 1'024;
constexpr int RETRY_SECONDS = 1;
constexpr int LOW_PRIORITY = 10;

/// What libargon2 returns. On a thread of low priority: requests go before passwords.
template <class Work>
int aside(const Work& work) {
    int result = 0;
    std::thread([&] {
        ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), LOW_PRIORITY);
        result = work();
    }).join();
    return result;
}

const unsigned char* bytesOf(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

} // namespace

/// One of a few. Nobody waits for one: whoever did would keep a worker from everybody else's requests. Those who have
/// one take turns, so that they leave half of the processors to others.
class HostCrypto::Place {
public:
    explicit Place(HostCrypto& crypto) : _taken(crypto._taken), _turns(crypto._turns) {
        if (_taken.fetch_add(1) >= crypto._places) {
            _taken.fetch_sub(1);
            throw ApiError::unavailable("Too many people sign in at this moment").withRetryAfter(RETRY_SECONDS);
        }
        _turns.wait();
    }
    ~Place() {
        _turns.set();
        _taken.fetch_sub(1);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

private:
    std::atomic<int>& _taken;
    Poco::Semaphore& _turns;
};

HostCrypto::HostCrypto()
    : HostCrypto(std::clamp(static_cast<int>(std::thread::hardware_concurrency()) / 2, 1, AT_ONCE)) {}

std::string HostCrypto::hashPassword(std::string_view password) {
    if (password.size() > LONGEST_PASSWORD)
        throw ApiError::validation({{"password", "too_long", "A password has at most 1024 bytes"}});
    const auto salt = randomBytes(SALT_SIZE);
    std::string encoded(argon2_encodedlen(PASSES, KIBIBYTES, LANES, SALT_SIZE, HASH_SIZE, Argon2_id), '\0');
    const Place place(*this);
    const int result = aside([&] {
        return argon2id_hash_encoded(PASSES, KIBIBYTES, LANES, password.data(), password.size(), salt.data(),
                                     salt.size(), HASH_SIZE, encoded.data(), encoded.size());
    });
    if (result != ARGON2_OK)
        throw std::runtime_error(std::string("a password could not be hashed: ") + argon2_error_message(result));
    encoded.resize(encoded.find('\0'));
    return encoded;
}

bool HostCrypto::verifyPassword(std::string_view password, std::string_view hash) {
    if (password.size() > LONGEST_PASSWORD)
        return false;
    const std::string encoded(hash);
    const Place place(*this);
    return aside([&] { return argon2id_verify(encoded.c_str(), password.data(), password.size()); }) == ARGON2_OK;
}

bool HostCrypto::needsRehash(std::string_view hash) {
    const std::string wanted = "$argon2id$v=19$m=" + std::to_string(KIBIBYTES) + ",t=" + std::to_string(PASSES) +
                               ",p=" + std::to_string(LANES) + "$";
    return !hash.starts_with(wanted);
}

std::string HostCrypto::randomBytes(std::size_t count) {
    std::string bytes(count, '\0');
    fillRandom(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size());
    return bytes;
}

std::string HostCrypto::randomToken(std::size_t bytes) {
    return base64url(randomBytes(bytes));
}

std::string HostCrypto::sha256(std::string_view bytes) {
    return std::string(asBytes(host::sha256(bytes)));
}

std::string HostCrypto::hmacSha256(std::string_view key, std::string_view message) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (!HMAC(EVP_sha256(), key.empty() ? "" : key.data(), static_cast<int>(key.size()), bytesOf(message),
              message.size(), digest.data(), &size))
        throw std::runtime_error("OpenSSL could not make an HMAC");
    return {reinterpret_cast<const char*>(digest.data()), size};
}

bool HostCrypto::equal(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

} // namespace supplierd::host

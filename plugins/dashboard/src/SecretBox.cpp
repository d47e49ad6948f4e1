#include "SecretBox.h"

#include <Poco/Crypto/Cipher.h>
#include <Poco/Crypto/CipherFactory.h>
#include <Poco/Crypto/CipherKey.h>
#include <Poco/Exception.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace supplierd::dashboard {

namespace {

constexpr const char* ALGORITHM = "aes-256-gcm";
constexpr const char* FILE_NAME = "secret";
/// Of what is sealed: this byte, the nonce, the text, the tag.
constexpr char VERSION = '\x01';
constexpr std::size_t NONCE_SIZE = 12;
constexpr std::size_t TAG_SIZE = 16;
constexpr std::size_t MASTER_SIZE = 32;

Poco::Crypto::CipherKey::ByteVec bytesOf(std::string_view text) {
    return {text.begin(), text.end()};
}

Poco::Crypto::Cipher::Ptr cipherOf(std::string_view key, std::string_view nonce) {
    return Poco::Crypto::CipherFactory::defaultFactory().createCipher(
        Poco::Crypto::CipherKey(ALGORITHM, bytesOf(key), bytesOf(nonce)));
}

/// All of the text; throws Poco::Exception when the tag does not fit.
std::string transformed(Poco::Crypto::CryptoTransform& transform, std::string_view text) {
    std::string result(text.size() + 2 * transform.blockSize(), '\0');
    auto* const out = reinterpret_cast<unsigned char*>(result.data());
    const auto room = static_cast<std::streamsize>(result.size());
    const auto size = transform.transform(reinterpret_cast<const unsigned char*>(text.data()),
                                          static_cast<std::streamsize>(text.size()), out, room);
    const auto rest = transform.finalize(out + size, room - size);
    result.resize(static_cast<std::size_t>(size + rest));
    return result;
}

std::runtime_error cannot(const char* what, const std::filesystem::path& file) {
    return std::runtime_error(std::string("cannot ") + what + " " + file.string() + ": " + std::strerror(errno));
}

} // namespace

std::string SecretBox::seal(std::string_view secret, std::int64_t userId) {
    const std::string nonce = _crypto.randomBytes(NONCE_SIZE);
    auto transform = cipherOf(keyOf(_crypto, master(true), userId), nonce)->createEncryptor();
    const std::string text = transformed(*transform, secret);
    return VERSION + nonce + text + transform->getTag(TAG_SIZE);
}

std::optional<std::string> SecretBox::open(std::string_view sealed, std::int64_t userId) {
    if (sealed.size() < 1 + NONCE_SIZE + TAG_SIZE || sealed.front() != VERSION)
        return std::nullopt;
    const std::string known = master(false);
    if (known.empty())
        return std::nullopt;
    const auto nonce = sealed.substr(1, NONCE_SIZE);
    const auto text = sealed.substr(1 + NONCE_SIZE, sealed.size() - 1 - NONCE_SIZE - TAG_SIZE);
    auto transform = cipherOf(keyOf(_crypto, known, userId), nonce)->createDecryptor();
    transform->setTag(std::string(sealed.substr(sealed.size() - TAG_SIZE)));
    try {
        return transformed(*transform, text);
    } catch (const Poco::Exception&) {
        return std::nullopt;
    }
}

void SecretBox::check() {
    if (!_file.empty())
        master(false);
}

std::filesystem::path SecretBox::file() {
    return _file.empty() ? std::filesystem::path(_folder.path()) / FILE_NAME : _file;
}

bool SecretBox::isOpenToAll() {
    std::error_code missing;
    const auto mode = std::filesystem::status(file(), missing).permissions();
    return !missing && (mode & std::filesystem::perms::others_read) != std::filesystem::perms::none;
}

std::string SecretBox::keyOf(Crypto& crypto, const std::string& master, std::int64_t userId) {
    return crypto.hmacSha256(master, "supplierd dashboard: second factor of user " + std::to_string(userId));
}

std::string SecretBox::master(bool makesFile) {
    const std::lock_guard lock(_mutex);
    if (!_master.empty())
        return _master;
    const auto path = file();
    if (_file.empty() && !std::filesystem::exists(path)) {
        if (!makesFile)
            return {};
        makeFile(path);
    }
    std::ifstream in(path, std::ios::binary);
    if (!in)
        throw cannot("read", path);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
        text.pop_back();
    if (text.size() < MASTER_SIZE)
        throw std::runtime_error(path.string() +
                                 " must hold at least 32 random bytes, as `openssl rand -hex 32` makes");
    _master = std::move(text);
    return _master;
}

/// Whole or not at all, and never over another one: a server that takes over may do the same at this moment.
void SecretBox::makeFile(const std::filesystem::path& file) {
    const std::string begun = file.string() + "." + _crypto.randomToken(9);
    const std::string text = Crypto::hex(_crypto.randomBytes(MASTER_SIZE)) + "\n";
    const int descriptor = ::open(begun.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0)
        throw cannot("make", begun);
    const bool isWritten =
        ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(descriptor) == 0;
    ::close(descriptor);
    const bool isThere = isWritten && (::link(begun.c_str(), file.c_str()) == 0 || errno == EEXIST);
    const int problem = errno;
    ::unlink(begun.c_str());
    errno = problem;
    if (!isThere)
        throw cannot("make", file);
}

} // namespace supplierd::dashboard

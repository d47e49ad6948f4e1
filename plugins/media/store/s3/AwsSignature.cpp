#include "AwsSignature.h"

#include <Poco/String.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <ctime>
#include <map>
#include <stdexcept>
#include <utility>

namespace supplierd::media {

namespace {

constexpr std::string_view ALGORITHM = "AWS4-HMAC-SHA256";

std::string hex(std::string_view bytes) {
    constexpr std::string_view HEX = "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text += HEX[byte >> 4U];
        text += HEX[byte & 15U];
    }
    return text;
}

std::string digest(std::string_view bytes, const EVP_MD* kind) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
    unsigned length = 0;
    if (::EVP_Digest(bytes.data(), bytes.size(), hash.data(), &length, kind, nullptr) != 1)
        throw std::runtime_error("OpenSSL does not hash");
    return {hash.begin(), hash.begin() + length};
}

std::string hmac(std::string_view key, std::string_view message) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
    unsigned length = 0;
    if (::HMAC(::EVP_sha256(), key.data(), static_cast<int>(key.size()),
               reinterpret_cast<const unsigned char*>(message.data()), message.size(), hash.data(), &length) == nullptr)
        throw std::runtime_error("OpenSSL does not sign");
    return {hash.begin(), hash.begin() + length};
}

std::string inUtc(std::chrono::system_clock::time_point time, const char* format) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

/// What is signed with it: a day, a region, and S3.
class SigningKey {
public:
    SigningKey(std::chrono::system_clock::time_point signedAt, std::string_view region,
               const AwsCredentials& credentials)
        : _time(inUtc(signedAt, "%Y%m%dT%H%M%SZ")) {
        const std::string day = _time.substr(0, 8);
        _scope = day + "/" + std::string(region) + "/s3/aws4_request";
        _credential = credentials.accessKeyId + "/" + _scope;
        _key = hmac("AWS4" + credentials.secretAccessKey, day);
        for (const auto part : {region, std::string_view("s3"), std::string_view("aws4_request")})
            _key = hmac(_key, part);
    }

    const std::string& time() const { return _time; }
    const std::string& credential() const { return _credential; }

    std::string signatureOf(std::string_view canonical) const {
        std::string toSign(ALGORITHM);
        toSign.append("\n").append(_time).append("\n").append(_scope).append("\n").append(sha256Hex(canonical));
        return hex(hmac(_key, toSign));
    }

private:
    std::string _time;
    std::string _scope;
    std::string _credential;
    std::string _key;
};

} // namespace

std::string presignedUrl(const PresignedRequest& request, const AwsCredentials& credentials) {
    const SigningKey key(request.signedAt, request.region, credentials);
    // In the order of their names, as they have to be signed.
    std::string query = "X-Amz-Algorithm=";
    query.append(ALGORITHM).append("&X-Amz-Credential=").append(awsEncoded(key.credential()));
    query.append("&X-Amz-Date=").append(key.time());
    query.append("&X-Amz-Expires=").append(std::to_string(request.expiry.count()));
    if (!credentials.sessionToken.empty())
        query.append("&X-Amz-Security-Token=").append(awsEncoded(credentials.sessionToken));
    query.append("&X-Amz-SignedHeaders=host");

    std::string canonical(request.method);
    canonical.append("\n").append(request.path).append("\n").append(query);
    canonical.append("\nhost:").append(request.host).append("\n\nhost\nUNSIGNED-PAYLOAD");

    std::string url(request.scheme);
    url.append("://").append(request.host).append(request.path).append("?").append(query);
    return url.append("&X-Amz-Signature=").append(key.signatureOf(canonical));
}

std::vector<std::string> signedFields(const SignedRequest& request, std::vector<std::string> fields,
                                      const AwsCredentials& credentials) {
    const SigningKey key(request.signedAt, request.region, credentials);
    const std::string bodyHash = sha256Hex(request.body);
    fields.push_back("x-amz-content-sha256: " + bodyHash);
    fields.push_back("x-amz-date: " + key.time());
    if (!credentials.sessionToken.empty())
        fields.push_back("x-amz-security-token: " + credentials.sessionToken);

    std::map<std::string, std::string> byName{{"host", std::string(request.host)}};
    for (const auto& field : fields) {
        const auto colon = field.find(": ");
        byName[Poco::toLower(field.substr(0, colon))] = field.substr(colon + 2);
    }
    std::string names;
    std::string canonical(request.method);
    canonical.append("\n").append(request.path).append("\n").append(request.query).append("\n");
    for (const auto& [name, value] : byName) {
        canonical.append(name).append(":").append(value).append("\n");
        names.append(names.empty() ? "" : ";").append(name);
    }
    canonical.append("\n").append(names).append("\n").append(bodyHash);

    std::string authorization = "Authorization: ";
    authorization.append(ALGORITHM).append(" Credential=").append(key.credential());
    authorization.append(", SignedHeaders=").append(names).append(", Signature=").append(key.signatureOf(canonical));
    fields.push_back(std::move(authorization));
    return fields;
}

std::string awsEncoded(std::string_view text) {
    constexpr std::string_view UPPER_HEX = "0123456789ABCDEF";
    constexpr std::string_view PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";
    std::string encoded;
    for (const char c : text) {
        if (PLAIN.find(c) != std::string_view::npos) {
            encoded += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        encoded += '%';
        encoded += UPPER_HEX[byte >> 4U];
        encoded += UPPER_HEX[byte & 15U];
    }
    return encoded;
}

std::string sha256Hex(std::string_view bytes) {
    return hex(digest(bytes, ::EVP_sha256()));
}

std::string md5Hex(std::string_view bytes) {
    return hex(digest(bytes, ::EVP_md5()));
}

std::string md5Base64(std::string_view bytes) {
    const std::string hash = digest(bytes, ::EVP_md5());
    std::array<unsigned char, 25> text{}; // 16 bytes make 24 characters and a zero
    const int length = ::EVP_EncodeBlock(text.data(), reinterpret_cast<const unsigned char*>(hash.data()),
                                         static_cast<int>(hash.size()));
    return {text.begin(), text.begin() + length};
}

} // namespace supplierd::media

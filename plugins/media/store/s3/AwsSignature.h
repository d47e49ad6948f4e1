#pragma once

#include "S3Settings.h"

#include <chrono>
#include <string>
#include <string_view>

namespace supplierd::media {

/// A request that whoever has its URL may send, until it expires.
struct PresignedRequest {
    std::string_view method; ///< the only one that it is good for: "GET", "HEAD"
    std::string_view scheme; ///< "https"
    std::string_view host;   ///< with its port where that is not the scheme's own
    std::string_view path;   ///< encoded already
    std::string_view region;
    std::chrono::system_clock::time_point signedAt;
    std::chrono::seconds expiry;
};

/// The URL with an AWS signature, version 4, in its query, for the service "s3". Requests with the signature in their
/// header are libcurl's; it cannot sign URLs.
std::string presignedUrl(const PresignedRequest& request, const AwsCredentials& credentials);

/// As AWS wants names and values of a query: all but letters, digits and -_.~ as %XX.
std::string awsEncoded(std::string_view text);

/// "3f…", lower case.
std::string sha256Hex(std::string_view bytes);
std::string md5Hex(std::string_view bytes);
/// For Content-MD5.
std::string md5Base64(std::string_view bytes);

} // namespace supplierd::media

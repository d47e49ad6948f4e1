#pragma once

#include "S3Settings.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

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

/// The URL with an AWS signature, version 4, in its query, for the service "s3".
std::string presignedUrl(const PresignedRequest& request, const AwsCredentials& credentials);

/// A request that is sent at once.
struct SignedRequest {
    std::string_view method;
    std::string_view host;  ///< with its port where that is not the scheme's own
    std::string_view path;  ///< encoded already
    std::string_view query; ///< encoded by awsEncoded(), in the order of the names, every name with a "="
    std::string_view body;
    std::string_view region;
    std::chrono::system_clock::time_point signedAt;
};

/// `fields` ("Name: value") and those that AWS asks for, with a signature of them all in "Authorization". libcurl signs
/// requests, too, but its version 8.14 does not sign a query with a plus as AWS does, and tokens of lists have one.
std::vector<std::string> signedFields(const SignedRequest& request, std::vector<std::string> fields,
                                      const AwsCredentials& credentials);

/// As AWS wants names and values of a query: all but letters, digits and -_.~ as %XX.
std::string awsEncoded(std::string_view text);

/// "3f…", lower case.
std::string sha256Hex(std::string_view bytes);
std::string md5Hex(std::string_view bytes);
/// For Content-MD5.
std::string md5Base64(std::string_view bytes);

} // namespace supplierd::media

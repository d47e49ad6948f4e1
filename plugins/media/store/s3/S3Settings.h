#pragma once

#include <chrono>
#include <string>

namespace supplierd::media {

/// Who asks, for AWS signatures.
struct AwsCredentials {
    std::string accessKeyId;
    std::string secretAccessKey;
    std::string sessionToken = {}; ///< of temporary ones (STS); "" for those of an account
};

/// One bucket of an S3 store, and how it is reached. A value type.
struct S3Settings {
    std::string endpoint;       ///< "https://s3.eu-central-1.amazonaws.com", without a slash at its end
    std::string publicEndpoint; ///< the one in signed URLs; empty: the same
    std::string region;
    std::string bucket;
    std::string prefix; ///< before every key: "", or with a slash at its end
    bool isPathStyle = true;
    AwsCredentials credentials;
    std::string trustedCertificates; ///< a PEM file; empty: the system's
    std::string userAgent = "supplierd";
    std::chrono::milliseconds connectTimeout{2'000};
    std::chrono::milliseconds requestTimeout{5'000}; ///< for one try
    std::chrono::milliseconds timeout{15'000};       ///< for all tries of a request with their pauses
    std::chrono::seconds urlExpiry{3'600};
    unsigned maxParallel = 32;
};

} // namespace supplierd::media

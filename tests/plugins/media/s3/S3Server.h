#pragma once

#include "S3Settings.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/HttpClient.h"
#include "tests/support/Json.h"
#include "tests/support/TemporaryDirectory.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::tests {

/// A running `s3-server`: a bucket on 127.0.0.1 that checks signatures and misbehaves when told to. Thread: one.
class S3Server {
public:
    S3Server();

    std::uint16_t port() const { return _port; }
    /// How to reach it, with time limits for tests.
    media::S3Settings settings() const;
    /// Ends it, or starts it anew on the same port: without objects.
    void stop() { _process.reset(); }
    void start();

    /// No objects, requests and misbehaviour of before.
    void reset() const;
    /// As `s3-server --help` says.
    void control(const Json& order) const;
    void fail(const std::string& kind, const std::string& method = {}, int times = -1) const;
    void heal() const { control({{"faults", Json::array()}}); }
    /// By key: "size", "sha256", "fields".
    Json objects() const;
    std::vector<std::string> keys() const;
    /// Of clients, in their order.
    Json requests() const;
    std::size_t countOf(const std::string& method) const;

    static constexpr const char* BUCKET = "pictures";
    static constexpr const char* REGION = "eu-test-1";
    static constexpr const char* ACCESS_KEY = "TESTKEY";
    static constexpr const char* SECRET = "test/secret+of=the-store";

private:
    Json ask(const std::string& path) const;

    TemporaryDirectory _directory{"s3"};
    std::optional<ChildProcess> _process;
    std::uint16_t _port = 0;
};

/// One for all tests of the program; each begins with reset().
S3Server& sharedS3Server();

} // namespace supplierd::tests

#pragma once

#include "tests/support/ChildProcess.h"
#include "tests/support/HttpClient.h"
#include "tests/support/TemporaryDirectory.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::tests {

/// packaging/nginx/supplierd.conf in a real nginx on free ports of loopback, with a certificate of its own.
class NginxProxy {
public:
    /// The nginx of this machine; nothing when there is none.
    static std::optional<std::filesystem::path> program();

    /// Takes the place of what the example says: where supplierd is ("127.0.0.1:8080"), and where the pictures lie.
    NginxProxy(const std::string& supplierd, const std::filesystem::path& pictures);

    /// What `nginx -t` says.
    CommandResult check() const;
    /// Returns once it takes connections.
    void start();

    /// A request with curl, the path as it is.
    HttpResponse request(const std::string& path, const std::vector<std::string>& curlOptions = {}) const;
    HttpResponse requestInClear(const std::string& path) const;

private:
    static HttpResponse curl(const std::string& url, const std::vector<std::string>& options);

    std::vector<std::string> command() const;

    TemporaryDirectory _directory;
    unsigned _port;
    unsigned _clearPort;
    std::unique_ptr<ChildProcess> _process;
};

} // namespace supplierd::tests

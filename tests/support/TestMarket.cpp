#include "tests/support/TestMarket.h"

#include <utility>

namespace supplierd::tests {

TestMarket::TestMarket(ServerOptions options, const std::string& category)
    : _server(_database, std::move(options)), _category(_server.createCategory(category)) {}

HttpClient TestMarket::platformClient(const std::string& key) const {
    return HttpClient(platformUrl(_server), key);
}

std::string platformUrl(const ServerProcess& server) {
    return server.url().substr(0, server.url().find("/api/")) + "/api/v1/platform";
}

} // namespace supplierd::tests

#include "tests/support/ServerFixture.h"
#include "tests/support/TemporaryDirectory.h"

namespace supplierd::tests {

ServerFixture& fixture() {
    static const TemporaryDirectory media;
    static ServerFixture fixture({.plugins = {"categories", "catalog", "orders", "inventory", "platform", "media",
                                              "dashboard", "history", "sandbox"},
                                  .configuration = "[server]\ntrusted_proxies = [\"127.0.0.1\"]\n"
                                                   "[plugins.dashboard]\npublic_url = \"https://market.example/\"\n"
                                                   "[plugins.media]\nroot = \"" +
                                                   media.path().string() + "\"\n"});
    return fixture;
}

} // namespace supplierd::tests

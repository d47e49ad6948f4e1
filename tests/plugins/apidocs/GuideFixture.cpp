#include "GuideFixture.h"

#include "tests/plugins/media/api/MediaFixture.h"
#include "tests/support/ServerFixture.h"
#include "tests/support/TemporaryDirectory.h"

namespace supplierd::tests {

namespace {

/// With all that the guides speak of.
struct GuideServer {
    TemporaryDirectory media{"media"};
    PictureOrigin origin;
    ServerFixture server{{.plugins = apiPlugins(),
                          .configuration = "[auth]\nfailures_per_minute = 1000000\n[plugins.media]\nroot = \"" +
                                           (media / "files").string() +
                                           "\"\n[plugins.media.fetch]\nallow_networks = [\"127.0.0.0/8\"]\n"
                                           "allow_ports = [" +
                                           std::to_string(origin.port()) + "]\n"}};
};

GuideServer& guideServer() {
    static GuideServer server;
    return server;
}

} // namespace

ServerFixture& fixture() {
    return guideServer().server;
}

std::string guidePicture() {
    static const std::string url = guideServer().origin.serve(smallPicture());
    return url;
}

} // namespace supplierd::tests

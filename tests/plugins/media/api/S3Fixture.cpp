#include "S3Fixture.h"

#include "tests/support/Control.h"

#include <cppunit/TestAssert.h>

#include <algorithm>

namespace supplierd::tests {

std::string S3Fixture::tableOf(const Keys& s3) {
    const auto quoted = [](const std::string& text) { return "\"" + text + "\""; };
    Keys keys{{"endpoint", quoted("http://127.0.0.1:" + std::to_string(sharedS3Server().port()))},
              {"bucket", quoted(S3Server::BUCKET)},
              {"region", quoted(S3Server::REGION)},
              {"access_key_id", quoted(S3Server::ACCESS_KEY)},
              {"secret_access_key", quoted(S3Server::SECRET)},
              {"request_timeout", quoted("1m")}, // a machine that is too busy makes no test fail
              {"timeout", quoted("2m")}};
    for (const auto& [key, value] : s3)
        keys[key] = value;
    std::string text = "[plugins.media.s3]\n";
    for (const auto& [key, value] : keys)
        text.append(key).append(" = ").append(value).append("\n");
    return text;
}

void S3Fixture::configure(const Keys& keys, const Keys& s3, bool restarts) {
    const auto file = server().directory() / "conf.d/90-test.toml";
    std::string text = "[plugins.media]\nroot = \"" + root().string() +
                       "\"\nfetch.allow_networks = [\"127.0.0.0/8\"]\nfetch.allow_ports = [" +
                       std::to_string(origin().port()) + "]\n";
    for (const auto& [key, value] : keys)
        text.append(key).append(" = ").append(value).append("\n");
    writeWholeFile(file, text + tableOf(s3));
    if (restarts)
        server().restart();
}

json S3Fixture::control(std::vector<std::string> arguments, int exitCode) {
    return controlJson(server(), std::move(arguments), exitCode);
}

std::string S3Fixture::controlText(std::vector<std::string> arguments, int exitCode) {
    return requireControl(server(), std::move(arguments), exitCode);
}

void S3Fixture::requireAllInBucket() {
    std::vector<std::string> expected;
    for (const auto& row :
         database().query("SELECT file_key FROM product_images UNION ALL SELECT thumbnail_key FROM product_images"))
        expected.push_back(*row[0]);
    std::sort(expected.begin(), expected.end());
    CPPUNIT_ASSERT(bucket().keys() == expected);
}

} // namespace supplierd::tests

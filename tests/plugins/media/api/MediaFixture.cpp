#include "MediaFixture.h"

#include "FileMediaStore.h"
#include "ImageFixtures.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Control.h"

#include <cppunit/TestAssert.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace supplierd::tests {

namespace {

std::string configurationOf(const MediaOptions& options, const std::filesystem::path& root, std::uint16_t port) {
    std::map<std::string, std::string> settings{{"root", "\"" + root.string() + "\""},
                                                {"fetch.allow_networks", "[\"127.0.0.0/8\"]"},
                                                {"fetch.allow_ports", "[" + std::to_string(port) + "]"}};
    for (const auto& [key, value] : options.settings)
        settings[key] = value;
    std::string text = "[plugins.media]\n";
    for (const auto& [key, value] : settings)
        text.append(key).append(" = ").append(value).append("\n");
    return text + options.configuration;
}

std::vector<std::string> pluginsOf(const MediaOptions& options) {
    std::vector<std::string> plugins = {"categories", "catalog", "media"};
    plugins.insert(plugins.end(), options.furtherPlugins.begin(), options.furtherPlugins.end());
    return plugins;
}

std::vector<media::MediaEntry> entriesOf(const std::filesystem::path& root) {
    return media::FileMediaStore(root).list({}, 1'000'000);
}

} // namespace

MediaFiles::MediaFiles(const std::filesystem::path& given) : root(given) {
    if (root.empty())
        root = directory.emplace("media") / "files";
}

MediaFixture::MediaFixture(const MediaOptions& options)
    : MediaFiles(options.root),
      ServerFixture({.plugins = pluginsOf(options), .configuration = configurationOf(options, root(), origin().port())},
                    options.database) {}

MediaFixture& mediaFixture() {
    static MediaFixture fixture;
    return fixture;
}

std::vector<std::string> MediaFixture::storedKeys() const {
    std::vector<std::string> keys;
    for (const auto& entry : entriesOf(root()))
        keys.push_back(entry.key);
    return keys;
}

void MediaFixture::waitForJanitor() {
    waitFor("the janitor's run", [this] {
        return database().integer("SELECT COUNT(*) FROM jobs WHERE name = 'janitor' AND result = 'done'") > 0;
    });
}

json MediaFixture::verify(bool repair) {
    std::vector<std::string> arguments{"media", "verify", "--json"};
    if (repair)
        arguments.insert(arguments.end(), {"--repair", "--yes"});
    const auto result = runControl(server(), std::move(arguments));
    CPPUNIT_ASSERT_MESSAGE(result.output + result.errors, result.exitCode == 0 || result.exitCode == 1);
    return json::parse(result.output);
}

void MediaFixture::requireAgreement() {
    requireWholeRows();
    const std::int64_t rows = database().integer("SELECT COUNT(*) FROM product_images");
    CPPUNIT_ASSERT_EQUAL_MESSAGE("files of images", 2 * rows, static_cast<std::int64_t>(storedKeys().size()));
}

void MediaFixture::requireWholeRows() {
    std::map<std::string, std::uint64_t> files;
    const auto rows = database().query("SELECT file_key, bytes, thumbnail_key, thumbnail_bytes FROM product_images");
    for (const auto& entry : entriesOf(root()))
        files.emplace(entry.key, entry.bytes);
    std::set<std::string> used;
    for (const auto& row : rows)
        for (const std::size_t column : {std::size_t{0}, std::size_t{2}}) {
            const std::string key = *row[column];
            CPPUNIT_ASSERT_MESSAGE(key + " is missing", files.contains(key));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(key, std::stoull(*row[column + 1]),
                                         static_cast<unsigned long long>(files.at(key)));
            CPPUNIT_ASSERT_MESSAGE(key + " is used twice", used.insert(key).second);
        }
    CPPUNIT_ASSERT_EQUAL_MESSAGE(
        "products whose places have gaps, or whose images are too many, or not one of them primary", std::int64_t{0},
        database().integer("SELECT COUNT(*) FROM (SELECT product_id FROM product_images GROUP BY product_id HAVING "
                           "MIN(position) <> 0 OR MAX(position) <> COUNT(*) - 1 OR COUNT(*) > 10 OR "
                           "SUM(is_primary) <> 1) wrong"));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(
        "products that name another primary image than their images do", std::int64_t{0},
        database().integer("SELECT COUNT(*) FROM products p LEFT JOIN product_images i ON i.product_id = p.id AND "
                           "i.is_primary = 1 WHERE NOT (p.primary_image <=> CONCAT('/media/', i.file_key))"));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(
        "images of deleted products", std::int64_t{0},
        database().integer(
            "SELECT COUNT(*) FROM product_images i JOIN products p ON p.id = i.product_id WHERE p.deleted = 1"));
}

MediaClient::MediaClient(ServerFixture& on, const std::string& scopes) : SupplierClient({.scopes = scopes}, on) {
    setTimeout(std::chrono::minutes(2));
}

HttpClient MediaClient::anotherClient() const {
    HttpClient client = SupplierClient::anotherClient();
    client.setTimeout(std::chrono::minutes(2));
    return client;
}

HttpResponse MediaClient::postImages(std::int64_t product, const std::vector<std::string>& urls,
                                     const HttpHeaders& headers) {
    return post(imagesPath(product), {{"image_url", joined(urls)}}, headers);
}

json MediaClient::add(std::int64_t product, const std::vector<std::string>& urls) {
    return dataOf(postImages(product, urls), 201);
}

json MediaClient::refusal(std::int64_t product, const std::string& url) {
    const HttpResponse response = postImages(product, {url});
    requireStatus(422, response);
    const json details = response.error()["details"];
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, std::size_t{1}, details.size());
    return details[0];
}

json MediaClient::images(std::int64_t product) {
    return dataOf(get(imagesPath(product)))["images"];
}

HttpResponse MediaClient::removeImage(std::int64_t product, std::int64_t image) {
    return postEmpty(imagesPath(product) + "/" + std::to_string(image) + "/delete");
}

HttpResponse MediaClient::makePrimary(std::int64_t product, std::int64_t image) {
    return postEmpty(imagesPath(product) + "/" + std::to_string(image) + "/primary");
}

HttpResponse MediaClient::setOrder(std::int64_t product, const Json& images) {
    return post(imagesPath(product) + "/order", {{"image_ids", images}});
}

std::string joined(const std::vector<std::string>& urls) {
    std::string text;
    for (const auto& url : urls)
        text.append(text.empty() ? "" : ";").append(url);
    return text;
}

std::string imagesPath(std::int64_t product) {
    return "/products/" + std::to_string(product) + "/images";
}

std::string smallPicture(unsigned number) {
    return encoded(gradient(8 + number % 50, 8 + number / 50 % 50), media::ImageType::Jpeg);
}

} // namespace supplierd::tests

#include "MediaWorld.h"

#include "FileMediaStore.h"
#include "ImageFixtures.h"
#include "tests/support/PrivateMariaDb.h"

#include <cppunit/TestAssert.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>
#include <thread>

namespace supplierd::tests {

using nlohmann::json;

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

std::map<std::string, std::string> keyColumns(const std::string& scopes) {
    std::map<std::string, std::string> columns{{"hourly_limit", "10000000"}};
    if (!scopes.empty())
        columns["scopes"] = "'" + scopes + "'";
    return columns;
}

std::vector<media::MediaEntry> entriesOf(const std::filesystem::path& root) {
    return media::FileMediaStore(root).list({}, 1'000'000);
}

} // namespace

MediaWorld::MediaWorld(MediaOptions options)
    : _root(options.root),
      _origin(std::make_unique<PictureOrigin>()),
      _database(options.database != nullptr ? std::make_unique<TestDatabase>(*options.database)
                                            : std::make_unique<TestDatabase>()) {
    if (_root.empty())
        _root = _directory.emplace("media") / "files";
    ServerOptions server;
    server.plugins = {"categories", "catalog", "media"};
    server.configuration = configurationOf(options, _root, _origin->port());
    _server = std::make_unique<ServerProcess>(*_database, server);
    _category = _server->createCategory("Cut flowers");
}

MediaWorld::~MediaWorld() = default;

MediaWorld& MediaWorld::instance() {
    static MediaWorld world;
    return world;
}

HttpClient MediaWorld::files() const {
    const std::string& url = _server->url();
    return HttpClient(url.substr(0, url.find("/api/")));
}

std::vector<std::string> MediaWorld::storedKeys() const {
    std::vector<std::string> keys;
    for (const auto& entry : entriesOf(_root))
        keys.push_back(entry.key);
    return keys;
}

std::int64_t MediaWorld::metric(const std::string& line) const {
    std::istringstream text(_server->adminClient().get("/metrics").body);
    for (std::string found; std::getline(text, found);)
        if (found.starts_with(line + " "))
            return static_cast<std::int64_t>(std::stod(found.substr(line.size() + 1)));
    return 0;
}

void MediaWorld::waitForJanitor() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (_database->integer("SELECT COUNT(*) FROM jobs WHERE name = 'janitor' AND result = 'done'") == 0) {
        CPPUNIT_ASSERT_MESSAGE("the janitor does not run", std::chrono::steady_clock::now() < end);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

json MediaWorld::verify(bool repair) const {
    std::vector<std::string> arguments{ServerProcess::controlProgram(), "--json", "--config",
                                       _server->configFile(),           "media",  "verify"};
    if (repair)
        arguments.emplace_back("--repair");
    const auto result = runCommand({.arguments = std::move(arguments)});
    CPPUNIT_ASSERT_MESSAGE(result.output + result.errors, result.exitCode == 0 || result.exitCode == 1);
    return json::parse(result.output);
}

void MediaWorld::requireAgreement() {
    requireWholeRows();
    const std::int64_t rows = _database->integer("SELECT COUNT(*) FROM product_images");
    CPPUNIT_ASSERT_EQUAL_MESSAGE("files of images", 2 * rows, static_cast<std::int64_t>(storedKeys().size()));
}

void MediaWorld::requireWholeRows() {
    std::map<std::string, std::uint64_t> files;
    const auto rows = _database->query("SELECT file_key, bytes, thumbnail_key, thumbnail_bytes FROM product_images");
    for (const auto& entry : entriesOf(_root))
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
        _database->integer("SELECT COUNT(*) FROM (SELECT product_id FROM product_images GROUP BY product_id HAVING "
                           "MIN(position) <> 0 OR MAX(position) <> COUNT(*) - 1 OR COUNT(*) > 10 OR "
                           "SUM(is_primary) <> 1) wrong"));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(
        "products that name another primary image than their images do", std::int64_t{0},
        _database->integer("SELECT COUNT(*) FROM products p LEFT JOIN product_images i ON i.product_id = p.id AND "
                           "i.is_primary = 1 WHERE NOT (p.primary_image <=> CONCAT('/media/', i.file_key))"));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(
        "images of deleted products", std::int64_t{0},
        _database->integer(
            "SELECT COUNT(*) FROM product_images i JOIN products p ON p.id = i.product_id WHERE p.deleted = 1"));
}

Seller::Seller(MediaWorld& world, const std::string& scopes)
    : _world(world),
      _key(world.server().createKey(world.server().createSupplier("Seller"), keyColumns(scopes))),
      _http(world.server().client(_key)) {
    _http.setTimeout(std::chrono::minutes(2));
}

HttpClient Seller::anotherClient() const {
    HttpClient client = _world.server().client(_key);
    client.setTimeout(std::chrono::minutes(2));
    return client;
}

std::int64_t Seller::createProduct() {
    const HttpResponse response = _http.post(
        "/products",
        {{"name", "Rosa Avalanche"}, {"category_id", _world.category()}, {"base_price", 1}, {"unit", "stem"}});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 201, response.status);
    return response.data()["product"]["id"];
}

json Seller::product(std::int64_t id) {
    const HttpResponse response = _http.get("/products/" + std::to_string(id));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
    return response.data()["product"];
}

void Seller::removeProduct(std::int64_t id) {
    const HttpResponse response = _http.postEmpty("/products/" + std::to_string(id) + "/delete");
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
}

HttpResponse Seller::post(std::int64_t product, const std::vector<std::string>& urls, const HttpHeaders& headers) {
    return _http.post(imagesPath(product), {{"image_url", joined(urls)}}, headers);
}

json Seller::add(std::int64_t product, const std::vector<std::string>& urls) {
    const HttpResponse response = post(product, urls);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 201, response.status);
    return response.data();
}

json Seller::refusal(std::int64_t product, const std::string& url) {
    const HttpResponse response = post(product, {url});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 422, response.status);
    const json details = response.error()["details"];
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, std::size_t{1}, details.size());
    return details[0];
}

json Seller::images(std::int64_t product) {
    const HttpResponse response = _http.get(imagesPath(product));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
    return response.data()["images"];
}

HttpResponse Seller::remove(std::int64_t product, std::int64_t image) {
    return _http.postEmpty(imagesPath(product) + "/" + std::to_string(image) + "/delete");
}

HttpResponse Seller::makePrimary(std::int64_t product, std::int64_t image) {
    return _http.postEmpty(imagesPath(product) + "/" + std::to_string(image) + "/primary");
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

#pragma once

#include "PictureOrigin.h"
#include "tests/support/HttpClient.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/TestDatabase.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::tests {

class PrivateMariaDb;

struct MediaOptions {
    /// Keys of [plugins.media] and their values as they stand in the file; they win over those of the world.
    std::map<std::string, std::string> settings = {};
    /// Empty: in a temporary directory.
    std::filesystem::path root = {};
    /// Put behind the table of the plugin.
    std::string configuration = {};
    /// Instead of the shared database server.
    PrivateMariaDb* database = nullptr;
};

/// One server with the catalogue and images, its database, the root of its files, and a loopback origin that it may
/// fetch from.
class MediaWorld {
public:
    explicit MediaWorld(MediaOptions options = {});
    ~MediaWorld();

    /// One for all tests of the program that need nothing special.
    static MediaWorld& instance();

    TestDatabase& database() { return *_database; }
    ServerProcess& server() { return *_server; }
    PictureOrigin& origin() { return *_origin; }
    std::int64_t category() const { return _category; }
    const std::filesystem::path& root() const { return _root; }

    /// At the server's root, without a key.
    HttpClient files() const;
    /// The keys of all stored files.
    std::vector<std::string> storedKeys() const;
    std::int64_t metric(const std::string& line) const;
    /// The janitor's first run comes with the server.
    void waitForJanitor();

    /// `data` of `supplierctl media verify`; fails when it cannot run.
    nlohmann::json verify(bool repair = false) const;
    /// Fails unless database and files agree: every file belongs to one row and is as long as that says, places have no
    /// gaps, one image of each product is primary, and the product names it.
    void requireAgreement();
    /// The same but for files that no row has.
    void requireWholeRows();

private:
    std::optional<TemporaryDirectory> _directory;
    std::filesystem::path _root;
    std::unique_ptr<PictureOrigin> _origin;
    std::unique_ptr<TestDatabase> _database;
    std::unique_ptr<ServerProcess> _server;
    std::int64_t _category = 0;
};

/// A supplier with a key, and what tests do as it. Thread: one.
class Seller {
public:
    explicit Seller(MediaWorld& world, const std::string& scopes = {});

    MediaWorld& world() { return _world; }
    HttpClient& http() { return _http; }
    HttpClient anotherClient() const;
    /// After a restart of the server, which has another port then.
    void reconnect() { _http = anotherClient(); }

    std::int64_t createProduct();
    /// As GET /products/{id} shows it.
    nlohmann::json product(std::int64_t id);
    void removeProduct(std::int64_t id);

    HttpResponse post(std::int64_t product, const std::vector<std::string>& urls, const HttpHeaders& headers = {});
    /// `data` of the answer; fails unless that is a 201.
    nlohmann::json add(std::int64_t product, const std::vector<std::string>& urls);
    /// The only entry of `details`; fails unless the answer is a 422 with one.
    nlohmann::json refusal(std::int64_t product, const std::string& url);
    nlohmann::json images(std::int64_t product);
    HttpResponse remove(std::int64_t product, std::int64_t image);
    HttpResponse makePrimary(std::int64_t product, std::int64_t image);

private:
    MediaWorld& _world;
    std::string _key;
    HttpClient _http;
};

std::string joined(const std::vector<std::string>& urls);
std::string imagesPath(std::int64_t product);
/// A small JPEG that differs from those of other numbers.
std::string smallPicture(unsigned number = 0);

} // namespace supplierd::tests

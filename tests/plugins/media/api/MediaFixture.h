#pragma once

#include "PictureOrigin.h"
#include "tests/support/Responses.h"
#include "tests/support/SupplierClient.h"
#include "tests/support/TemporaryDirectory.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::tests {

struct MediaOptions {
    /// Keys of [plugins.media] and their values as they stand in the file; they win over those of the fixture.
    std::map<std::string, std::string> settings = {};
    /// Empty: in a temporary directory.
    std::filesystem::path root = {};
    /// Put behind the table of the plugin.
    std::string configuration = {};
    /// Instead of the shared database server.
    PrivateMariaDb* database = nullptr;
    /// Beside those of products and images.
    std::vector<std::string> furtherPlugins = {};
};

struct MediaFiles {
    explicit MediaFiles(const std::filesystem::path& given);

    std::optional<TemporaryDirectory> directory;
    std::filesystem::path root;
    PictureOrigin origin;
};

/// A server with the catalog and images, the root of its files, and a loopback origin that it may fetch from.
class MediaFixture : private MediaFiles, public ServerFixture {
public:
    explicit MediaFixture(const MediaOptions& options = {});

    PictureOrigin& origin() { return MediaFiles::origin; }
    const std::filesystem::path& root() const { return MediaFiles::root; }

    /// The keys of all stored files.
    std::vector<std::string> storedKeys() const;

    /// The janitor's first run comes with the server.
    void waitForJanitor();

    /// `data` of `supplierctl media verify`; fails when it cannot run.
    Json verify(bool repair = false);
    /// Fails unless database and files agree: every file belongs to one row and is as long as that says, places have no
    /// gaps, one image of each product is primary, and the product names it.
    void requireAgreement();
    /// The same but for files that no row has.
    void requireWholeRows();
};

/// One for all tests of the program that need nothing special.
MediaFixture& mediaFixture();

/// A supplier and what it does with images. Waits two minutes for a response. Thread: one.
class MediaClient : public SupplierClient {
public:
    explicit MediaClient(ServerFixture& on, const std::string& scopes = {});

    HttpClient anotherClient() const;
    /// After a restart of the server, which has another port then.
    void reconnect() { HttpClient::operator=(anotherClient()); }

    std::int64_t createProduct() { return idOf(create()); }

    HttpResponse postImages(std::int64_t product, const std::vector<std::string>& urls,
                            const HttpHeaders& headers = {});
    /// `data` of that; fails unless it is a 201.
    Json add(std::int64_t product, const std::vector<std::string>& urls);
    /// The only entry of `details`; fails unless the response is a 422 with one.
    Json refusal(std::int64_t product, const std::string& url);
    Json images(std::int64_t product);
    HttpResponse removeImage(std::int64_t product, std::int64_t image);
    HttpResponse makePrimary(std::int64_t product, std::int64_t image);
    HttpResponse setOrder(std::int64_t product, const Json& images);
};

std::string joined(const std::vector<std::string>& urls);
std::string imagesPath(std::int64_t product);
/// A small JPEG that differs from those of other numbers.
std::string smallPicture(unsigned number = 0);

} // namespace supplierd::tests

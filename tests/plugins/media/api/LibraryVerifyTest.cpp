#include "MediaFixture.h"
#include "tests/support/Control.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>

namespace supplierd::tests {

/// `supplierctl media verify`: a job of the running server.
class LibraryVerifyTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _url = _fixture.origin().serve(smallPicture());
        _fixture.waitForJanitor(); // else it takes what is to be found here
    }

protected:
    static constexpr auto REFUSED = "is not the one that those of this database lie in";
    static constexpr auto NO_FILE = "/media/ab/cd/abcd0000000000000000000000000000.jpg";

    static ServerOptions optionsOf(const std::filesystem::path& root) {
        ServerOptions options;
        options.plugins = {"categories", "catalog", "media"};
        options.configuration = "[plugins.media]\nroot = \"" + root.string() + "\"\n";
        return options;
    }

    /// What it prints; fails unless it ends with that code.
    static std::string doctor(const ServerProcess& server, int exitCode) {
        return requireControl(server, {"doctor"}, exitCode);
    }

    /// Runs `test` on a server that was started while its store is somewhere else; `prepare` comes before that.
    void withAnotherRoot(const std::function<void()>& prepare, const std::function<void()>& test) {
        const auto away = _fixture.root().string() + "-away";
        const auto restart = [&](const std::function<void()>& between) {
            _fixture.server().stop();
            between();
            _fixture.server().start();
            _supplier.reconnect();
        };
        restart([&] {
            std::filesystem::rename(_fixture.root(), away);
            prepare();
        });
        const auto back = [&] {
            restart([&] {
                std::filesystem::remove_all(_fixture.root());
                std::filesystem::rename(away, _fixture.root());
            });
        };
        try {
            test();
        } catch (...) {
            back();
            throw;
        }
        back();
    }

    void makeRoot() const { std::filesystem::create_directory(_fixture.root()); }
    /// The last entry of the audit log beside the requests of jobs: "actor action after".
    std::string lastAudited() {
        return _fixture.database().text(
            "SELECT CONCAT(actor, ' ', action, ' ', after_json) FROM audit_log WHERE action <> 'job.request' "
            "ORDER BY id DESC LIMIT 1");
    }
    static std::string findingOf(const std::string& file) { return "no image has the file " + file + "\n"; }

    /// Of a repair; returns what it says.
    std::string requireRefusal(const std::string& text) {
        const auto result = runControl(_fixture.server(), {"media", "verify", "--repair", "--yes"});
        CPPUNIT_ASSERT(result.exitCode != 0);
        requireIn(text, result.errors);
        return result.errors;
    }

    std::filesystem::path fileOf(const std::string& url) const {
        return _fixture.root() / url.substr(std::string("/media/").size());
    }
    void remove(const std::string& url) const { CPPUNIT_ASSERT(std::filesystem::remove(fileOf(url))); }
    void exec(const std::string& sql, std::int64_t id) { _fixture.database().exec(sql + std::to_string(id)); }
    void makeFile(const std::string& name, std::chrono::seconds age) const {
        std::filesystem::create_directories((_fixture.root() / name).parent_path());
        writeWholeFile(_fixture.root() / name, "nobody's");
        std::filesystem::last_write_time(_fixture.root() / name, std::filesystem::file_time_type::clock::now() - age);
    }

    MediaFixture _fixture;
    MediaClient _supplier{_fixture};
    std::string _url;
};

TEST(LibraryVerifyTest, aWholeLibraryIsGood) {
    _supplier.add(_supplier.createProduct(), {_url, _url + "?2"});
    const json report = _fixture.verify();
    CPPUNIT_ASSERT_EQUAL(json(true), report["good"]);
    CPPUNIT_ASSERT_EQUAL(json(2), report["images"]);
    CPPUNIT_ASSERT_EQUAL(json(4), report["files"]);
    CPPUNIT_ASSERT_EQUAL(json::array(), report["findings"]);
}

TEST(LibraryVerifyTest, everyDisagreementIsFoundAndMended) {
    const auto whole = _supplier.createProduct();
    _supplier.add(whole, {_url});
    const json untouched = _supplier.read(whole);
    makeFile("ab/cd/abcd0000000000000000000000000000.jpg", std::chrono::hours(2));
    makeFile(".unfinished/abcd0000000000000000000000000000", std::chrono::hours(2));

    const auto broken = _supplier.createProduct();
    remove(_supplier.add(broken, {_url})["images"][0]["url"]);
    const auto cut = _supplier.createProduct();
    writeWholeFile(fileOf(_supplier.add(cut, {_url})["images"][0]["thumbnail_url"]), "cut");
    const auto left = _supplier.createProduct();
    _supplier.add(left, {_url});
    exec("UPDATE products SET deleted = 1, deleted_at = NOW(6) WHERE id = ", left);
    const auto wrong = _supplier.createProduct();
    _supplier.add(wrong, {_url});
    exec("UPDATE products SET primary_image = '/media/x' WHERE id = ", wrong);
    const auto none = _supplier.createProduct();
    _supplier.add(none, {_url, _url + "?2"});
    exec("UPDATE product_images SET is_primary = 0 WHERE product_id = ", none);
    const auto empty = _supplier.createProduct();
    exec("UPDATE products SET primary_image = '/media/x' WHERE id = ", empty);

    for (const bool repair : {false, true}) {
        const json report = _fixture.verify(repair);
        CPPUNIT_ASSERT_EQUAL(json(repair), report["good"]);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(report.dump(), json(1), report["orphan_files"]);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(report.dump(), json(1), report["unfinished_files"]);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(report.dump(), json(2), report["broken_images"]);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(report.dump(), json(1), report["left_images"]);
        // Mending the images of a product mends its primary image too.
        CPPUNIT_ASSERT_EQUAL_MESSAGE(report.dump(), json(repair ? 3 : 4), report["wrong_primaries"]);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(report.dump(), json(repair ? 8 : 0), report["repaired"]);
    }
    CPPUNIT_ASSERT_EQUAL(json(true), _fixture.verify()["good"]);
    _fixture.requireAgreement();
    CPPUNIT_ASSERT_EQUAL(untouched, _supplier.read(whole));
    CPPUNIT_ASSERT_EQUAL(json::array(), _supplier.images(broken));
    CPPUNIT_ASSERT_EQUAL(json(true), _supplier.images(none)[0]["is_primary"]);
}

TEST(LibraryVerifyTest, youngFilesAreLeftAlone) {
    makeFile("ab/cd/abcd0000000000000000000000000000.jpg", std::chrono::minutes(59));
    makeFile(".unfinished/abcd0000000000000000000000000000", std::chrono::minutes(59));
    const json report = _fixture.verify(true);
    CPPUNIT_ASSERT_EQUAL(json(true), report["good"]);
    CPPUNIT_ASSERT_EQUAL(json(1), report["files"]);
    CPPUNIT_ASSERT(std::filesystem::exists(_fixture.root() / "ab/cd/abcd0000000000000000000000000000.jpg"));
    CPPUNIT_ASSERT(std::filesystem::exists(_fixture.root() / ".unfinished/abcd0000000000000000000000000000"));
}

TEST(LibraryVerifyTest, anImageWithoutItsFileLeavesItsProductInOrder) {
    const auto product = _supplier.createProduct();
    const json images = _supplier.add(product, {_url, _url + "?2", _url + "?3"})["images"];
    const json version = _supplier.read(product)["version"];
    remove(images[0]["url"]);
    CPPUNIT_ASSERT_EQUAL(json(1), _fixture.verify(true)["repaired"]);
    const json left = _supplier.images(product);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, left.size());
    CPPUNIT_ASSERT_EQUAL(images[1]["id"], left[0]["id"]);
    CPPUNIT_ASSERT_EQUAL(json(true), left[0]["is_primary"]);
    CPPUNIT_ASSERT_EQUAL(json(version.get<int>() + 1), _supplier.read(product)["version"]);
    _fixture.requireAgreement();
}

TEST(LibraryVerifyTest, aLostThumbnailIsMadeAnew) {
    const auto product = _supplier.createProduct();
    const json before = _supplier.add(product, {_url, _url + "?2"})["images"];
    const json version = _supplier.read(product)["version"];
    const std::string thumbnail = before[1]["thumbnail_url"];
    const auto bytes = readWholeFile(fileOf(thumbnail));
    writeWholeFile(fileOf(thumbnail), "cut");
    const json report = _fixture.verify(true);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(report.dump(), json(1), report["repaired"]);
    CPPUNIT_ASSERT_EQUAL(json(true), report["good"]);
    CPPUNIT_ASSERT_MESSAGE(report.dump(), report["findings"][0].get<std::string>().ends_with(
                                              " has no whole thumbnail " + thumbnail.substr(7)));
    const json after = _supplier.images(product);
    CPPUNIT_ASSERT_EQUAL(before[1]["url"], after[1]["url"]);
    CPPUNIT_ASSERT(before[1]["thumbnail_url"] != after[1]["thumbnail_url"]);
    CPPUNIT_ASSERT(bytes == readWholeFile(fileOf(after[1]["thumbnail_url"])));
    CPPUNIT_ASSERT(!std::filesystem::exists(fileOf(thumbnail)));
    CPPUNIT_ASSERT_EQUAL(json(version.get<int>() + 1), _supplier.read(product)["version"]);
    _fixture.requireAgreement();
}

TEST(LibraryVerifyTest, aThumbnailOfAFileThatCannotBeDecodedStaysLost) {
    const auto product = _supplier.createProduct();
    const json image = _supplier.add(product, {_url})["images"][0];
    remove(image["thumbnail_url"]);
    const auto file = fileOf(image["url"]);
    const auto bytes = readWholeFile(file);
    writeWholeFile(file, std::string(bytes.size(), 'x'));
    const json report = _fixture.verify(true);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(report.dump(), json(0), report["repaired"]);
    CPPUNIT_ASSERT_EQUAL(json(false), report["good"]);
    CPPUNIT_ASSERT_EQUAL(image["id"], _supplier.images(product)[0]["id"]);
    writeWholeFile(file, bytes);
    CPPUNIT_ASSERT_EQUAL(json(true), _fixture.verify(true)["good"]);
}

TEST(LibraryVerifyTest, aStoreThatIsNotMountedChangesNothing) {
    const auto product = _supplier.createProduct();
    const json images = _supplier.add(product, {_url})["images"];
    withAnotherRoot([&] { makeRoot(); },
                    [&] {
                        requireRefusal("Is it mounted");
                        CPPUNIT_ASSERT(std::filesystem::is_empty(_fixture.root()));
                    });
    CPPUNIT_ASSERT_EQUAL(images, _supplier.images(product));
    _fixture.requireAgreement();
}

TEST(LibraryVerifyTest, aMissingRootIsNotMade) {
    _supplier.add(_supplier.createProduct(), {_url});
    withAnotherRoot([] {},
                    [&] {
                        requireRefusal("Is it mounted");
                        CPPUNIT_ASSERT(!std::filesystem::exists(_fixture.root()));
                    });
}

TEST(LibraryVerifyTest, theStoreOfAnotherDatabaseIsRefused) {
    const auto prepare = [&] {
        makeRoot();
        writeWholeFile(_fixture.root() / ".store-id", "0123456789abcdef0123456789abcdef\n");
        makeFile("ab/cd/abcd0000000000000000000000000000.jpg", std::chrono::hours(2));
    };
    withAnotherRoot(prepare, [&] {
        requireRefusal("Is it mounted");
        CPPUNIT_ASSERT(std::filesystem::exists(_fixture.root() / "ab/cd/abcd0000000000000000000000000000.jpg"));
    });
}

TEST(LibraryVerifyTest, aStoreThatBecomesAnotherDatabasesIsNotRepaired) {
    _supplier.add(_supplier.createProduct(), {_url});
    const auto id = readWholeFile(_fixture.root() / ".store-id");
    writeWholeFile(_fixture.root() / ".store-id", "0123456789abcdef0123456789abcdef\n");
    makeFile("ab/cd/abcd0000000000000000000000000000.jpg", std::chrono::hours(2));
    requireRefusal("names another");
    CPPUNIT_ASSERT(std::filesystem::exists(_fixture.root() / "ab/cd/abcd0000000000000000000000000000.jpg"));
    writeWholeFile(_fixture.root() / ".store-id", id);
    CPPUNIT_ASSERT_EQUAL(json(1), _fixture.verify(true)["repaired"]);
}

TEST(LibraryVerifyTest, anotherStoreIsTakenWhenToldSo) {
    _supplier.add(_supplier.createProduct(), {_url});
    const auto id = readWholeFile(_fixture.root() / ".store-id");
    withAnotherRoot([&] { makeRoot(); },
                    [&] {
                        const auto refusal = requireRefusal("Is it mounted");
                        requireIn("write " + id.substr(0, 32) + " into " + (_fixture.root() / ".store-id").string(),
                                  refusal);
                        writeWholeFile(_fixture.root() / ".store-id", id);
                        makeFile("ab/cd/abcd0000000000000000000000000000.jpg", std::chrono::minutes(1));
                        CPPUNIT_ASSERT_EQUAL(json(1), _fixture.verify()["broken_images"]);
                    });
    _fixture.requireAgreement();
}

TEST(LibraryVerifyTest, validationMakesNoStore) {
    const TemporaryDirectory folder("validated");
    const auto root = folder / "media";
    const auto result =
        runCommand({.arguments = {ServerProcess::controlProgram(), "plugin", "validate",
                                  ServerProcess::pluginFile("media"), "--set", "root=\"" + root.string() + "\""}});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, 0, result.exitCode);
    requireIn("it starts, becomes ready", result.output);
    CPPUNIT_ASSERT(!std::filesystem::exists(root));
}

TEST(LibraryVerifyTest, whatIsFoundIsListedAndFails) {
    _supplier.add(_supplier.createProduct(), {_url});
    CPPUNIT_ASSERT_EQUAL(std::string("1 image and 2 files seen, nothing is wrong\n"),
                         requireControl(_fixture.server(), {"media", "verify"}));
    const std::string one = "ab/cd/abcd0000000000000000000000000000.jpg";
    const std::string other = "ab/cd/abcd0000000000000000000000000001.jpg";
    for (const auto& file : {one, other})
        makeFile(file, std::chrono::hours(2));
    const auto seen = runControl(_fixture.server(), {"media", "verify"});
    CPPUNIT_ASSERT_EQUAL(1, seen.exitCode);
    CPPUNIT_ASSERT_EQUAL("1 image and 4 files seen: 2 files without an image\n" + findingOf(one) + findingOf(other),
                         seen.output);
    CPPUNIT_ASSERT_EQUAL(std::string("repair that with: supplierctl media verify --repair\n"), seen.errors);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                         _fixture.database().integer("SELECT COUNT(*) FROM audit_log WHERE object = 'media'"));

    const auto repaired = requireControl(_fixture.server(), {"media", "verify", "--repair", "--yes"});
    requireIn("2 files without an image; all repaired, 16 bytes freed\n", repaired);
    const auto entry = lastAudited();
    CPPUNIT_ASSERT_MESSAGE(entry, entry.starts_with("local: "));
    requireIn(R"( media.repair {"orphan_files":2,"repaired":2,"bytes_freed":16})", entry);
}

TEST(LibraryVerifyTest, aRepairThatBreaksOffIsAudited) {
    makeFile("ab/cd/abcd0000000000000000000000000000.jpg", std::chrono::hours(2));
    _fixture.database().exec("RENAME TABLE products TO products_away");
    const auto broken = runControl(_fixture.server(), {"media", "verify", "--repair", "--yes"});
    _fixture.database().exec("RENAME TABLE products_away TO products");
    CPPUNIT_ASSERT_EQUAL(1, broken.exitCode);
    requireIn("failed: ", broken.errors);
    const auto entry = lastAudited();
    requireIn(R"({"orphan_files":1,"repaired":1,"bytes_freed":8,"broken_off":")", entry);
    CPPUNIT_ASSERT_EQUAL(json(true), _fixture.verify()["good"]); // it is not tried again by itself
}

TEST(LibraryVerifyTest, wrongOptionsAreWrongUsage) {
    requireIn("did you mean '--repair'", requireControl(_fixture.server(), {"media", "verify", "--repiar"}, 2));
    requireControl(_fixture.server(), {"media"}, 2);
    requireControl(_fixture.server(), {"media", "move"}, 2);
    requireControl(_fixture.server(), {"media", "move", "--to", "tape"}, 2);
    requireIn("takes images without a file", requireControl(_fixture.server(), {"media", "verify", "--help"}));
}

TEST(LibraryVerifyTest, aServerWithAFolderOfItsOwnIsToldSoAndKeptFromIt) {
    const TemporaryDirectory folder("shared");
    TestDatabase database;
    ServerProcess first(ServerProcess::NotStarted{}, database, optionsOf(folder / "one"));
    first.migrate();
    first.start();
    const std::string id = readWholeFile(folder / "one/.store-id");
    ServerProcess another(ServerProcess::NotStarted{}, database, optionsOf(folder / "one"));
    another.start(); // the same folder: it may
    CPPUNIT_ASSERT_EQUAL(std::string::npos, another.log().find(REFUSED));
    requireStatus(404, another.rootClient().get(NO_FILE));

    std::filesystem::create_directories(folder / "two");
    ServerProcess other(ServerProcess::NotStarted{}, database, optionsOf(folder / "two"));
    other.start();
    for (int i = 0; i < 2; ++i) { // though there is no image yet
        const HttpResponse file = other.rootClient().get(NO_FILE);
        requireStatus(503, file);
        CPPUNIT_ASSERT(file.hasHeader("Retry-After"));
        CPPUNIT_ASSERT(std::filesystem::is_empty(folder / "two"));
        requireIn("write " + id.substr(0, 32) + " into " + (folder / "two/.store-id").string(), doctor(other, 1));
        other.stop();
        requireIn(REFUSED, other.log());
        other.start();
    }
    CPPUNIT_ASSERT_EQUAL(std::string::npos, doctor(first, 0).find(REFUSED));

    // Mounted at last, while the server runs.
    std::filesystem::rename(folder / "two", folder / "two-before");
    std::filesystem::create_directory_symlink(folder / "one", folder / "two");
    requireStatus(404, other.rootClient().get(NO_FILE));
    doctor(other, 0);

    // Or it is the new one, by the operator's word.
    std::filesystem::remove(folder / "two");
    std::filesystem::rename(folder / "two-before", folder / "two");
    other.restart();
    requireStatus(503, other.rootClient().get(NO_FILE));
    writeWholeFile(folder / "two/.store-id", id);
    requireStatus(404, other.rootClient().get(NO_FILE));
    doctor(other, 0);
}

TEST(LibraryVerifyTest, ofServersThatBeginAtOnceWithFoldersOfTheirOwnOneIsTaken) {
    const TemporaryDirectory folder("at-once");
    TestDatabase database;
    std::vector<std::unique_ptr<ServerProcess>> servers;
    for (const auto* const name : {"one", "two", "three"})
        servers.push_back(
            std::make_unique<ServerProcess>(ServerProcess::NotStarted{}, database, optionsOf(folder / name)));
    servers.front()->migrate();
    for (auto& server : servers)
        server->launch();
    for (auto& server : servers)
        server->waitUntilReady();
    std::vector<int> statuses;
    statuses.reserve(servers.size());
    for (auto& server : servers)
        statuses.push_back(server->rootClient().get(NO_FILE).status);
    std::sort(statuses.begin(), statuses.end());
    CPPUNIT_ASSERT((statuses == std::vector<int>{404, 503, 503}));
}

TEST(LibraryVerifyTest, aFolderThatCouldNotBeMarkedIsTakenLater) {
    const TemporaryDirectory folder("unwritable");
    writeWholeFile(folder / "file", "in the way");
    TestDatabase database;
    ServerProcess server(ServerProcess::NotStarted{}, database, optionsOf(folder / "file/media"));
    server.migrate();
    server.launch();
    CPPUNIT_ASSERT(server.process().waitFor(std::chrono::minutes(1)).value_or(0) != 0);
    // As if it had been killed before it marked its store.
    database.exec("INSERT IGNORE INTO media_store (id) VALUES ('0123456789abcdef0123456789abcdef')");
    std::filesystem::remove(folder / "file");
    server.start();
    requireStatus(404, server.rootClient().get(NO_FILE));
    CPPUNIT_ASSERT_EQUAL(*database.query("SELECT id FROM media_store").at(0).at(0) + "\n",
                         readWholeFile(folder / "file/media/.store-id"));
}

TEST(LibraryVerifyTest, manyImagesAreWalkedInPieces) {
    constexpr int PRODUCTS = 120;
    std::vector<std::int64_t> products;
    std::vector<std::string> urls;
    for (int i = 0; i < 10; ++i)
        urls.push_back(_url + "?" + std::to_string(i));
    for (int i = 0; i < PRODUCTS; ++i) {
        products.push_back(_supplier.createProduct());
        _supplier.add(products.back(), urls);
    }
    json report = _fixture.verify();
    CPPUNIT_ASSERT_EQUAL(json(true), report["good"]);
    CPPUNIT_ASSERT_EQUAL(json(10 * PRODUCTS), report["images"]);
    CPPUNIT_ASSERT_EQUAL(json(20 * PRODUCTS), report["files"]);
    // One image of every product, so that the broken ones lie in all pieces.
    for (const auto product : products)
        remove(_supplier.images(product)[3]["thumbnail_url"]);
    report = _fixture.verify(true);
    CPPUNIT_ASSERT_EQUAL(json(PRODUCTS), report["broken_images"]);
    CPPUNIT_ASSERT_EQUAL(json(true), report["good"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{100}, report["findings"].size());
    _fixture.requireAgreement();
}

TEST(LibraryVerifyTest, noFileIsRemovedWhileABackupHoldsThem) {
    const auto product = _supplier.createProduct();
    const auto image = _supplier.add(product, {_url})["images"][0];
    const auto hold = [&](const std::string& seconds) {
        _fixture.database().exec("REPLACE INTO plugin_settings (plugin, name, value, changed_at) VALUES ('media', "
                                 "'removal-hold.test', UNIX_TIMESTAMP() + " +
                                 seconds + ", NOW(6))");
    };
    hold("900");
    requireStatus(200, _supplier.removeImage(product, idOf(image)));
    CPPUNIT_ASSERT_EQUAL(json::array(), _supplier.images(product));
    CPPUNIT_ASSERT(std::filesystem::exists(fileOf(image["url"])));
    const auto refused = runControl(_fixture.server(), {"media", "verify", "--repair", "--yes"});
    CPPUNIT_ASSERT_EQUAL(1, refused.exitCode);
    requireIn("a backup is being made", refused.errors);

    hold("-1"); // that of a backup which was killed
    const auto another = _supplier.add(product, {_url})["images"][0];
    requireStatus(200, _supplier.removeImage(product, idOf(another)));
    CPPUNIT_ASSERT(!std::filesystem::exists(fileOf(another["url"])));
    std::filesystem::remove(fileOf(image["url"]));
    std::filesystem::remove(fileOf(image["thumbnail_url"]));
    _fixture.database().exec("DELETE FROM plugin_settings WHERE plugin = 'media'");
}

} // namespace supplierd::tests

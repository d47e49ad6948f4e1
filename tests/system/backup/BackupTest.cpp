#include "tests/plugins/media/api/MediaFixture.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Control.h"
#include "tests/support/OperatorClient.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <cppunit/TestFixture.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t STOCK = 1'000;
constexpr std::size_t PRODUCTS = 6;

json stockChange(std::int64_t product, int by) {
    return {{"product_id", product}, {"stock_qty", by}, {"adjust", true}};
}

void requireUpdated(int count, const HttpResponse& response) {
    const auto data = dataOf(response);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(data.dump(), count, data.at("updated").get<int>());
}

/// Clients that write until they are stopped; what one of them throws comes out of stop().
class Writers {
public:
    void start(std::function<void(const std::atomic<bool>&)> work) {
        _threads.emplace_back([this, work = std::move(work)] {
            try {
                work(_stopping);
            } catch (const std::exception& failure) {
                const std::lock_guard lock(_mutex);
                _failure += std::string(failure.what()) + "\n";
            }
        });
    }
    ~Writers() { end(); }

    void stop() {
        end();
        CPPUNIT_ASSERT_EQUAL(std::string(), _failure);
    }

private:
    void end() {
        _stopping = true;
        for (auto& thread : _threads)
            if (thread.joinable())
                thread.join();
    }

    std::atomic<bool> _stopping{false};
    std::mutex _mutex;
    std::string _failure;
    std::vector<std::thread> _threads;
};

/// A file that somebody has locked.
class HeldFile {
public:
    explicit HeldFile(const fs::path& path)
        : _descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR)) {
        CPPUNIT_ASSERT(_descriptor >= 0 && ::flock(_descriptor, LOCK_EX | LOCK_NB) == 0);
    }
    ~HeldFile() { ::close(_descriptor); }
    HeldFile(const HeldFile&) = delete;
    HeldFile& operator=(const HeldFile&) = delete;

private:
    int _descriptor;
};

} // namespace

/// supplierctl backup, on a MariaDB of its own: it copies the whole server.
class BackupTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        if (runCommand({.arguments = {"sh", "-c", "command -v mariadb-backup"}}).exitCode != 0) {
            throw Skip("mariadb-backup is not installed");
        }
        _source = std::make_unique<Source>();
    }

protected:
    struct Source {
        TemporaryDirectory directory{"backup"};
        PrivateMariaDb mariaDb;
        MediaFixture fixture{{.database = &mariaDb, .furtherPlugins = {"inventory", "orders"}}};
    };
    struct Places {
        fs::path data;
        fs::path pictures;
    };
    struct Numbers {
        std::int64_t before;
        std::int64_t after;
    };

    /// What a client of the supplier knows of changes that the backup does not have.
    struct Remembered {
        std::int64_t number;
        std::int64_t newest; ///< the id of a product that is in no backup
        std::int64_t version;
        std::string productTag;
        std::string listTag;
        std::int64_t product;
    };

    /// Changes that the restored database does not have, and what was heard of them.
    static Remembered changeWhatWillBeLost(MediaClient& supplier, const std::vector<std::int64_t>& products) {
        const auto path = "/products/" + std::to_string(products.front());
        for (int i = 0; i < 3; ++i)
            requireStatus(200, supplier.post(path, {{"name", "Lost " + std::to_string(i)}}));
        const auto newest = idOf(supplier.create({{"stock_qty", 1}}));
        const auto product = supplier.get(path);
        const auto list = supplier.get("/products?per_page=50");
        return {supplier.changeSeq(),
                newest,
                dataOf(product).at("product").at("version").get<std::int64_t>(),
                product.header("ETag"),
                list.header("ETag"),
                products.front()};
    }

    std::string picture(unsigned number) { return _source->fixture.origin().serve(smallPicture(number)); }

    /// With --json.
    json backupCommand(std::vector<std::string> words, int exitCode = 0) {
        words.insert(words.begin(), "backup");
        return controlJson(_source->fixture.server(), std::move(words), exitCode);
    }

    static void requireMessage(const std::string& part, const json& failure) {
        const auto message = failure.at("error").at("message").get<std::string>();
        requireIn(part, message);
    }

    static std::string parseFirst(const std::string& checksums) {
        return checksums.substr(66, checksums.find('\n') - 66);
    }

    /// As if it had never been there, checksums and all.
    static void dropFromBackup(const fs::path& backup, const std::string& path) {
        std::istringstream lines(readWholeFile(backup / "SHA256SUMS"));
        std::string kept;
        for (std::string line; std::getline(lines, line);)
            if (!line.ends_with(path))
                kept += line + "\n";
        setChecksums(backup, kept);
    }

    static void setChecksums(const fs::path& backup, const std::string& lines) {
        writeWholeFile(backup / "SHA256SUMS", lines);
        const auto sum = runCommand({.arguments = {"sha256sum", backup / "SHA256SUMS"}}).output.substr(0, 64);
        auto manifest = json::parse(readWholeFile(backup / "manifest.json"));
        manifest["checksums_sha256"] = sum;
        writeWholeFile(backup / "manifest.json", manifest.dump());
    }

    void requireOneState(const Places& places, const MediaClient& supplier, const std::string& painter,
                         const Numbers& numbers, const Remembered& remembered) {
        PrivateMariaDb mariaDb({.data = places.data});
        TestDatabase database(mariaDb, _source->fixture.database().name());
        ServerProcess server(database,
                             {.plugins = {"categories", "catalog", "media", "inventory", "orders"},
                              .configuration = "[plugins.media]\nroot = \"" + places.pictures.string() + "\"\n",
                              .migrate = false});
        const auto number =
            database.integer("SELECT MAX(change_seq) FROM changes WHERE follows IS NULL AND supplier_id = " +
                             std::to_string(supplier.id()));
        CPPUNIT_ASSERT_MESSAGE("what was acknowledged before is missing", number >= numbers.before);
        CPPUNIT_ASSERT_EQUAL_MESSAGE("servers of the time of the backup", std::int64_t{0},
                                     database.integer("SELECT COUNT(*) FROM servers WHERE id = 'elsewhere'"));
        CPPUNIT_ASSERT(number <= numbers.after);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(
            "entries of the change log", number,
            database.integer("SELECT COUNT(*) FROM changes WHERE follows IS NULL AND supplier_id = " +
                             std::to_string(supplier.id())));
        CPPUNIT_ASSERT_EQUAL_MESSAGE("stock in all", STOCK * static_cast<std::int64_t>(PRODUCTS),
                                     database.integer("SELECT SUM(stock_qty) FROM products WHERE supplier_id = " +
                                                      std::to_string(supplier.id())));

        auto client = server.client(supplier.key());
        requireFreshNumbers(client, supplier, remembered);
        const auto list = dataOf(client.get("/products?per_page=50"));
        CPPUNIT_ASSERT_EQUAL(static_cast<int>(PRODUCTS), list.at("pagination").at("total_items").get<int>());
        std::int64_t stock = 0;
        for (const auto& product : list.at("products"))
            stock += product.at("stock_qty").get<std::int64_t>();
        CPPUNIT_ASSERT_EQUAL(STOCK * static_cast<std::int64_t>(PRODUCTS), stock);

        std::int64_t files = 0;
        auto pictures = server.rootClient();
        const auto painted = dataOf(server.client(painter).get("/products?per_page=50&include=images"));
        for (const auto& product : painted.at("products"))
            for (const auto& image : product.at("images"))
                for (const auto* kind : {"url", "thumbnail_url"}) {
                    requireStatus(200, pictures.get(image.at(kind).get<std::string>()));
                    ++files;
                }
        CPPUNIT_ASSERT(files >= 4);
        CPPUNIT_ASSERT_EQUAL(2 * database.integer("SELECT COUNT(*) FROM product_images"), files);
        // Images of the backup stay: a hold that it brought along is none.
        requireControl(server, {"totals", "verify"});
        requireControl(server, {"media", "verify"});
        requireUpdated(1,
                       client.post("/stock", {{"items", json::array({stockChange(idOf(list.at("products")[0]), 1)})}}));
    }

    /// Who remembers what was lost takes nothing for what he knows.
    static void requireFreshNumbers(HttpClient& client, const MediaClient& supplier, const Remembered& remembered) {
        const json changed =
            dataOf(client.get("/products?per_page=50&changed_after=" + std::to_string(remembered.number)));
        CPPUNIT_ASSERT_EQUAL_MESSAGE("all products are to be read anew", PRODUCTS, changed.at("products").size());
        std::int64_t last = remembered.number;
        for (const auto& product : changed.at("products")) {
            const auto number = product.at("change_seq").get<std::int64_t>();
            CPPUNIT_ASSERT(number >= last);
            last = number;
        }
        CPPUNIT_ASSERT(changed.at("pagination").at("last_change_seq").get<std::int64_t>() >= last);
        const auto path = "/products/" + std::to_string(remembered.product);
        for (const auto& [asked, tag] : {std::pair(path, remembered.productTag),
                                         std::pair(std::string("/products?per_page=50"), remembered.listTag)})
            requireStatus(200, client.get(asked, {{"If-None-Match", tag}}));
        for (int i = 0; i < 3; ++i) // as many changes as were lost
            requireStatus(200, client.post(path, {{"name", "Found " + std::to_string(i)}}));
        requireStatus(200, client.get(path, {{"If-None-Match", remembered.productTag}}));
        requireStatus(412, client.post(path, {{"name", "Stale"}}, {{"If-Match", remembered.productTag}}));
        const auto created = client.post("/products", supplier.productBody({{"stock_qty", 0}}));
        requireStatus(201, created);
        CPPUNIT_ASSERT_MESSAGE("an id was given twice", idOf(created.data().at("product")) > remembered.newest);
        requireStatus(200,
                      client.postEmpty("/products/" + std::to_string(idOf(created.data().at("product"))) + "/delete"));
    }

    std::unique_ptr<Source> _source;
};

TEST(BackupTest, aBackupBesideWritersIsRestoredToOneState) {
    if (!_source)
        return;
    MediaClient supplier(_source->fixture);
    std::vector<std::int64_t> products;
    for (std::size_t i = 0; i < PRODUCTS; ++i) {
        products.push_back(idOf(supplier.create({{"stock_qty", STOCK}})));
        _source->fixture.server().approveProduct(products.back());
    }
    _source->fixture.database().exec("INSERT INTO servers (id, name, version, redis, started_at, seen_at) VALUES "
                                     "('elsewhere', 'elsewhere:1', '1', '', NOW(6), NOW(6))");
    MediaClient painter(_source->fixture); // who writes beside the first: two catalogs in one backup
    std::vector<std::int64_t> painted;
    for (int i = 0; i < 4; ++i)
        painted.push_back(painter.createProduct());
    painter.add(painted[0], {picture(1), picture(2)});
    const auto before = supplier.changeSeq();

    Writers writers;
    // From one product to another in one transaction: at any time all of it is there.
    writers.start([&](const std::atomic<bool>& stopping) {
        auto client = supplier.anotherClient();
        for (std::size_t i = 0; !stopping; ++i)
            requireUpdated(2, client.post("/stock", {{"items",
                                                      {stockChange(products[i % PRODUCTS], -1),
                                                       stockChange(products[(i + 1) % PRODUCTS], 1)}}}));
    });
    writers.start([&](const std::atomic<bool>& stopping) {
        for (unsigned i = 10; !stopping; ++i) {
            const auto product = painted[1 + i % 3];
            painter.add(product, {picture(i)});
            if (const auto images = painter.images(product); images.size() > 2)
                requireStatus(200, painter.removeImage(product, idOf(images[0])));
        }
    });
    const auto backup = _source->directory / "backup";
    while (supplier.changeSeq() < before + 20)
        std::this_thread::yield();
    const auto manifest = backupCommand({"create", backup});
    const auto after = supplier.changeSeq();
    writers.stop();
    const Remembered remembered = changeWhatWillBeLost(supplier, products);

    CPPUNIT_ASSERT_MESSAGE(manifest.dump(), manifest["pictures"]["files"].get<int>() >= 4);
    CPPUNIT_ASSERT_EQUAL(_source->fixture.database().name(), manifest["database"]["name"].get<std::string>());
    CPPUNIT_ASSERT(!manifest["schema"].empty() && manifest["plugins"].size() == 5);
    const auto verified = backupCommand({"verify", backup});
    CPPUNIT_ASSERT_MESSAGE(verified.dump(), verified["good"].get<bool>() && verified["pictures_compared"].get<bool>());
    CPPUNIT_ASSERT(verified["tables"].get<int>() > 20);
    const auto sums =
        runCommand({.arguments = {"sha256sum", "--check", "--quiet", "SHA256SUMS"}, .workingDirectory = backup});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(sums.output, 0, sums.exitCode);

    const auto data = _source->directory / "restored";
    const auto pictures = _source->directory / "pictures";
    const auto restored = backupCommand({"restore", backup, "--datadir", data, "--media", pictures, "--yes"});
    CPPUNIT_ASSERT(restored["next"].size() >= 5);
    CPPUNIT_ASSERT(restored["change_numbers_raised_by"].get<std::int64_t>() >= 1 << 24);
    _source->fixture.server().stop();
    requireOneState({data, pictures}, supplier, painter.key(), {before, after}, remembered);
}

TEST(BackupTest, aDamagedBackupIsToldAndNotRestored) {
    if (!_source)
        return;
    MediaClient supplier(_source->fixture);
    supplier.add(supplier.createProduct(), {picture(1)});
    const auto backup = _source->directory / "backup";
    backupCommand({"create", backup});
    const auto key = _source->fixture.storedKeys().front();
    const auto file = backup / "media" / key;
    const auto bytes = readWholeFile(file);
    writeWholeFile(file, bytes.substr(1) + "x");
    auto verified = backupCommand({"verify", backup}, 1);
    CPPUNIT_ASSERT_EQUAL(json::array({"media/" + key + " is not what it was"}), verified["problems"]);
    const auto told = backupCommand(
        {"restore", backup, "--datadir", _source->directory / "a", "--media", _source->directory / "b", "--yes"}, 1);
    requireMessage("is damaged", told);

    fs::remove(file);
    writeWholeFile(backup / "media/stranger.jpg", "x");
    verified = backupCommand({"verify", backup}, 1);
    CPPUNIT_ASSERT_EQUAL(json::array({"media/" + key + " is missing", "media/stranger.jpg is no part of the backup"}),
                         verified["problems"]);

    // An image whose file was never in it: checksums cannot tell, the database can.
    fs::remove(backup / "media/stranger.jpg");
    dropFromBackup(backup, "media/" + key);
    verified = backupCommand({"verify", backup}, 1);
    CPPUNIT_ASSERT_EQUAL(json::array({"media/" + key + ", which an image needs, is not in the backup, or not whole"}),
                         verified["problems"]);
}

/// Restoring is root's.
TEST(BackupTest, nothingIsRestoredBesideItsFolders) {
    if (!_source)
        return;
    const auto backup = _source->directory / "backup";
    const auto data = _source->directory / "target/data";
    backupCommand({"create", backup});
    for (const auto* const inside : {"target/data/media", "target/data", "target"})
        requireMessage(
            "one lies in the other",
            backupCommand({"restore", backup, "--datadir", data, "--media", _source->directory / inside, "--yes"}, 2));
    requireMessage("one lies in the other",
                   backupCommand({"restore", backup, "--datadir", backup / "data", "--no-media", "--yes"}, 2));
    for (const auto* const path : {"evil/file", "./database/x", "/tmp/x", "database/../../x", "manifest.json"}) {
        const auto lines = readWholeFile(backup / "SHA256SUMS");
        setChecksums(backup, std::string(64, 'a') + "  " + path + "\n" + lines);
        requireMessage("the list of checksums is damaged",
                       backupCommand({"restore", backup, "--datadir", data, "--no-media", "--yes"}, 1));
        setChecksums(backup, lines);
    }
    CPPUNIT_ASSERT(!fs::exists(_source->directory / "target"));
    const auto first = parseFirst(readWholeFile(backup / "SHA256SUMS"));
    fs::remove(backup / first);
    requireMessage("is not whole; remove it",
                   backupCommand({"restore", backup, "--datadir", data, "--no-media", "--yes"}, 1));
}

TEST(BackupTest, nothingRunsOnWhenItIsKilled) {
    if (!_source)
        return;
    const auto backup = _source->directory / "backup";
    const auto scratch = _source->directory / "scratch";
    fs::create_directories(scratch);
    backupCommand({"create", backup});
    const auto log = _source->directory / "verify.log";
    ChildProcess verify(
        ChildCommand{{ServerProcess::controlProgram(), "--config", _source->fixture.server().configFile(), "backup",
                      "verify", backup, "--scratch", scratch},
                     {},
                     log,
                     log});
    const auto count = [&] {
        return runCommand({.arguments = {"pgrep", "--count", "--full", "mariadbd.*" + scratch.string()}}).output;
    };
    waitUntil([&] { return count() != "0\n"; });
    verify.signal(SIGKILL);
    waitUntil([&] { return count() == "0\n"; });

    const auto folders = [&] { return std::distance(fs::directory_iterator(scratch), fs::directory_iterator()); };
    CPPUNIT_ASSERT_EQUAL_MESSAGE("left behind", std::ptrdiff_t{1}, folders());
    const auto foreign = scratch / ".supplierd-backup.foreign"; // without a lock: nobody knows whose it is
    const auto used = scratch / ".supplierd-backup.used";
    for (const auto& folder : {foreign, used})
        fs::create_directories(folder / "data");
    const HeldFile user(used / "in-use");
    CPPUNIT_ASSERT(backupCommand({"verify", backup, "--scratch", scratch})["good"].get<bool>());
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{2}, folders());
    CPPUNIT_ASSERT(fs::exists(foreign / "data") && fs::exists(used / "data"));
}

TEST(BackupTest, nothingIsOverwritten) {
    if (!_source)
        return;
    const auto backup = _source->directory / "backup";
    const auto full = _source->directory / "full";
    fs::create_directories(full);
    writeWholeFile(full / "mine", "mine");
    requireMessage("is not empty", backupCommand({"create", full}, 1));
    backupCommand({"create", backup});
    requireMessage("is not empty", backupCommand({"create", backup}, 1));
    const auto data = _source->directory / "data";
    requireMessage("is not empty", backupCommand({"restore", backup, "--datadir", full, "--no-media", "--yes"}, 1));
    requireMessage("is not empty", backupCommand({"restore", backup, "--datadir", data, "--media", full, "--yes"}, 1));
    requireMessage("With --yes", backupCommand({"restore", backup, "--datadir", data, "--no-media"}, 1));
    requireMessage("--media", backupCommand({"restore", backup, "--datadir", data, "--yes"}, 2));
    CPPUNIT_ASSERT(!fs::exists(data));
    CPPUNIT_ASSERT_EQUAL(std::string("mine"), readWholeFile(full / "mine"));
    fs::remove(backup / "manifest.json");
    requireMessage("not finished", backupCommand({"verify", backup}, 1));
}

TEST(BackupTest, anotherDatabaseIsNotTakenForTheConfiguredOne) {
    if (!_source)
        return;
    PrivateMariaDb another;
    const auto backup = _source->directory / "backup";
    requireMessage("cannot ask", backupCommand({"create", backup, "--socket", another.socket()}, 1));
    CPPUNIT_ASSERT(!fs::exists(backup));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(
        "holds that are left", std::int64_t{0},
        _source->fixture.database().integer("SELECT COUNT(*) FROM plugin_settings WHERE name LIKE 'removal-hold.%'"));
}

TEST(BackupTest, aFolderOfPicturesIsCopiedWhileNoServerRuns) {
    if (!_source)
        return;
    MediaClient supplier(_source->fixture);
    supplier.add(supplier.createProduct(), {picture(1)});
    _source->fixture.server().stop();
    const auto backup = _source->directory / "backup";
    const auto manifest = backupCommand({"create", backup});
    CPPUNIT_ASSERT_EQUAL(json(2), manifest["pictures"]["files"]);
    CPPUNIT_ASSERT_EQUAL(manifest["pictures"]["store_id"].get<std::string>() + "\n",
                         readWholeFile(backup / "media/.store-id"));
    const auto verified = backupCommand({"verify", backup});
    CPPUNIT_ASSERT(verified["good"].get<bool>() && verified["pictures_compared"].get<bool>());

    const auto away = _source->fixture.root().string() + "-away";
    fs::rename(_source->fixture.root(), away);
    fs::create_directory(_source->fixture.root());
    requireMessage("is it mounted", backupCommand({"create", _source->directory / "another"}, 1));
    fs::remove(_source->fixture.root());
    fs::rename(away, _source->fixture.root());
}

TEST(BackupTest, serversThatCannotBeReachedAreTold) {
    if (!_source)
        return;
    const auto backup = _source->directory / "backup";
    _source->fixture.database().exec("INSERT INTO servers (id, name, version, redis, started_at, seen_at) VALUES "
                                     "('elsewhere', 'elsewhere:1', '1', '', NOW(6), NOW(6) + INTERVAL 1 HOUR)");
    _source->fixture.server().stop();
    requireMessage("elsewhere:1 serves this database", backupCommand({"create", backup}, 1));
    CPPUNIT_ASSERT(!fs::exists(backup));
    _source->fixture.database().exec("DELETE FROM servers");
    const auto s3 = _source->fixture.server().directory() / "conf.d/95-s3.toml";
    writeWholeFile(s3, "[plugins.media]\nstore = \"s3\"\n[plugins.media.s3]\nbucket = \"pictures\"\n"
                       "access_key_id = \"x\"\nsecret_access_key = \"y\"\n");
    fs::permissions(s3, fs::perms(0600));
    requireMessage("pictures that lie in S3 are read by a server alone", backupCommand({"create", backup}, 1));
}

TEST(BackupTest, aPasswordThatOthersCanReadIsRefused) {
    if (!_source)
        return;
    auto& database = _source->fixture.database();
    database.exec("CREATE USER backup@localhost IDENTIFIED BY 'secret word'; GRANT RELOAD, PROCESS, LOCK TABLES, "
                  "BINLOG MONITOR ON *.* TO backup@localhost; GRANT SELECT ON " +
                  database.name() + ".* TO backup@localhost");
    const auto options = _source->directory / "backup.cnf";
    writeWholeFile(options, "[client]\nuser=backup\npassword=\"secret word\"\n");
    fs::permissions(options, fs::perms::owner_read | fs::perms::group_read);
    const auto backup = _source->directory / "backup";
    requireMessage("chmod 600", backupCommand({"create", backup, "--defaults-file", options}, 1));
    fs::permissions(options, fs::perms::owner_read);
    backupCommand({"create", backup, "--defaults-file", options});
    CPPUNIT_ASSERT(backupCommand({"verify", backup})["good"].get<bool>());
    // What lacks a right is told of it, and its password's hash is not printed beside it.
    database.exec("REVOKE RELOAD ON *.* FROM backup@localhost");
    const auto refused =
        backupCommand({"create", _source->directory / "refused", "--defaults-file", options}, 1).dump();
    requireIn("missing required privilege RELOAD", refused);
    requireIn("GRANT PROCESS", refused);
    CPPUNIT_ASSERT_MESSAGE(refused, refused.find("IDENTIFIED") == std::string::npos);
}

} // namespace supplierd::tests

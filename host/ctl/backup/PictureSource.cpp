#include "host/ctl/backup/PictureSource.h"

#include "host/auth/HostCrypto.h"
#include "host/base/Digest.h"
#include "host/config/CheckedConfig.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/server/ServerPresence.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <optional>
#include <vector>

namespace supplierd::host {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes HOLD{15};
constexpr std::chrono::minutes RENEW_AFTER{1};
/// Of a server that does not answer, because it is restarted: longer than that takes, shorter than the hold.
constexpr std::chrono::minutes RESTART_TIME{5};
constexpr std::chrono::seconds NEXT_ATTEMPT{5};
constexpr int NOT_FOUND = 404;
constexpr int FOUND = 200;
constexpr const char* STORE_ID = ".store-id";

std::vector<std::string> runningServers(ControlContext& context) {
    std::vector<std::string> names;
    const auto servers = context.database().read([](SqlSession& session) { return ServerPresence::list(session); });
    for (const auto& server : servers)
        names.push_back(server.name);
    return names;
}

/// Through a running server, which holds removals back on all of them.
class ServedPictures final : public PictureSource {
public:
    explicit ServedPictures(ServerConnection& server) : _server(server) { renew(); }
    ~ServedPictures() override {
        try {
            _server.data({.method = "POST", .path = "/media/holds/" + _token + "/end"});
        } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): it ends by itself
        }
    }

    std::string token() const override { return _token; }

    void stay() override {
        if (Clock::now() < _next)
            return;
        try {
            renew();
        } catch (const CommandFailure&) {
            if (Clock::now() - _renewed > RESTART_TIME)
                throw;
            _next = Clock::now() + NEXT_ATTEMPT;
        }
        requireNotLapsed();
    }

    void requireStayed() override {
        renew();
        requireNotLapsed();
    }

    std::string storeId() override { return list({}).value("store_id", ""); }

    void copyTo(const fs::path& folder, const std::function<void(BackupFile)>& copied) override {
        std::string after;
        while (true) {
            const auto files = list(after).value("files", ResponseJson::array());
            if (files.empty())
                return;
            for (const auto& file : files) {
                after = file.value("key", "");
                if (auto copy = this->copy(folder, after, file.value("bytes", std::uint64_t{0})))
                    copied(std::move(*copy));
                stay();
            }
        }
    }

private:
    void renew() {
        const ResponseJson body = {{"token", _token}, {"seconds", std::chrono::seconds(HOLD).count()}};
        const auto answer = _server.data({.method = "POST", .path = "/media/holds", .body = body.dump()});
        _hasLapsed = _hasLapsed || answer.at("hold").value("has_lapsed", true);
        _renewed = Clock::now();
        _next = _renewed + RENEW_AFTER;
    }

    void requireNotLapsed() const {
        if (_hasLapsed)
            throw CommandFailure("for a quarter of an hour the backup could not go on, so that servers were free to "
                                 "remove pictures which it needs; make it again");
    }

    ResponseJson list(const std::string& after) {
        return _server.data({.path = "/media/files" + (after.empty() ? "" : "?after=" + after)});
    }

    /// Nothing for one that was removed meanwhile.
    std::optional<BackupFile> copy(const fs::path& folder, const std::string& key, std::uint64_t bytes) {
        auto output = makeFile(folder / key);
        BackupFile file{key};
        Sha256 sum;
        const auto save = [&](std::string_view piece) {
            output.write(piece);
            sum.update(piece);
            file.bytes += piece.size();
        };
        const auto answer = _server.send({.path = "/media/files/" + key, .save = save});
        output.close();
        if (answer.status == NOT_FOUND) {
            fs::remove(folder / key);
            return std::nullopt;
        }
        if (answer.status != FOUND)
            throw ServerConnection::failureOf(answer);
        if (file.bytes != bytes)
            throw CommandFailure(fmt::format("of the picture {} came {} bytes instead of {}", key, file.bytes, bytes));
        file.sha256 = sum.digest();
        return file;
    }

    ServerConnection& _server;
    const std::string _token = Crypto::hex(HostCrypto().randomBytes(12));
    Clock::time_point _renewed = Clock::now();
    Clock::time_point _next;
    bool _hasLapsed = false;
};

/// While no server runs.
class FolderPictures final : public PictureSource {
public:
    FolderPictures(ControlContext& context, fs::path folder) : _context(context), _folder(std::move(folder)) {
        if (!fs::is_regular_file(_folder / STORE_ID))
            throw CommandFailure(fmt::format("the folder of pictures {} has no file {}, so it is not what servers of "
                                             "this database work with: is it mounted? A server that is started says "
                                             "whether it is",
                                             _folder.string(), STORE_ID));
    }

    void stay() override {}
    void requireStayed() override {
        if (const auto servers = runningServers(_context); !servers.empty())
            throw CommandFailure(fmt::format("{} was started meanwhile, and may have removed pictures which the backup "
                                             "needs; make it again",
                                             servers.front()));
    }

    std::string storeId() override {
        const auto text = readFile(_folder / STORE_ID);
        return text.substr(0, text.find_first_of("\r\n "));
    }

    void copyTo(const fs::path& folder, const std::function<void(BackupFile)>& copied) override {
        for (auto at = fs::recursive_directory_iterator(_folder); at != fs::recursive_directory_iterator(); ++at) {
            if (at->path().filename().native().starts_with('.')) { // what is not finished, and the id
                at.disable_recursion_pending();
                continue;
            }
            if (!at->is_regular_file() || at->is_symlink())
                continue;
            BackupFile file{at->path().lexically_relative(_folder).string()};
            file.sha256 = copyFile(at->path(), folder / file.path, [&](std::uint64_t bytes) { file.bytes += bytes; });
            copied(std::move(file));
        }
    }

private:
    ControlContext& _context;
    const fs::path _folder;
};

} // namespace

PictureStore PictureStore::configured(const Settings& settings, const PluginSet& plugins) {
    const LoadedPlugin* const plugin = plugins.find("media");
    if (!plugin)
        return {};
    Diagnostics ignored; // a server says what is wrong with them
    const auto config = CheckedConfig::check(plugin->description.config, settings.plugins.table("media"),
                                             {"plugins.media", {}, settings.file.parent_path()}, ignored);
    const bool isInS3 = config.text("store") == "s3";
    const bool isMoving = config.boolean("moving");
    return {isInS3 && !isMoving ? std::string() : config.text("root"), isInS3 || isMoving};
}

std::unique_ptr<PictureSource> PictureSource::open(ControlContext& context, const PictureStore& store) {
    const auto servers = runningServers(context);
    if (servers.empty() && store.isInS3)
        throw CommandFailure("no server of this database runs, and pictures that lie in S3 are read by a server alone; "
                             "start one, also where nobody can reach it");
    if (servers.empty())
        return std::make_unique<FolderPictures>(context, store.folder);
    try {
        return std::make_unique<ServedPictures>(context.connection());
    } catch (const CommandFailure& failure) {
        throw CommandFailure(fmt::format("{} serves this database, so that pictures may be removed at any time, but "
                                         "none of its servers is reached: {}. Run this on the machine of one, or give "
                                         "--server and --key-file",
                                         servers.front(), failure.what()),
                             failure.exitCode());
    }
}

} // namespace supplierd::host

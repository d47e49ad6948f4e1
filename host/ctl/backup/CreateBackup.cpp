#include "host/Version.h"
#include "host/ctl/backup/Backup.h"
#include "host/ctl/backup/ChildProgram.h"
#include "host/ctl/backup/PictureSource.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/InterruptFlag.h"
#include "host/ctl/terminal/ProgressBar.h"
#include "host/plugins/PluginLook.h"

#include <Poco/DateTimeFormat.h>
#include <Poco/DateTimeFormatter.h>
#include <Poco/RegularExpression.h>
#include <Poco/Timestamp.h>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

namespace supplierd::host {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes LAG_LIMIT{2};
constexpr std::chrono::milliseconds LAG_PAUSE{200};

void throwIfInterrupted(const InterruptFlag& interrupt) {
    if (interrupt.isRaised())
        throw CommandFailure("interrupted; nothing is left of the backup");
}

/// What lies in the folder goes with it, unless keep() was called.
class NewBackup {
public:
    explicit NewBackup(const fs::path& folder) : _folder(folder), _existed(fs::exists(folder)) {
        if (!isVacant(folder))
            throw CommandFailure(folder.string() + " is not empty; a backup goes into a folder of its own" +
                                 (fs::exists(folder / BACKUP_MANIFEST)
                                      ? ""
                                      : ". If what is in it is a backup that was killed, remove it"));
        fs::create_directories(folder);
        requireOwn(folder);
        fs::permissions(folder, fs::perms::owner_all); // what was a secret in the database is one here
    }
    ~NewBackup() {
        if (_isKept)
            return;
        std::error_code ignored;
        for (const auto* part :
             {BACKUP_DATABASE, BACKUP_PICTURES, BACKUP_CHECKSUMS, BACKUP_UNFINISHED_MANIFEST, BACKUP_MANIFEST})
            fs::remove_all(_folder / part, ignored);
        if (!_existed)
            fs::remove(_folder, ignored);
    }
    NewBackup(const NewBackup&) = delete;
    NewBackup& operator=(const NewBackup&) = delete;

    void keep() { _isKept = true; }

private:
    /// Whoever owns a folder can open it again for whom they like.
    static void requireOwn(const fs::path& folder) {
        struct stat found {};
        if (::lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != ::geteuid())
            throw CommandFailure(folder.string() + " belongs to somebody else, or is no folder; a backup goes into one "
                                                   "that only you can read");
    }

    const fs::path _folder;
    const bool _existed;
    bool _isKept = false;
};

void requirePrivate(const fs::path& defaultsFile) {
    struct stat file {};
    if (::stat(defaultsFile.c_str(), &file) != 0)
        throw CommandFailure("there is no " + defaultsFile.string());
    if ((file.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        throw CommandFailure(fmt::format("others may read {}, which has a password; run: chmod 600 {}",
                                         defaultsFile.string(), defaultsFile.string()));
}

class BackupRun {
public:
    BackupRun(ControlContext& context, fs::path folder, const BackupAccess& access)
        : _context(context), _folder(std::move(folder)) {
        if (!access.defaultsFile.empty()) {
            requirePrivate(access.defaultsFile);
            // Has to be the first one.
            _access.push_back("--defaults-file=" + fs::absolute(access.defaultsFile).string());
        }
        const auto& configured = context.settings().database.session.socket;
        if (const auto& socket = access.socket.empty() ? configured : access.socket; !socket.empty())
            _access.push_back("--socket=" + socket);
    }

    BackupManifest make() {
        const auto store = describe();
        auto pictures = store.isUsed() ? PictureSource::open(_context, store) : nullptr;
        requireSameDatabase(pictures ? pictures->token() : std::string());
        const auto stay = [&] {
            throwIfInterrupted(_interrupt);
            if (pictures)
                pictures->stay();
        };
        copyDatabase(stay);
        if (pictures) {
            copyPictures(*pictures);
            pictures->requireStayed(); // all the time
            pictures.reset();
        }
        prepareDatabase();
        sumUp();
        return std::move(_manifest);
    }

private:
    PictureStore describe() {
        _manifest.createdAt = Poco::DateTimeFormatter::format(Poco::Timestamp(), Poco::DateTimeFormat::ISO8601_FORMAT);
        _manifest.version = VERSION;
        _manifest.database = _context.settings().database.session.database;
        _manifest.schema = appliedSchema(_context.database());
        Diagnostics problems;
        const auto plugins = loadPlugins(_context.settings(), problems);
        for (const auto& plugin : plugins.plugins())
            _manifest.plugins.push_back({plugin.id(), plugin.note.version});
        if (problems.hasErrors())
            throw CommandFailure(problems.toString());
        return PictureStore::configured(_context.settings(), plugins);
    }

    std::vector<std::string> withAccess(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), _access.begin(), _access.end());
        return arguments;
    }

    /// The server that is copied has to be one of this database, and as far as the hold: a replica or a node of a
    /// cluster may lag behind, and would have rows whose files went before.
    void requireSameDatabase(const std::string& token) const {
        const auto sql = token.empty() ? std::string("SELECT COUNT(*) > 0 FROM schema_migrations;\n")
                                       : "SET SESSION wsrep_sync_wait = 1;\n"
                                         "SELECT COUNT(*) FROM plugin_settings WHERE name LIKE '%." +
                                             token + "';\n";
        const auto client = findProgram("mariadb", "mariadb-client-core");
        const auto arguments = withAccess({"--batch", "--skip-column-names", "--database=" + _manifest.database});
        const auto end = Clock::now() + LAG_LIMIT;
        for (;;) {
            throwIfInterrupted(_interrupt);
            const auto answer = runProgram(client, arguments, sql);
            if (answer.exitCode != 0)
                throw CommandFailure(
                    fmt::format("cannot ask the MariaDB that is to be copied, which has to run on this machine (see "
                                "--socket and --defaults-file): {}",
                                answer.output));
            if (answer.output == "1\n")
                return;
            if (Clock::now() > end)
                throw CommandFailure("the MariaDB on this machine does not have what is written to the configured "
                                     "database: it is another one, or a replica that has stopped; see --socket and "
                                     "--defaults-file");
            std::this_thread::sleep_for(LAG_PAUSE);
        }
    }

    template <class Stay>
    void copyDatabase(const Stay& stay) {
        const auto target = _folder / BACKUP_DATABASE;
        ProgressBar bar(_context.err(), _context.isInteractive(), 0, "files of the database");
        std::size_t copied = 0;
        const auto result = runProgram(findProgram("mariadb-backup", "mariadb-backup"),
                                       withAccess({"--backup", "--galera-info", "--target-dir=" + target.string()}), {},
                                       [&](const std::string& line) {
                                           if (line.find("Copying ") != std::string::npos)
                                               bar.show(++copied, 0);
                                           stay();
                                       });
        if (result.exitCode != 0)
            throw CommandFailure("mariadb-backup failed:\n" + withoutHashes(result.output));
    }

    /// Where a privilege is missing, mariadb-backup prints the account's grants, and its password's hash with them.
    static std::string withoutHashes(std::string text) {
        Poco::RegularExpression(" IDENTIFIED [^']*'[^']*'").subst(text, "", Poco::RegularExpression::RE_GLOBAL);
        return text;
    }

    /// Apart from the hold: it may take long, and needs no picture.
    void prepareDatabase() {
        const auto target = _folder / BACKUP_DATABASE;
        const auto result = runProgram(findProgram("mariadb-backup", "mariadb-backup"),
                                       {"--no-defaults", "--prepare", "--target-dir=" + target.string()}, {},
                                       [&](const std::string&) { throwIfInterrupted(_interrupt); });
        if (result.exitCode != 0)
            throw CommandFailure("mariadb-backup --prepare failed:\n" + result.output);
        _manifest.serverVersion = valueOf("xtrabackup_info", "server_version");
        _manifest.binlogPosition = firstLineOf("xtrabackup_binlog_info");
        // "UUID:number domain"
        _manifest.wsrepPosition = firstLineOf("xtrabackup_galera_info");
        _manifest.wsrepPosition.erase(std::min(_manifest.wsrepPosition.find(' '), _manifest.wsrepPosition.size()));
    }

    std::string firstLineOf(const char* name) const {
        const auto file = _folder / BACKUP_DATABASE / name;
        const auto text = fs::exists(file) ? readFile(file) : std::string();
        return text.substr(0, text.find('\n'));
    }

    std::string valueOf(const char* name, const std::string& key) const {
        std::istringstream lines(readFile(_folder / BACKUP_DATABASE / name));
        for (std::string line; std::getline(lines, line);)
            if (line.starts_with(key + " = "))
                return line.substr(key.size() + 3);
        return {};
    }

    void copyPictures(PictureSource& source) {
        BackedUpPictures pictures;
        pictures.storeId = source.storeId();
        fs::create_directories(_folder / BACKUP_PICTURES);
        if (!pictures.storeId.empty())
            writeFile(_folder / BACKUP_STORE_ID, pictures.storeId + "\n");
        ProgressBar bar(_context.err(), _context.isInteractive(), 0, "pictures");
        source.copyTo(_folder / BACKUP_PICTURES, [&](BackupFile file) {
            throwIfInterrupted(_interrupt);
            pictures.bytes += file.bytes;
            file.path.insert(0, std::string(BACKUP_PICTURES) + "/");
            _files.push_back(std::move(file));
            bar.show(++pictures.files, 0);
        });
        _manifest.pictures = pictures;
    }

    void sumUp() {
        auto files = filesBelow(_folder, BACKUP_DATABASE);
        if (fs::exists(_folder / BACKUP_STORE_ID))
            files.push_back({BACKUP_STORE_ID, fs::file_size(_folder / BACKUP_STORE_ID)});
        std::uint64_t total = 0;
        for (const auto& file : files)
            total += file.bytes;
        ProgressBar bar(_context.err(), _context.isInteractive(), total, "bytes of checksums");
        std::uint64_t done = 0;
        for (auto& file : files)
            file.sha256 = checksumOf(_folder / file.path, [&](std::uint64_t bytes) {
                throwIfInterrupted(_interrupt);
                bar.show(done += bytes, 0);
            });
        files.insert(files.end(), _files.begin(), _files.end());
        for (const auto& file : files)
            _manifest.bytes += file.bytes;
        _manifest.files = files.size();
        const auto lines = checksumLines(files);
        Sha256 sum;
        sum.update(lines);
        _manifest.checksums = sum.digest();
        writeFile(_folder / BACKUP_CHECKSUMS, lines);
        syncFileSystem(_folder);
        // Last, and whole or not at all.
        const auto unfinished = _folder / BACKUP_UNFINISHED_MANIFEST;
        writeFile(unfinished, _manifest.json());
        syncFileSystem(_folder);
        fs::rename(unfinished, _folder / BACKUP_MANIFEST);
        syncFileSystem(_folder);
    }

    ControlContext& _context;
    const fs::path _folder;
    std::vector<std::string> _access;
    const InterruptFlag _interrupt;
    BackupManifest _manifest;
    std::vector<BackupFile> _files;
};

} // namespace

BackupManifest createBackup(ControlContext& context, const fs::path& folder, const BackupAccess& access) {
    const auto place = fs::absolute(folder);
    BackupRun run(context, place, access);
    NewBackup made(place);
    auto manifest = run.make();
    made.keep();
    return manifest;
}

} // namespace supplierd::host

#include "host/Version.h"
#include "host/base/Digest.h"
#include "host/ctl/backup/BackupFiles.h"
#include "host/ctl/backup/ChildProgram.h"
#include "host/ctl/backup/FreshNumbers.h"
#include "host/ctl/backup/PictureSource.h"
#include "host/ctl/setup/AccountSetup.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"

#include <Poco/DateTimeFormat.h>
#include <Poco/DateTimeFormatter.h>
#include <Poco/RegularExpression.h>
#include <Poco/Timestamp.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <sstream>
#include <thread>
#include <utility>

namespace supplierd::host {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* CREATE_FOOTER = R"(
Copies the whole MariaDB server of this machine by mariadb-backup (package mariadb-backup), while servers run, then the
stored pictures, into DIR, which has to be new or empty. Run it on a machine of the database, as somebody who may read
its files: root. In a cluster take a node that is not written to. While it runs no server removes a picture, so that every
image of the backup has its files; --json prints the manifest.

The pictures come from a running server, of this machine or as --server says. While no server of the database runs, a folder of
pictures is copied by itself; pictures in S3 need a server.

The account: that of the operating system over the socket (root's on Debian), or what --defaults-file has under [client],
a file that only you can read (chmod 600). It needs RELOAD, PROCESS, LOCK TABLES and BINLOG MONITOR, and SELECT on
supplierd's database.

Keep what is in /etc/supplierd beside it, and copy it to another machine. DIR holds what the database holds: keep it as
safe. A failure leaves nothing in DIR.)";

struct CreateOptions {
    fs::path folder;
    fs::path defaultsFile; ///< an option file of MariaDB with account and password; empty: the usual ones
    std::string socket;    ///< empty: that of the configuration, or the usual one
};

constexpr std::chrono::minutes LAG_LIMIT{2};
constexpr std::chrono::milliseconds LAG_PAUSE{200};

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
    BackupRun(ControlContext& context, const CreateOptions& access)
        : _context(context), _folder(fs::absolute(access.folder)) {
        if (!access.defaultsFile.empty()) {
            requirePrivate(access.defaultsFile);
            // Has to be the first one.
            _access.push_back("--defaults-file=" + fs::absolute(access.defaultsFile).string());
        }
        const auto& configured = context.settings().database.session.socket;
        if (const auto& socket = access.socket.empty() ? configured : access.socket; !socket.empty())
            _access.push_back("--socket=" + socket);
    }

    ResponseJson make() {
        const auto store = describe();
        auto pictures = store.isUsed() ? PictureSource::open(_context, store) : nullptr;
        requireSameDatabase(pictures ? pictures->token() : std::string());
        const auto stay = [&] {
            _interruption.check();
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
        const auto plugins = _context.loadedPlugins();
        auto versions = ResponseJson::array();
        for (const auto& plugin : plugins.plugins())
            versions.push_back({{"id", plugin.id()}, {"version", plugin.note.version}});
        _manifest = {
            {"format", BACKUP_FORMAT},
            {"created_at", Poco::DateTimeFormatter::format(Poco::Timestamp(), Poco::DateTimeFormat::ISO8601_FORMAT)},
            {"supplierd_version", VERSION},
            {"database",
             {{"name", _context.settings().database.session.database},
              {"server_version", ""},
              {"binlog_position", ""},  // with the GTID; empty: without binary log
              {"wsrep_position", ""}}}, // "UUID:number"; empty: no Galera
            {"schema", appliedSchema(_context.database())},
            {"plugins", versions},
            {"pictures", nullptr}, // nobody stores any
            {"files", 0},
            {"bytes", 0},
            {"checksums_sha256", ""}}; // that of SHA256SUMS
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
        const auto arguments = withAccess(
            {"--batch", "--skip-column-names", "--database=" + _manifest["database"]["name"].get<std::string>()});
        const auto end = Clock::now() + LAG_LIMIT;
        for (;;) {
            _interruption.check();
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
                                               bar.show(++copied);
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
                                       [&](const std::string&) { _interruption.check(); });
        if (result.exitCode != 0)
            throw CommandFailure("mariadb-backup --prepare failed:\n" + result.output);
        auto& database = _manifest["database"];
        database["server_version"] = valueOf("info", "server_version");
        database["binlog_position"] = firstLineOf("binlog_info");
        const auto galera = firstLineOf("galera_info"); // "UUID:number domain"
        database["wsrep_position"] = galera.substr(0, galera.find(' '));
    }

    /// What mariadb-backup wrote beside the copy, under its own name since MariaDB 11.1; "" if it did not.
    std::string noteOf(const std::string& name) const {
        for (const char* prefix : {"mariadb_backup_", "xtrabackup_"})
            if (const auto file = _folder / BACKUP_DATABASE / (prefix + name); fs::exists(file))
                return readFile(file);
        return {};
    }

    std::string firstLineOf(const std::string& name) const {
        const auto text = noteOf(name);
        return text.substr(0, text.find('\n'));
    }

    std::string valueOf(const std::string& name, const std::string& key) const {
        std::istringstream lines(noteOf(name));
        for (std::string line; std::getline(lines, line);)
            if (line.starts_with(key + " = "))
                return line.substr(key.size() + 3);
        return {};
    }

    void copyPictures(PictureSource& source) {
        const auto storeId = source.storeId();
        fs::create_directories(_folder / BACKUP_PICTURES);
        if (!storeId.empty())
            writeFile(_folder / BACKUP_STORE_ID, storeId + "\n");
        ProgressBar bar(_context.err(), _context.isInteractive(), 0, "pictures");
        source.copyTo(_folder / BACKUP_PICTURES, [&](BackupFile file) {
            _interruption.check();
            file.path.insert(0, std::string(BACKUP_PICTURES) + "/");
            _files.push_back(std::move(file));
            bar.show(_files.size());
        });
        _manifest["pictures"] = {{"store_id", storeId}, {"files", _files.size()}, {"bytes", bytesOf(_files)}};
    }

    void sumUp() {
        auto files = filesBelow(_folder, BACKUP_DATABASE);
        if (fs::exists(_folder / BACKUP_STORE_ID))
            files.push_back({BACKUP_STORE_ID, fs::file_size(_folder / BACKUP_STORE_ID)});
        ByteCount count(_context, _interruption, bytesOf(files), "bytes of checksums");
        for (auto& file : files)
            file.sha256 = checksumOf(_folder / file.path, std::ref(count));
        files.insert(files.end(), _files.begin(), _files.end());
        const auto lines = checksumLines(files);
        Sha256 sum;
        sum.update(lines);
        _manifest["files"] = files.size();
        _manifest["bytes"] = bytesOf(files);
        _manifest["checksums_sha256"] = sum.digest();
        writeFile(_folder / BACKUP_CHECKSUMS, lines);
        syncFileSystem(_folder);
        // Last, and whole or not at all.
        const auto unfinished = _folder / BACKUP_UNFINISHED_MANIFEST;
        writeFile(unfinished, _manifest.dump() + "\n");
        syncFileSystem(_folder);
        fs::rename(unfinished, _folder / BACKUP_MANIFEST);
        syncFileSystem(_folder);
    }

    ControlContext& _context;
    const fs::path _folder;
    std::vector<std::string> _access;
    const Interruption _interruption{"interrupted; nothing is left of the backup"};
    ResponseJson _manifest;
    std::vector<BackupFile> _files;
};

/// A failure leaves nothing in the folder.
void requireMariaDb(ControlContext& context) {
    const auto version = context.database().read([](SqlSession& session) {
        Rows& row = session.query("SELECT VERSION()");
        return std::string(row.next() ? row.text(0) : "");
    });
    if (!AccountSetup::isMariaDb(version))
        throw CommandFailure("the database is MySQL " + version +
                             ", which mariadb-backup cannot copy. Dump it: mysqldump "
                             "--single-transaction --hex-blob DATABASE, and copy the pictures");
}

void create(ControlContext& context, const CreateOptions& options) {
    requireMariaDb(context);
    BackupRun run(context, options);
    NewBackup made(fs::absolute(options.folder));
    const auto manifest = run.make();
    made.keep();
    if (context.json) {
        context.print(manifest);
        return;
    }
    context.out() << describeSize(manifest);
    if (!manifest["pictures"].is_null())
        context.out() << fmt::format(", {} of them pictures", manifest["pictures"]["files"].get<std::uint64_t>());
    context.out() << fmt::format(" in {0}\nlook whether it is good: supplierctl backup verify {0}\n",
                                 options.folder.string());
}

} // namespace

void addBackupCreateCommand(CLI::App& backup, ControlContext& context) {
    auto options = std::make_shared<CreateOptions>();
    auto* command = backup.add_subcommand("create", "Copy database and pictures while servers run");
    command->footer(CREATE_FOOTER);
    command->add_option("DIR", options->folder, "A folder that is new or empty")->required();
    command->add_option("--defaults-file", options->defaultsFile, "An option file of MariaDB with the account")
        ->type_name("FILE");
    command->add_option("--socket", options->socket, "Of the MariaDB that is copied; else as configured")
        ->type_name("FILE");
    command->callback([&context, options] { create(context, *options); });
}

} // namespace supplierd::host

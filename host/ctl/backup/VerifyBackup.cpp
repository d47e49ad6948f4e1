#include "host/ctl/backup/Backup.h"
#include "host/ctl/backup/BackupFiles.h"
#include "host/ctl/backup/ChildProgram.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/db/schema/TableChanges.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

namespace supplierd::host {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t MAX_PROBLEMS = 100;

constexpr std::string_view SELECT_TABLES = R"sql(
SELECT table_name FROM information_schema.tables WHERE table_schema = ? AND table_type = 'BASE TABLE' ORDER BY table_name
)sql";

class BackupCheck {
public:
    BackupCheck(ControlContext& context, const fs::path& folder) : _context(context), _folder(fs::absolute(folder)) {
        _report.manifest = readManifest(_folder);
    }

    void compareChecksums() {
        const auto files = listedFiles(_folder, _report.manifest);
        ByteCount count(_context, _interruption, bytesOf(files), "bytes of checksums");
        std::set<std::string> listed;
        for (const auto& file : files) {
            listed.insert(file.path);
            if (!fs::is_regular_file(_folder / file.path))
                addProblem(file.path + " is missing");
            else if (checksumOf(_folder / file.path, std::ref(count)) != file.sha256)
                addProblem(file.path + " is not what it was");
        }
        for (const auto* part : {BACKUP_DATABASE, BACKUP_PICTURES})
            for (const auto& file : filesBelow(_folder, part))
                if (!listed.contains(file.path))
                    addProblem(file.path + " is no part of the backup");
    }

    /// On a copy, since MariaDB writes to what it is started on.
    void readDatabase(const fs::path& scratch) {
        const ScratchFolder place(scratch.empty() ? _folder.parent_path() : scratch);
        copyDatabase(place.path() / "data");
        ScratchDatabase server(place.path() / "data", databaseName());
        auto& database = server.database();
        readTables(server.pool(), database);
        if (appliedSchema(database) != _report.manifest.at("schema"))
            addProblem("the schema in the database is not the one that the manifest says");
        comparePictures(server.pool());
    }

    BackupReport take() { return std::move(_report); }
    bool isGood() const { return _report.problems.empty(); }

private:
    std::string databaseName() const { return _report.manifest.at("database").at("name"); }

    void addProblem(std::string text) {
        if (_report.problems.size() < MAX_PROBLEMS)
            _report.problems.push_back(std::move(text));
    }

    void copyDatabase(const fs::path& data) {
        const auto files = filesBelow(_folder, BACKUP_DATABASE);
        ByteCount count(_context, _interruption, bytesOf(files), "bytes of the database");
        for (const auto& file : files)
            copyFile(_folder / file.path, data / fs::path(file.path).lexically_relative(BACKUP_DATABASE),
                     std::ref(count));
        fs::create_directories(data);
    }

    void readTables(SessionPool& pool, Database& database) {
        const auto tables = database.read([&](SqlSession& session) {
            std::vector<std::string> names;
            auto& rows = session.query(SELECT_TABLES, {databaseName()});
            while (rows.next())
                names.emplace_back(rows.text(0));
            return names;
        });
        ProgressBar bar(_context.err(), _context.isInteractive(), tables.size(), "tables");
        for (const auto& table : tables) {
            _interruption.check();
            const auto session = pool.acquire();
            auto& rows = session->query("CHECK TABLE " + quotedTable(table));
            while (rows.next())
                if (rows.text(2) != "status" || rows.text(3) != "OK")
                    addProblem(fmt::format("table {}: {}: {}", table, rows.text(2), rows.text(3)));
            bar.show(++_report.tables);
        }
        if (tables.empty())
            addProblem("the database " + databaseName() + " has no tables");
    }

    /// What the backup has too much (files whose rows were not committed yet) does no harm.
    void comparePictures(SessionPool& pool) {
        if (_report.manifest.at("pictures").is_null())
            return;
        const auto plugins = _context.loadedPlugins();
        for (const auto& plugin : plugins.plugins())
            if (const auto& statement = plugin.description.storedFiles; !statement.empty())
                compareFiles(pool, statement);
    }

    void compareFiles(SessionPool& pool, const std::string& statement) {
        try {
            const auto session = pool.acquire();
            Rows& rows = session->query(statement);
            while (rows.next()) {
                _interruption.check();
                const auto path = std::string(BACKUP_PICTURES) + "/" + std::string(rows.text(0));
                std::error_code isMissing;
                if (fs::file_size(_folder / path, isMissing) != static_cast<std::uintmax_t>(rows.integer(1)) ||
                    isMissing)
                    addProblem(path + ", which an image needs, is not in the backup, or not whole");
            }
            _report.picturesCompared = true;
        } catch (const DatabaseError& failure) {
            addProblem(std::string("the pictures could not be compared with the database: ") + failure.what());
        }
    }

    ControlContext& _context;
    const fs::path _folder;
    const Interruption _interruption{"interrupted"};
    BackupReport _report;
};

} // namespace

BackupReport verifyBackup(ControlContext& context, const fs::path& folder, bool checksumsOnly,
                          const fs::path& scratch) {
    BackupCheck check(context, folder);
    check.compareChecksums();
    if (!checksumsOnly && check.isGood())
        check.readDatabase(scratch);
    return check.take();
}

} // namespace supplierd::host

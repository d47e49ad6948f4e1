#include "host/base/Digest.h"
#include "host/ctl/backup/BackupFiles.h"
#include "host/ctl/backup/ChildProgram.h"
#include "host/ctl/backup/FreshNumbers.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/db/schema/TableChanges.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>

namespace supplierd::host {

namespace {

namespace fs = std::filesystem;

constexpr const char* VERIFY_FOOTER = R"(
Compares every checksum, starts a MariaDB without network on a copy of the database (which takes as much room, beside DIR or
in --scratch), has it read every table, and looks whether each image has its files in the backup. Changes nothing in DIR.
Copies that earlier runs left there because they were killed are removed first. Exit code 1 when something is wrong. DIR also has
SHA256SUMS, for sha256sum -c.)";

constexpr std::size_t MAX_PROBLEMS = 100;

constexpr std::string_view SELECT_TABLES = R"sql(
SELECT table_name FROM information_schema.tables WHERE table_schema = ? AND table_type = 'BASE TABLE' ORDER BY table_name
)sql";

class BackupCheck {
public:
    BackupCheck(ControlContext& context, const fs::path& folder) : _context(context), _folder(fs::absolute(folder)) {}

    void compareChecksums() {
        const auto files = listedFiles(_folder, _manifest);
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
        if (nlohmann::json(appliedSchema(database)) != nlohmann::json(_manifest.at("schema"))) // keys in any order
            addProblem("the schema in the database is not the one that the manifest says");
        comparePictures(server.pool());
    }

    bool isGood() const { return _problems.empty(); }

    void print(bool checksumsOnly) const {
        if (_context.json) {
            _context.print({{"good", isGood()},
                            {"created_at", _manifest.at("created_at")},
                            {"files", _manifest.at("files")},
                            {"bytes", _manifest.at("bytes")},
                            {"tables", _tables},
                            {"pictures_compared", _arePicturesCompared},
                            {"problems", _problems}});
            return;
        }
        auto& out = _context.out();
        for (const auto& problem : _problems)
            out << problem << "\n";
        out << describeSize(_manifest) << (isGood() ? ": all as they were" : ": damaged");
        if (_tables > 0)
            out << fmt::format("; {} tables read", _tables);
        if (_arePicturesCompared)
            out << (isGood() ? "; every image has its files" : "");
        else if (isGood() && !checksumsOnly && !_manifest.at("pictures").is_null())
            out << "; pictures and database not compared: the plugin media is not enabled here";
        out << "\n";
    }

private:
    std::string databaseName() const { return _manifest.at("database").at("name"); }

    void addProblem(std::string text) {
        if (_problems.size() < MAX_PROBLEMS)
            _problems.push_back(std::move(text));
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
            bar.show(++_tables);
        }
        if (tables.empty())
            addProblem("the database " + databaseName() + " has no tables");
    }

    /// What the backup has too much (files whose rows were not committed yet) does no harm.
    void comparePictures(SessionPool& pool) {
        if (_manifest.at("pictures").is_null())
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
            _arePicturesCompared = true;
        } catch (const DatabaseError& failure) {
            addProblem(std::string("the pictures could not be compared with the database: ") + failure.what());
        }
    }

    ControlContext& _context;
    const fs::path _folder;
    const Interruption _interruption{"interrupted"};
    const ResponseJson _manifest = readManifest(_folder);
    bool _arePicturesCompared = false;
    std::uint64_t _tables = 0; ///< that were read
    std::vector<std::string> _problems;
};

struct VerifyOptionsOfBackup {
    std::string folder;
    std::string scratch; ///< where the copy goes; empty: beside the backup
    bool checksumsOnly = false;
};

void verify(ControlContext& context, const VerifyOptionsOfBackup& options) {
    BackupCheck check(context, options.folder);
    check.compareChecksums();
    if (!options.checksumsOnly && check.isGood())
        check.readDatabase(options.scratch);
    check.print(options.checksumsOnly);
    if (!check.isGood())
        throw ReportedFailure();
}

} // namespace

void addBackupVerifyCommand(CLI::App& backup, ControlContext& context) {
    auto options = std::make_shared<VerifyOptionsOfBackup>();
    auto* command = backup.add_subcommand("verify", "Look whether a backup can be restored");
    command->footer(VERIFY_FOOTER);
    command->add_option("DIR", options->folder, "The backup")->required();
    command->add_flag("--checksums-only", options->checksumsOnly, "Start no MariaDB on it");
    command->add_option("--scratch", options->scratch, "Where the copy of the database goes")->type_name("DIR");
    command->callback([&context, options] { verify(context, *options); });
}

} // namespace supplierd::host

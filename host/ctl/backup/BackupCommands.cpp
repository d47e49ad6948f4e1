#include "host/ctl/backup/Backup.h"
#include "host/ctl/backup/BackupFiles.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace supplierd::host {

namespace {

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

constexpr const char* VERIFY_FOOTER = R"(
Compares every checksum, starts a MariaDB without network on a copy of the database (which takes as much room, beside DIR or
in --scratch), has it read every table, and looks whether each image has its files in the backup. Changes nothing in DIR.
Copies that earlier runs left there because they were killed are removed first. Exit code 1 when something is wrong. DIR also has
SHA256SUMS, for sha256sum -c.)";

constexpr const char* RESTORE_FOOTER = R"(
Copies the database into a data directory and the pictures into a folder, both new or empty, comparing every checksum on the
way, and prints what to do next. Nothing may run on them meanwhile. It touches no running database and no configuration.
Without --yes it only says what it would do, with exit code 1. As root, the files get the owner of the target folders, or the
accounts mysql and supplierd.

What was written since the backup is lost, but others remember it. So that nobody takes two things for the same, a MariaDB
without network is started on the copy, and gives fresh numbers as `supplierctl backup renumber` does. With --keep-numbers it
does not: for who applies binary logs to it. The plugins whose tables the backup has are enabled here, or it refuses: their files say
which numbers of their tables are raised.

Where pictures lie in an S3 store, restore them into a folder first, start a server, then move them: supplierctl media move --to s3.)";

constexpr const char* RENUMBER_FOOTER = R"(
For a database that was restored by something else than `supplierctl backup restore`: a dump, a snapshot of a disk. Once, before
the servers are started. Change numbers, versions and ids that were given after the dump was made are given again otherwise, and
who remembers them misses changes, or takes one thing for another.

Raises each supplier's change number, and the marketplace's, by a hundred for every second since the last change, at least by 16
million; products, order groups and whatever else carries such a number get new ones in the same order, so that
GET /products?changed_after= gives all of them again; versions are raised by as much, and the ids that come next by a million.
Readers of the change log find a gap, and read anew; webhooks tell their receivers `changes.missed`. Each plugin says which
numbers its tables have, so every plugin with tables has to be enabled (supplierctl plugin list). None is started.)";

struct CreateOptions {
    std::string folder;
    BackupAccess access;
};

struct VerifyOptionsOfBackup {
    std::string folder;
    std::string scratch;
    bool checksumsOnly = false;
};

struct RestoreOptions {
    std::string folder;
    RestoreTarget target;
    bool withoutPictures = false;
    bool yes = false;
};

std::uint64_t numberIn(const AnswerJson& manifest, const char* path) {
    return manifest.at(AnswerJson::json_pointer(path)).get<std::uint64_t>();
}

void create(ControlContext& context, const CreateOptions& options) {
    const auto manifest = createBackup(context, options.folder, options.access);
    if (context.json) {
        context.print(manifest);
        return;
    }
    context.out() << fmt::format("{} files, {}", numberIn(manifest, "/files"),
                                 describeBytes(numberIn(manifest, "/bytes")));
    if (!manifest["pictures"].is_null())
        context.out() << fmt::format(", {} of them pictures", numberIn(manifest, "/pictures/files"));
    context.out() << fmt::format(" in {0}\nlook whether it is good: supplierctl backup verify {0}\n", options.folder);
}

void verify(ControlContext& context, const VerifyOptionsOfBackup& options) {
    const auto report = verifyBackup(context, options.folder, options.checksumsOnly, options.scratch);
    const auto& manifest = report.manifest;
    const bool isGood = report.problems.empty();
    if (context.json)
        context.print({{"good", isGood},
                       {"created_at", manifest.at("created_at")},
                       {"files", manifest.at("files")},
                       {"bytes", manifest.at("bytes")},
                       {"tables", report.tables},
                       {"pictures_compared", report.picturesCompared},
                       {"problems", report.problems}});
    else {
        for (const auto& problem : report.problems)
            context.out() << problem << "\n";
        context.out() << fmt::format("{} files, {}: {}", numberIn(manifest, "/files"),
                                     describeBytes(numberIn(manifest, "/bytes")),
                                     isGood ? "all as they were" : "damaged");
        if (report.tables > 0)
            context.out() << fmt::format("; {} tables read", report.tables);
        if (report.picturesCompared)
            context.out() << (isGood ? "; every image has its files" : "");
        else if (isGood && !options.checksumsOnly && !manifest.at("pictures").is_null())
            context.out() << "; pictures and database not compared: the plugin media is not enabled here";
        context.out() << "\n";
    }
    if (!isGood)
        throw ReportedFailure();
}

void restore(ControlContext& context, const RestoreOptions& options) {
    if (options.target.pictures.empty() != options.withoutPictures &&
        !readManifest(options.folder).at("pictures").is_null())
        throw CommandFailure("say where the pictures go with --media DIR, or leave them out with --no-media",
                             ExitCode::Usage);
    const auto report = restoreBackup(context, options.folder, options.target, options.yes);
    if (context.json) {
        context.print(
            {{"restored", true}, {"change_numbers_raised_by", report.numbers.raisedBy}, {"next", report.next}});
        return;
    }
    context.out() << "Restored";
    if (report.numbers.raisedBy > 0)
        context.out() << fmt::format("; change numbers go on {} higher", report.numbers.raisedBy);
    context.out() << ". Next:\n";
    for (std::size_t i = 0; i < report.next.size(); ++i)
        context.out() << fmt::format("  {}. {}\n", i + 1, report.next[i]);
}

void renumber(ControlContext& context) {
    auto& database = context.database();
    const auto fresh = giveFreshNumbers(database, ownersOfNumbers(context, appliedSchema(database)));
    context.print({{"change_numbers_raised_by", fresh.raisedBy}, {"rows", fresh.rows}, {"tables", fresh.tables}},
                  {{"done", "change numbers raised by {change_numbers_raised_by}; {rows} rows stamped anew; the ids of "
                            "{tables} tables go on higher"}});
}

} // namespace

void addBackupCommands(CLI::App& program, ControlContext& context) {
    auto* group = program.add_subcommand(
        "backup", "Database and pictures as they were at one time: create, verify, restore, renumber");
    group->require_subcommand(1);

    auto made = std::make_shared<CreateOptions>();
    auto* creating = group->add_subcommand("create", "Copy database and pictures while servers run");
    creating->footer(CREATE_FOOTER);
    creating->add_option("DIR", made->folder, "A folder that is new or empty")->required();
    creating->add_option("--defaults-file", made->access.defaultsFile, "An option file of MariaDB with the account")
        ->type_name("FILE");
    creating->add_option("--socket", made->access.socket, "Of the MariaDB that is copied; else as configured")
        ->type_name("FILE");
    creating->callback([&context, made] { create(context, *made); });

    auto checked = std::make_shared<VerifyOptionsOfBackup>();
    auto* verifying = group->add_subcommand("verify", "Look whether a backup can be restored");
    verifying->footer(VERIFY_FOOTER);
    verifying->add_option("DIR", checked->folder, "The backup")->required();
    verifying->add_flag("--checksums-only", checked->checksumsOnly, "Start no MariaDB on it");
    verifying->add_option("--scratch", checked->scratch, "Where the copy of the database goes")->type_name("DIR");
    verifying->callback([&context, checked] { verify(context, *checked); });

    auto wanted = std::make_shared<RestoreOptions>();
    auto* restoring = group->add_subcommand("restore", "Copy a backup into new folders");
    restoring->footer(RESTORE_FOOTER);
    restoring->add_option("DIR", wanted->folder, "The backup")->required();
    restoring->add_option("--datadir", wanted->target.dataDirectory, "MariaDB's data directory, new or empty")
        ->type_name("DIR")
        ->required();
    auto* pictures = restoring->add_option("--media", wanted->target.pictures, "The folder of pictures, new or empty")
                         ->type_name("DIR");
    restoring->add_flag("--no-media", wanted->withoutPictures, "Without the pictures")->excludes(pictures);
    restoring->add_flag("--keep-numbers", wanted->target.keepsNumbers, "Give no fresh numbers");
    restoring->add_flag("-y,--yes", wanted->yes, "Do it");
    restoring->callback([&context, wanted] { restore(context, *wanted); });

    auto* renumbering =
        group->add_subcommand("renumber", "Give fresh numbers to a database that was restored otherwise");
    renumbering->footer(RENUMBER_FOOTER);
    renumbering->callback([&context] { renumber(context); });
}

} // namespace supplierd::host

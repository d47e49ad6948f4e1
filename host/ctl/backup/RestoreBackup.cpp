#include "host/base/Digest.h"
#include "host/ctl/backup/BackupFiles.h"
#include "host/ctl/backup/ChildProgram.h"
#include "host/ctl/backup/FreshNumbers.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

namespace supplierd::host {

namespace {

namespace fs = std::filesystem;

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

struct RestoreTarget {
    fs::path folder; ///< the backup
    fs::path dataDirectory;
    fs::path pictures; ///< empty: without them
    bool withoutPictures = false;
    /// Change numbers, versions and ids go on as they were: for who applies binary logs to it.
    bool keepsNumbers = false;
    bool isAgreed = false;
};

constexpr std::string_view NOT_WHOLE = "What is in the target folders is not whole; remove it";

struct Owner {
    uid_t user;
    gid_t group;
};

/// Whom the files are to belong to: who owns the folder, or the account of what will use it, when root makes it.
std::optional<Owner> ownerOf(const fs::path& folder, const char* account) {
    if (::geteuid() != 0)
        return std::nullopt;
    struct stat found {};
    if (::stat(folder.c_str(), &found) == 0)
        return Owner{found.st_uid, found.st_gid};
    if (const passwd* const user = ::getpwnam(account))
        return Owner{user->pw_uid, user->pw_gid};
    return std::nullopt;
}

void give(const fs::path& path, const std::optional<Owner>& owner) {
    if (owner && ::lchown(path.c_str(), owner->user, owner->group) != 0)
        throw fs::filesystem_error("cannot change the owner", path, std::error_code(errno, std::generic_category()));
}

void giveAll(const fs::path& folder, const std::optional<Owner>& owner) {
    give(folder, owner);
    if (owner)
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            give(entry.path(), owner);
}

void requireVacant(const fs::path& folder) {
    if (!isVacant(folder))
        throw CommandFailure(fmt::format("{} is not empty, so nothing was changed. Stop what uses it, move it away "
                                         "(mv {} {}.before), and run this again",
                                         folder.string(), folder.string(), folder.string()));
}

/// Each of the two is given to an account of its own, and neither lies in the backup.
void requireApart(const fs::path& one, const fs::path& other) {
    const auto a = fs::weakly_canonical(one);
    const auto b = fs::weakly_canonical(other);
    const auto [inA, inB] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    if (inA == a.end() || inB == b.end())
        throw CommandFailure(fmt::format("{} and {} are one folder, or one lies in the other; nothing was changed",
                                         one.string(), other.string()),
                             ExitCode::Usage);
}

bool isUnder(const std::string& path, const char* part) {
    return path.starts_with(std::string(part) + "/");
}

/// On the copy itself, by a MariaDB that nobody reaches.
std::int64_t renumberCopy(const ResponseJson& manifest, const fs::path& data, const PluginSet& owners) {
    ScratchDatabase server(data, manifest.at("database").at("name"));
    const auto fresh = giveFreshNumbers(server.database(), owners);
    server.stop();
    return fresh.raisedBy;
}

std::vector<std::string> nextSteps(const ResponseJson& manifest, const RestoreTarget& target) {
    std::vector<std::string> steps;
    const auto createdAt = manifest.at("created_at").get<std::string>();
    const auto data = target.dataDirectory.string();
    if (manifest.at("database").at("wsrep_position") == "")
        steps.push_back(fmt::format("start MariaDB on {}: systemctl start mariadb", data));
    else
        steps.push_back(fmt::format("start this node of the cluster alone, on {}: galera_new_cluster; the others with "
                                    "empty data directories, one after the other: systemctl start mariadb",
                                    data));
    steps.push_back(fmt::format("look into [database] of the configuration: the name is {}, accounts and passwords are "
                                "those of {}",
                                manifest.at("database").at("name").get<std::string>(), createdAt));
    steps.emplace_back("compare the schema with the installed release: supplierctl migrate --plan");
    const bool isWithPictures = !manifest.at("pictures").is_null();
    const bool hasPictures = isWithPictures && !target.pictures.empty();
    if (hasPictures)
        steps.push_back(
            fmt::format("have root = \"{}\" in [plugins.media]; where pictures are kept in an S3 store, store = "
                        "\"s3\" and moving = true beside it",
                        target.pictures.string()));
    if (target.keepsNumbers)
        steps.push_back(fmt::format("apply the binary logs, then give fresh numbers: supplierctl backup renumber; else"
                                    " numbers given after {} are given once more",
                                    createdAt));
    steps.emplace_back("start the servers: systemctl start supplierd");
    if (hasPictures)
        steps.emplace_back(
            "compare the pictures: supplierctl media verify; into an S3 store: supplierctl media move --to s3");
    else if (isWithPictures)
        steps.emplace_back("the pictures were left out: supplierctl media verify tells which are missing");
    steps.emplace_back("look for what else is wrong: supplierctl doctor; supplierctl totals verify");
    return steps;
}

/// Copies into folders that are new or empty, comparing every checksum on the way, and gives fresh numbers.
void restore(ControlContext& context, const RestoreTarget& given) {
    const auto backup = fs::absolute(given.folder);
    if (given.pictures.empty() != given.withoutPictures && !readManifest(given.folder).at("pictures").is_null())
        throw CommandFailure("say where the pictures go with --media DIR, or leave them out with --no-media",
                             ExitCode::Usage);
    RestoreTarget target = given;
    target.dataDirectory = fs::absolute(given.dataDirectory);
    if (!given.pictures.empty())
        target.pictures = fs::absolute(given.pictures);
    const auto manifest = readManifest(backup);
    const auto files = listedFiles(backup, manifest);
    requireApart(backup, target.dataDirectory);
    requireVacant(target.dataDirectory);
    if (!target.pictures.empty()) {
        requireApart(backup, target.pictures);
        requireApart(target.dataDirectory, target.pictures);
        requireVacant(target.pictures);
    }
    const PluginSet owners = target.keepsNumbers ? PluginSet() : ownersOfNumbers(context, manifest.at("schema"));
    if (!target.isAgreed)
        throw CommandFailure(fmt::format(
            "nothing was changed. With --yes, the backup of {} ({}) goes to {}{}", manifest.value("created_at", ""),
            describeSize(manifest), target.dataDirectory.string(),
            target.pictures.empty() ? std::string(", without pictures") : " and " + target.pictures.string()));
    if (!target.keepsNumbers)
        findProgram("mariadbd", "mariadb-server-core"); // before the hours of copying
    const auto dataOwner = ownerOf(target.dataDirectory, "mysql");
    const auto pictureOwner = ownerOf(target.pictures, "supplierd");

    const Interruption interruption(fmt::format("interrupted. {}", NOT_WHOLE));
    ByteCount count(context, interruption, manifest.at("bytes"), "bytes");
    for (const auto& file : files) {
        const bool isPicture = isUnder(file.path, BACKUP_PICTURES);
        if (isPicture && target.pictures.empty())
            continue;
        const auto to = (isPicture ? target.pictures : target.dataDirectory) /
                        fs::path(file.path).lexically_relative(isPicture ? BACKUP_PICTURES : BACKUP_DATABASE);
        std::string sum;
        try {
            sum = copyFile(backup / file.path, to, std::ref(count));
        } catch (const fs::filesystem_error& failure) {
            throw CommandFailure(
                fmt::format("{}: {}. {}", failure.path1().string(), failure.code().message(), NOT_WHOLE),
                failure.code() == std::errc::permission_denied ? ExitCode::NotAllowed : ExitCode::Failed);
        }
        if (sum != file.sha256)
            throw CommandFailure(fmt::format("{} is damaged: it is not what it was when the backup was made. {}",
                                             (backup / file.path).string(), NOT_WHOLE));
    }
    fs::create_directories(target.dataDirectory);
    fs::permissions(target.dataDirectory, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec);
    std::int64_t raisedBy = 0;
    if (!target.keepsNumbers) {
        try {
            raisedBy = renumberCopy(manifest, target.dataDirectory, owners);
        } catch (const DatabaseError& failure) {
            throw CommandFailure(fmt::format("fresh numbers could not be given: {}. {}", failure.what(), NOT_WHOLE));
        }
    }
    giveAll(target.dataDirectory, dataOwner);
    syncFileSystem(target.dataDirectory);
    if (!target.pictures.empty() && fs::exists(target.pictures)) {
        giveAll(target.pictures, pictureOwner);
        syncFileSystem(target.pictures);
    }
    const auto next = nextSteps(manifest, target);
    if (context.json) {
        context.print({{"restored", true}, {"change_numbers_raised_by", raisedBy}, {"next", next}});
        return;
    }
    context.out() << "Restored";
    if (raisedBy > 0)
        context.out() << fmt::format("; change numbers go on {} higher", raisedBy);
    context.out() << ". Next:\n";
    for (std::size_t i = 0; i < next.size(); ++i)
        context.out() << fmt::format("  {}. {}\n", i + 1, next[i]);
}

} // namespace

void addBackupRestoreCommand(CLI::App& backup, ControlContext& context) {
    auto target = std::make_shared<RestoreTarget>();
    auto* command = backup.add_subcommand("restore", "Copy a backup into new folders");
    command->footer(RESTORE_FOOTER);
    command->add_option("DIR", target->folder, "The backup")->required();
    command->add_option("--datadir", target->dataDirectory, "MariaDB's data directory, new or empty")
        ->type_name("DIR")
        ->required();
    auto* pictures =
        command->add_option("--media", target->pictures, "The folder of pictures, new or empty")->type_name("DIR");
    command->add_flag("--no-media", target->withoutPictures, "Without the pictures")->excludes(pictures);
    command->add_flag("--keep-numbers", target->keepsNumbers, "Give no fresh numbers");
    command->add_flag("-y,--yes", target->isAgreed, "Do it");
    command->callback([&context, target] { restore(context, *target); });
}

} // namespace supplierd::host

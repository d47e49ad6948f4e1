#include "host/ctl/backup/Backup.h"
#include "host/ctl/backup/BackupFiles.h"
#include "host/ctl/backup/ChildProgram.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>

namespace supplierd::host {

namespace {

namespace fs = std::filesystem;

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
FreshNumbers renumber(const AnswerJson& manifest, const fs::path& data, const PluginSet& owners) {
    ScratchDatabase server(data, manifest.at("database").at("name"));
    const auto fresh = giveFreshNumbers(server.database(), owners);
    server.stop();
    return fresh;
}

std::vector<std::string> nextSteps(const AnswerJson& manifest, const RestoreTarget& target) {
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

} // namespace

RestoreReport restoreBackup(ControlContext& context, const fs::path& folder, const RestoreTarget& given,
                            bool isAgreed) {
    const auto backup = fs::absolute(folder);
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
    if (!isAgreed)
        throw CommandFailure(fmt::format(
            "nothing was changed. With --yes, the backup of {} ({} files, {}) goes to {}{}",
            manifest.value("created_at", ""), manifest.value("files", std::uint64_t{0}),
            describeBytes(manifest.value("bytes", std::uint64_t{0})), target.dataDirectory.string(),
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
    RestoreReport report;
    if (!target.keepsNumbers) {
        try {
            report.numbers = renumber(manifest, target.dataDirectory, owners);
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
    report.next = nextSteps(manifest, target);
    return report;
}

} // namespace supplierd::host

#include "host/ctl/backup/BackupManifest.h"

#include "host/ctl/terminal/CommandFailure.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

namespace supplierd::host {

namespace {

namespace fs = std::filesystem;

constexpr int BACKUP_FORMAT = 1;

constexpr std::string_view SELECT_SCHEMA = R"sql(
SELECT component, number, name FROM schema_migrations WHERE applied_at IS NOT NULL ORDER BY component, number
)sql";

BackupManifest parseManifest(const nlohmann::json& json) {
    BackupManifest manifest;
    const auto& database = json.at("database");
    json.at("created_at").get_to(manifest.createdAt);
    json.at("supplierd_version").get_to(manifest.version);
    database.at("name").get_to(manifest.database);
    database.at("server_version").get_to(manifest.serverVersion);
    database.at("binlog_position").get_to(manifest.binlogPosition);
    database.at("wsrep_position").get_to(manifest.wsrepPosition);
    for (const auto& entry : json.at("schema"))
        manifest.schema.push_back({entry.at("component").get<std::string>(), entry.at("number").get<std::int64_t>(),
                                   entry.at("name").get<std::string>()});
    for (const auto& entry : json.at("plugins"))
        manifest.plugins.push_back({entry.at("id").get<std::string>(), entry.at("version").get<std::string>()});
    if (const auto& pictures = json.at("pictures"); !pictures.is_null())
        manifest.pictures =
            BackedUpPictures{pictures.at("store_id").get<std::string>(), pictures.at("files").get<std::uint64_t>(),
                             pictures.at("bytes").get<std::uint64_t>()};
    json.at("files").get_to(manifest.files);
    json.at("bytes").get_to(manifest.bytes);
    json.at("checksums_sha256").get_to(manifest.checksums);
    return manifest;
}

} // namespace

void BackupManifest::appendJson(JsonWriter& json) const {
    json.field("format", BACKUP_FORMAT).field("created_at", createdAt).field("supplierd_version", version);
    json.key("database").beginObject();
    json.field("name", database).field("server_version", serverVersion);
    json.field("binlog_position", binlogPosition).field("wsrep_position", wsrepPosition).endObject();
    json.key("schema").beginArray();
    for (const auto& entry : schema)
        json.beginObject()
            .field("component", entry.component)
            .field("number", entry.number)
            .field("name", entry.name)
            .endObject();
    json.endArray().key("plugins").beginArray();
    for (const auto& plugin : plugins)
        json.beginObject().field("id", plugin.id).field("version", plugin.version).endObject();
    json.endArray().key("pictures");
    if (pictures)
        json.beginObject()
            .field("store_id", pictures->storeId)
            .field("files", pictures->files)
            .field("bytes", pictures->bytes)
            .endObject();
    else
        json.null();
    json.field("files", files).field("bytes", bytes).field("checksums_sha256", checksums);
}

std::string BackupManifest::json() const {
    std::string text;
    JsonWriter writer(text);
    writer.beginObject();
    appendJson(writer);
    writer.endObject();
    return text + "\n";
}

BackupManifest BackupManifest::read(const fs::path& backup) {
    const auto file = backup / BACKUP_MANIFEST;
    if (!fs::exists(file))
        throw CommandFailure(fmt::format("{} is no backup, or one that was not finished: it has no {}", backup.string(),
                                         BACKUP_MANIFEST));
    try {
        const auto json = nlohmann::json::parse(readFile(file));
        if (json.at("format").get<int>() != BACKUP_FORMAT)
            throw CommandFailure(fmt::format("{} was made by a later release; use its supplierctl", backup.string()));
        return parseManifest(json);
    } catch (const nlohmann::json::exception& error) {
        throw CommandFailure(fmt::format("{} is damaged: {}", file.string(), error.what()));
    }
}

std::vector<AppliedSchema> appliedSchema(Database& database) {
    return database.read([](SqlSession& session) {
        std::vector<AppliedSchema> schema;
        auto& rows = session.query(SELECT_SCHEMA);
        while (rows.next())
            schema.push_back({std::string(rows.text(0)), rows.integer(1), std::string(rows.text(2))});
        return schema;
    });
}

std::vector<BackupFile> listedFiles(const fs::path& backup, const BackupManifest& manifest) {
    const auto text = readFile(backup / BACKUP_CHECKSUMS);
    Sha256 sum;
    sum.update(text);
    if (sum.digest() != manifest.checksums)
        throw CommandFailure(fmt::format("{} is not what the manifest says: the backup is damaged",
                                         (backup / BACKUP_CHECKSUMS).string()));
    auto files = parseChecksumLines(text);
    for (auto& file : files) {
        std::error_code missing;
        const auto size = fs::file_size(backup / file.path, missing);
        file.bytes = missing ? 0 : size;
    }
    return files;
}

std::string describeBytes(std::uint64_t bytes) {
    constexpr std::array UNITS{"bytes", "KB", "MB", "GB", "TB"};
    auto amount = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (amount >= 1'000 && unit + 1 < UNITS.size()) {
        amount /= 1'000;
        ++unit;
    }
    return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", amount, UNITS.at(unit));
}

} // namespace supplierd::host

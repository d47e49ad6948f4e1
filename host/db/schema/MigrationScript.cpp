#include "host/db/schema/MigrationScript.h"

#include "host/db/schema/MigrationError.h"
#include "host/db/schema/SqlScript.h"

#include <Poco/DigestEngine.h>
#include <Poco/SHA2Engine.h>

#include <fmt/format.h>

#include <string_view>

namespace supplierd::host {

namespace {

constexpr std::string_view CONTRACT_LINE = "-- contract\n";

std::string checksumOf(const std::string& sql) {
    Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
    engine.update(sql);
    return Poco::DigestEngine::digestToHex(engine.digest());
}

MigrationScript scriptOf(const std::string& component, const Migration& migration) {
    MigrationScript script{{component, migration.number},           migration.name, checksumOf(migration.sql), {}, {},
                           migration.sql.starts_with(CONTRACT_LINE)};
    try {
        script.statements = splitStatements(migration.sql);
    } catch (const SqlScriptError& error) {
        throw MigrationError("migration " + nameOf(script.step()) + ": " + error.what());
    }
    script.tables = TableChanges::of(script.statements);
    return script;
}

} // namespace

std::string nameOf(const MigrationStep& step) {
    return fmt::format("{}/{:04}_{}", step.component, step.number, step.name);
}

std::vector<MigrationScript> MigrationScript::of(const std::vector<MigrationSet>& sets) {
    std::vector<MigrationScript> scripts;
    for (const MigrationSet& set : sets) {
        int expected = 0;
        for (const Migration& migration : set.migrations) {
            MigrationScript script = scriptOf(set.component, migration);
            if (migration.number != ++expected)
                throw MigrationError(fmt::format("migration {} should be number {}", nameOf(script.step()), expected));
            scripts.push_back(std::move(script));
        }
    }
    return scripts;
}

} // namespace supplierd::host

#include "host/ctl/ControlContext.h"

#include "host/config/SettingsLoader.h"
#include "host/ctl/CommandFailure.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace supplierd::host {
namespace {

/// A file that this user must not read is another failure than a wrong one, and has its own exit code.
void requireReadable(const std::string& file) {
    if (::access(file.c_str(), R_OK) == 0 || errno != EACCES)
        return;
    throw CommandFailure(file + ": this user may not read the configuration; run supplierctl as root or as the user of "
                                "the server, or name another file with --config",
                         ExitCode::NotAllowed);
}

} // namespace

const Settings& ControlContext::settings() {
    if (_settings)
        return *_settings;
    requireReadable(configFile);
    ConfigProblems problems;
    auto loaded = loadSettings(configFile, problems);
    if (problems.hasErrors())
        throw CommandFailure(problems.toString());
    _settings = std::move(loaded);
    return *_settings;
}

Database& ControlContext::database() {
    if (!_database) {
        PoolSettings one;
        one.size = 1;
        one.waitDeadline = settings().database.poolWait;
        _pool = std::make_unique<SessionPool>(settings().database.session, one);
        _pool->acquire(); // here the operator still gets the reason; PooledDatabase only says "unavailable"
        _database = std::make_unique<PooledDatabase>(*_pool);
    }
    return *_database;
}

void ControlContext::printJson(const std::function<void(JsonWriter&)>& fields) {
    std::string text;
    JsonWriter writer(text);
    writer.beginObject();
    fields(writer);
    writer.endObject();
    _out << text << "\n";
}

void ControlContext::printListing(std::string_view name, const Listing& listing, std::string_view whenEmpty) {
    if (json) {
        printJson([&](JsonWriter& writer) {
            writer.key(name);
            listing.appendJson(writer);
        });
    } else if (listing.size() == 0) {
        _out << whenEmpty << "\n";
    } else {
        listing.printTable(_out);
    }
}

void ControlContext::printOne(std::string_view name, const Listing& listing, std::string_view sentence) {
    if (!json) {
        _out << sentence << "\n";
        return;
    }
    printJson([&](JsonWriter& writer) {
        writer.key(name);
        listing.appendRow(writer, 0);
    });
}

} // namespace supplierd::host

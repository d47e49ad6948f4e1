#pragma once

#include <supplierd/Database.h>
#include <supplierd/services/PluginSettings.h>

#include <chrono>
#include <string_view>

namespace supplierd::media {

/// Until when backups want every stored file to stay, on all servers of this database: one of the plugin's settings for
/// each backup, "removal-hold.TOKEN", with a second of the database's clock. One that was killed holds until then.
/// Thread: any.
class RemovalHold {
public:
    RemovalHold(Database& database, PluginSettings& settings) : _database(database), _settings(settings) {}

    /// From now on no server on this database removes a stored file, for so long; what is left lying the janitor
    /// removes afterwards. Repeated with the same token, of at most 32 letters and digits, it goes on: false when it
    /// had ended in between, so that files may be gone. Throws DatabaseError, as end().
    bool hold(Transaction& transaction, std::string_view token, std::chrono::seconds duration);
    /// Other tokens still hold.
    void end(Transaction& transaction, std::string_view token);
    /// Whether one is in force now. Whoever removes a file asks after the commit that removed its row: a backup that
    /// has not begun to hold by then sees that commit. Throws DatabaseError, ApiError (Unavailable).
    bool isInForce() const;

private:
    Database& _database;
    PluginSettings& _settings;
};

} // namespace supplierd::media

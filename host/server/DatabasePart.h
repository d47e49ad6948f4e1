#pragma once

#include "host/db/PooledDatabase.h"
#include "host/db/schema/Migrator.h"
#include "host/plugins/PluginSet.h"
#include "host/server/ReadinessProbe.h"
#include "host/server/ServerPart.h"
#include "host/server/ServerPresence.h"

#include <memory>
#include <optional>
#include <vector>

namespace supplierd::host {

/// The sessions of the database, on all its nodes, and the schema that they find there.
class DatabasePart final : public ServerPart {
public:
    DatabasePart(ServerBasis& basis, const PluginSet& plugins);

    /// Waits until the database answers, and requires the schema of this release.
    bool start() override;
    void measure() override;
    void stop() override;

    PooledDatabase& database() { return _database; }
    SessionPool& pool() { return _pool; }
    ReadinessProbe& probe() { return *_probe; }
    ServerPresence& presence() { return _presence; }
    /// In the order of the configuration; empty when the database has one.
    std::vector<NodeStatus> nodes() const { return _nodes ? _nodes->status() : std::vector<NodeStatus>(); }
    /// Plugins that do not fit their tables, after start(): they would damage them, or fail.
    const std::vector<UnfitPlugin>& unfit() const { return _unfit; }

private:
    bool waitForDatabase();
    bool waitForWriter();
    void requireCurrentSchema();
    void migrate();
    void measureNodes(const DatabaseNodes& nodes);

    ServerBasis& _basis;
    std::shared_ptr<DatabaseNodes> _nodes; ///< null: the database has one
    SessionPool _pool;
    std::optional<SessionPool> _readerPool; ///< where plain reads may go to another node
    PooledDatabase _database;
    std::unique_ptr<ReadinessProbe> _probe;
    Migrator _migrator;
    ServerPresence _presence;
    std::vector<UnfitPlugin> _unfit;
    std::shared_ptr<void> _listening; ///< to the nodes
};

} // namespace supplierd::host

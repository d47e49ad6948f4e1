#pragma once

#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/ListPage.h>
#include <supplierd/services/AuditLog.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::orders {

/// The value is stored: append, never reorder. Nobody sees one that is received; the last two have ended.
enum class ImportState { Receiving = 0, Waiting = 1, Running = 2, Done = 3, Stopped = 4 };
inline constexpr std::array<std::string_view, 5> IMPORT_STATES{"receiving", "waiting", "running", "done", "stopped"};

/// What became of an order. The value is stored.
enum class ImportOutcome { Created = 0, Existing = 1, Failed = 2 };

/// A row of order_imports.
struct OrderImport {
    std::int64_t id = 0;
    ImportState state = ImportState::Receiving;
    bool stopsOnError = false;
    std::int64_t total = 0;
    std::int64_t created = 0;
    std::int64_t existing = 0;
    std::int64_t failed = 0;
    std::optional<std::string> problem; ///< why it was stopped
    Actor actor;                        ///< who handed it in
    std::string createdAt;
    std::optional<std::string> startedAt;
    std::optional<std::string> finishedAt;

    std::int64_t done() const { return created + existing + failed; }
};

/// What the API shows, as a value; `failures`: a JSON array of those that are shown, "" in a list.
void writeJson(JsonWriter& json, const OrderImport& import, std::string_view failures = {});

/// The tables of imports. Thread: any. Each throws DatabaseError.
class OrderImportStore {
public:
    /// Of an import's failures, so many are shown.
    static constexpr std::int64_t SHOWN_FAILURES = 100;

    explicit OrderImportStore(Database& database) : _database(database) {}

    Database& database() const { return _database; }

    /// A new one, which receives its orders; its id.
    std::int64_t begin(bool stopsOnError, const Actor& actor);
    /// Further orders of it, JSON each, in their order; the first of them is the one at `position`.
    void addOrders(std::int64_t id, std::int64_t position, const std::vector<std::string>& orders);
    /// All of its orders are there: from now on it waits.
    static void receive(SqlSession& session, std::int64_t id, std::int64_t total);

    static std::optional<OrderImport> find(SqlSession& session, std::int64_t id);
    Listed<OrderImport> list(const QueryParameters& query);
    /// The first of those that failed, a JSON array.
    static std::string failures(SqlSession& session, std::int64_t id);

    /// Those that wait or run, oldest first.
    std::vector<std::int64_t> unfinished();
    /// Takes its row's lock; nothing when it neither waits nor runs any more.
    static std::optional<OrderImport> lock(SqlSession& session, std::int64_t id);
    static std::string order(SqlSession& session, std::int64_t id, std::int64_t position);
    /// What became of the order at the place where the import stands, which goes on. `problem`: of one that failed.
    static void advance(SqlSession& session, std::int64_t id, std::int64_t position, ImportOutcome outcome,
                        const std::optional<std::string>& problem = {});
    /// False when it has ended before.
    static bool end(SqlSession& session, std::int64_t id, ImportState state,
                    const std::optional<std::string>& problem = {});

    /// Removes some of what ended `days` ago, and of what never came to its end; how many rows. For
    /// JobRun::inPieces().
    static std::int64_t removeOld(SqlSession& session, std::int64_t days);

private:
    Database& _database;
};

} // namespace supplierd::orders

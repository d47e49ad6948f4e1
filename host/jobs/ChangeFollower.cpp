#include "host/jobs/ChangeFollower.h"

#include "host/db/HostTransaction.h"
#include "host/jobs/JobScheduler.h"
#include "host/observe/CurrentReason.h"

#include <supplierd/Errors.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace supplierd::host {

namespace {

using namespace std::chrono_literals;

constexpr auto LONGEST_PAUSE = std::chrono::hours(1);
constexpr auto CAUGHT_UP_INTERVAL = 60s;
/// When the job failed as a whole, as without a database.
constexpr std::chrono::milliseconds RETRY_INTERVAL = 10s;

constexpr std::string_view ENROLL_READER_SQL = "INSERT IGNORE INTO change_readers (plugin, name) VALUES (?, ?)";

// A new reader begins after everything that there is.
constexpr std::string_view FIRST_PLACES_SQL = R"sql(
INSERT INTO change_places (plugin, name, supplier_id, change_seq)
SELECT ?, ?, supplier_id, change_seq FROM supplier_state WHERE supplier_id >= 0
)sql";

constexpr std::string_view BEHIND_SQL = R"sql(
SELECT s.supplier_id
FROM supplier_state s
    LEFT JOIN change_places p ON p.plugin = ? AND p.name = ? AND p.supplier_id = s.supplier_id
WHERE s.supplier_id >= 0 AND s.change_seq > COALESCE(p.change_seq, 0)
)sql";

constexpr std::string_view PLACE_SQL = R"sql(
SELECT change_seq FROM change_places WHERE plugin = ? AND name = ? AND supplier_id = ?
)sql";

constexpr std::string_view MOVE_SQL = R"sql(
INSERT INTO change_places (plugin, name, supplier_id, change_seq)
SELECT ?, ?, t.supplier_id, t.change_seq
FROM JSON_TABLE(?, '$[*]' COLUMNS (supplier_id BIGINT PATH '$[0]', change_seq BIGINT PATH '$[1]')) t
ON DUPLICATE KEY UPDATE change_seq = VALUES(change_seq)
)sql";

constexpr std::string_view CAUGHT_UP_SQL = R"sql(
UPDATE change_readers SET caught_up_at = GREATEST(caught_up_at, NOW(6) - INTERVAL ? * 1000 MICROSECOND)
WHERE plugin = ? AND name = ?
)sql";

/// Pairs: [[7,12],[9,3]].
std::string jsonOf(const std::map<std::int64_t, std::int64_t>& places) {
    std::string json = "[";
    for (const auto& [supplierId, place] : places)
        json += (json.size() > 1 ? ",[" : "[") + std::to_string(supplierId) + "," + std::to_string(place) + "]";
    return json + "]";
}

prometheus::Labels labelsOf(const JobKey& key) {
    return {{"plugin", key.plugin}, {"reader", key.name}};
}

} // namespace

ChangeFollower::ChangeFollower(const std::string& plugin, ChangeReader reader, const Dependencies& dependencies)
    : _key{plugin, reader.name},
      _reader(std::move(reader)),
      _deps(dependencies),
      _entries(prometheus::BuildCounter()
                   .Name("supplierd_change_reader_entries_total")
                   .Help("Entries of the change log that a plugin's reader has worked off on this server")
                   .Register(_deps.metrics)
                   .Add(labelsOf(_key))),
      _failing(prometheus::BuildGauge()
                   .Name("supplierd_change_reader_failing_suppliers")
                   .Help("Suppliers whose changes a plugin's reader fails to work off on this server")
                   .Register(_deps.metrics)
                   .Add(labelsOf(_key))) {}

Job ChangeFollower::job(const std::string& plugin, ChangeReader reader, const Dependencies& dependencies) {
    if (!reader.work || reader.atOnce == 0)
        throw std::logic_error("the change reader '" + reader.name + "' of plugin '" + plugin + "' does nothing");
    auto follower = std::make_shared<ChangeFollower>(plugin, std::move(reader), dependencies);
    return {follower->_key.name, RETRY_INTERVAL, [follower](JobRun& run) { follower->run(run); }};
}

void ChangeFollower::run(JobRun& run) {
    enroll(run);
    struct Forgetting { // another server may have the job next
        ChangeFollower& follower;
        ~Forgetting() {
            follower._failures.clear();
            follower._putOff.clear();
            follower._failing.Set(0);
        }
    };
    [[maybe_unused]] const Forgetting atEnd{*this};
    CommitFeed::Listener listener(_deps.commits);
    for (std::set<std::int64_t> waiting;;) {
        const auto looked = Clock::now();
        const auto nextLook = looked + LOOK_INTERVAL;
        waiting.merge(behind());
        readEachInTurn(run, waiting);
        for (bool isCaughtUp = false;;) {
            if (waiting.empty() && !std::exchange(isCaughtUp, true))
                noteCaughtUp(run, looked);
            run.throwIfStopped();
            const auto now = Clock::now();
            if (now >= nextLook)
                break;
            const auto until = std::min(nextLook, nextTurn(waiting));
            const auto rest = std::chrono::ceil<std::chrono::milliseconds>(std::max(until, now) - now);
            waiting.merge(listener.wait(rest, run.stopSignal()));
            readEachInTurn(run, waiting);
            if (waiting.empty() && Clock::now() < until)
                run.stopSignal().waitFor(PAUSE);
        }
    }
}

void ChangeFollower::enroll(JobRun& run) {
    run.withTransaction([&](Transaction& transaction) {
        if (transaction.execute(ENROLL_READER_SQL, {_key.plugin, _key.name}) == 1)
            transaction.execute(FIRST_PLACES_SQL, {_key.plugin, _key.name});
    });
}

std::set<std::int64_t> ChangeFollower::behind() {
    return _deps.database.read([&](SqlSession& session) {
        std::set<std::int64_t> suppliers;
        Rows& rows = session.query(BEHIND_SQL, {_key.plugin, _key.name});
        while (rows.next())
            suppliers.insert(rows.integer(0));
        return suppliers;
    });
}

/// Some of each, so that one with many changes does not hold the others up, nor those that come meanwhile. Leaves those
/// of whom there is more.
void ChangeFollower::readEachInTurn(JobRun& run, std::set<std::int64_t>& suppliers) {
    const auto now = Clock::now();
    std::erase_if(suppliers, [this](std::int64_t supplierId) { return isPausing(supplierId); });
    std::erase_if(_putOff, [now](const auto& one) { return one.second <= now; });
    std::vector<std::int64_t> all;
    std::ranges::copy_if(suppliers, std::back_inserter(all), [this](auto id) { return !_putOff.contains(id); });
    for (std::span<const std::int64_t> rest(all); !rest.empty();) {
        run.throwIfStopped();
        const Turn turn = readSome(run, rest.first(std::min(rest.size(), MOST_TOGETHER)));
        for (const std::int64_t supplierId : rest.first(turn.suppliers))
            suppliers.erase(supplierId);
        suppliers.insert(turn.unfinished.begin(), turn.unfinished.end());
        rest = rest.subspan(turn.suppliers);
    }
}

/// The first one's; long from now when there is none.
ChangeFollower::Clock::time_point ChangeFollower::nextTurn(const std::set<std::int64_t>& suppliers) const {
    auto next = Clock::time_point::max();
    for (const std::int64_t supplierId : suppliers) {
        const auto putOff = _putOff.find(supplierId);
        next = std::min(next, putOff == _putOff.end() ? Clock::time_point::min() : putOff->second);
    }
    return next;
}

/// Of the first ones, one at least. What concerns the reader as a whole is thrown.
ChangeFollower::Turn ChangeFollower::readSome(JobRun& run, std::span<const std::int64_t> suppliers) {
    Turn turn;
    std::string reason;
    try {
        readTogether(run, suppliers, turn);
        for (const std::int64_t supplierId : suppliers.first(turn.suppliers))
            if (_failures.erase(supplierId) > 0)
                _failing.Set(static_cast<double>(_failures.size()));
        return turn;
    } catch (const JobStopped&) {
        throw;
    } catch (const ApiError& error) {
        if (error.kind() == ErrorKind::Unavailable)
            throw;
        if (error.kind() == ErrorKind::RateLimited) { // nothing is committed: the others have their turn once more
            const auto had = suppliers.first(turn.suppliers);
            _putOff[had.back()] = Clock::now() + LATER;
            turn = {had.size(), 0, {}, {had.begin(), had.end()}};
            return turn;
        }
        reason = error.what();
    } catch (...) {
        reason = currentReason();
    }
    if (turn.suppliers > 1)
        return readEachAlone(run, suppliers.first(turn.suppliers));
    noteFailure(suppliers.front(), reason);
    turn = {};
    turn.suppliers = 1;
    return turn;
}

/// Nothing of them was committed, and one of them is why: which one shows.
ChangeFollower::Turn ChangeFollower::readEachAlone(JobRun& run, std::span<const std::int64_t> suppliers) {
    Turn all;
    all.suppliers = suppliers.size();
    for (std::size_t i = 0; i < suppliers.size(); ++i) {
        run.throwIfStopped();
        const Turn one = readSome(run, suppliers.subspan(i, 1));
        all.unfinished.insert(all.unfinished.end(), one.unfinished.begin(), one.unfinished.end());
    }
    return all;
}

/// `turn`: as far as it came, also when it throws.
void ChangeFollower::readTogether(JobRun& run, std::span<const std::int64_t> suppliers, Turn& turn) {
    run.withTransaction([&](Transaction& transaction) {
        turn = {};
        const auto until = Clock::now() + LONGEST_TOGETHER;
        const auto before = effectsOf(transaction);
        const auto goesOn = [&] { return before && effectsOf(transaction) == before && Clock::now() < until; };
        do
            readPages(transaction, suppliers[turn.suppliers++], goesOn, turn);
        while (turn.suppliers < suppliers.size() && goesOn());
        if (!turn.places.empty())
            transaction.execute(MOVE_SQL, {_key.plugin, _key.name, jsonOf(turn.places)});
    });
    _entries.Increment(static_cast<double>(turn.entries));
}

/// One page, and the next ones as long as it goes on.
void ChangeFollower::readPages(Transaction& transaction, std::int64_t supplierId, const std::function<bool()>& goesOn,
                               Turn& turn) {
    std::int64_t place = placeAt(transaction, supplierId);
    bool hasMore = false;
    do {
        const ChangePage page = pageAfter(transaction, supplierId, place);
        if (page.committed <= place)
            return;
        const bool isCut = page.isComplete && !page.entries.empty();
        place = isCut ? page.entries.back().seq : page.committed;
        turn.entries += page.entries.size();
        turn.places[supplierId] = place;
        hasMore = place < page.committed;
        _reader.work(transaction, supplierId, page);
    } while (hasMore && goesOn());
    if (hasMore)
        turn.unfinished.push_back(supplierId);
}

ChangePage ChangeFollower::pageAfter(Transaction& transaction, std::int64_t supplierId, std::int64_t place) {
    ChangePage page = _changes.after(transaction, supplierId, place, _reader.atOnce);
    std::size_t objects = 0;
    const auto isBeyond = [&](const ChangeEntry& entry) {
        const bool isFull = objects > 0;
        for (const ChangedObjects& changed : entry.objects)
            objects += changed.ids.size();
        return isFull && objects > MOST_OBJECTS;
    };
    if (const auto end = std::ranges::find_if(page.entries, isBeyond); end != page.entries.end()) {
        page.entries.erase(end, page.entries.end());
        page.isComplete = true;
    }
    return page;
}

/// From the table each time: a database that goes on without its last commits takes the places back along with them.
std::int64_t ChangeFollower::placeAt(Transaction& transaction, std::int64_t supplierId) const {
    Rows& row = transaction.query(PLACE_SQL, {_key.plugin, _key.name, supplierId});
    return row.next() ? row.integer(0) : 0;
}

bool ChangeFollower::isPausing(std::int64_t supplierId) const {
    const auto failure = _failures.find(supplierId);
    return failure != _failures.end() && Clock::now() < failure->second.nextTry;
}

void ChangeFollower::noteFailure(std::int64_t supplierId, const std::string& reason) {
    Failure& failure = _failures[supplierId];
    const auto pause = JobScheduler::pauseAfter(++failure.inARow, LONGEST_PAUSE, 1);
    failure.nextTry = Clock::now() + pause;
    _failing.Set(static_cast<double>(_failures.size()));
    _deps.log.warning("changes of a supplier could not be worked off", {{"plugin", _key.plugin},
                                                                        {"reader", _key.name},
                                                                        {"supplier_id", supplierId},
                                                                        {"reason", reason},
                                                                        {"next_try_ms", std::int64_t{pause.count()}}});
}

/// Says until when the log is not needed any more.
void ChangeFollower::noteCaughtUp(JobRun& run, Clock::time_point asOf) {
    if (!_failures.empty() || asOf < _nextCaughtUp)
        return;
    _nextCaughtUp = asOf + CAUGHT_UP_INTERVAL;
    run.withTransaction([&](Transaction& transaction) {
        const auto age = std::chrono::ceil<std::chrono::milliseconds>(Clock::now() - asOf);
        transaction.execute(CAUGHT_UP_SQL, {std::int64_t{age.count()}, _key.plugin, _key.name});
    });
}

} // namespace supplierd::host

#include "imports/ImportRun.h"

#include "imports/OpenImport.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

namespace supplierd::csv {

namespace {

/// So many are in memory at once. Others wait for one of them to end, or for the end of its turn: when its next one
/// comes, its file is read anew up to where it stands.
constexpr std::size_t OPEN_AT_ONCE = 4;
constexpr std::chrono::seconds TURN{30};
constexpr std::int64_t MAX_UNFINISHED = 1'000;

/// Whether the import is what cannot go on, and not the server for now.
bool isLasting(const std::exception& error) {
    if (dynamic_cast<const JobStopped*>(&error) != nullptr)
        return false;
    if (const auto* const failed = dynamic_cast<const DatabaseError*>(&error))
        return !failed->isConnectionLost() && !failed->isRetryable();
    const auto* const refused = dynamic_cast<const ApiError*>(&error);
    return refused == nullptr || refused->kind() != ErrorKind::Unavailable;
}

/// What is kept of the changes of a batch: the first ones of the import, and of those with a far price as many.
std::vector<ChangedRow> kept(std::vector<ChangedRow> changed, const OpenImport& open) {
    std::int64_t rows = open.changedRows;
    std::int64_t far = open.farPrices;
    std::erase_if(changed, [&](const ChangedRow& row) {
        const bool isFirst = rows++ < ImportStore::SHOWN_CHANGES;
        return !isFirst && !(row.isFarPrice && far++ < ImportStore::SHOWN_CHANGES);
    });
    return changed;
}

} // namespace

void ImportRun::work() {
    for (;;) {
        const std::vector<std::int64_t> ids = unfinished();
        const auto hasEnded = [&ids](const auto& entry) {
            return std::find(ids.begin(), ids.end(), entry.first) == ids.end();
        };
        std::erase_if(_open, hasEnded);
        std::erase_if(_turns, hasEnded);
        if (ids.empty())
            break;
        for (const std::int64_t id : chosen(ids)) {
            _run.throwIfStopped();
            step(id);
        }
    }
    if (_ended > 0)
        _run.report("ended " + std::to_string(_ended) + " imports");
}

/// Of this job, oldest first.
std::vector<std::int64_t> ImportRun::unfinished() {
    std::vector<std::int64_t> ids = _services.store.unfinished(MAX_UNFINISHED);
    std::erase_if(ids, [this](std::int64_t id) {
        auto known = _areOwn.find(id);
        if (known == _areOwn.end()) {
            const auto import = _services.store.find(id);
            known = _areOwn.emplace(id, import && import->fetchesImages() == _fetchesImages).first;
        }
        return !known->second;
    });
    return ids;
}

/// Those that are open, and of the others those that had the fewest turns.
std::vector<std::int64_t> ImportRun::chosen(const std::vector<std::int64_t>& ids) {
    const auto now = Clock::now();
    if (ids.size() > OPEN_AT_ONCE)
        std::erase_if(_open, [now](const auto& entry) { return entry.second.end <= now; });
    std::vector<std::int64_t> chosen;
    std::vector<std::int64_t> others;
    for (const std::int64_t id : ids)
        (_open.contains(id) ? chosen : others).push_back(id);
    std::stable_sort(others.begin(), others.end(),
                     [this](std::int64_t a, std::int64_t b) { return _turns[a] < _turns[b]; });
    others.resize(std::min(others.size(), OPEN_AT_ONCE - std::min(OPEN_AT_ONCE, chosen.size())));
    chosen.insert(chosen.end(), others.begin(), others.end());
    return chosen;
}

void ImportRun::step(std::int64_t id) {
    try {
        if (!_open.contains(id)) {
            const auto import = _services.store.find(id);
            if (!import || import->hasEnded())
                return;
            this->open(*import);
        }
        doBatch(*_open.at(id).import);
    } catch (const FileProblem& problem) {
        end(id, ImportState::Failed, problem.what());
    } catch (const std::exception& error) {
        if (!isLasting(error))
            throw;
        // One that cannot go on must not keep the others from it.
        _services.log.error("an import failed", {{"import", id}, {"reason", std::string(error.what())}});
        end(id, ImportState::Failed, "internal error");
    }
}

void ImportRun::open(const ImportRecord& import) {
    CategoryNames categories(
        _services.store.database().read([&](SqlSession& session) { return _services.categories.all(session); }));
    _open[import.id] = {std::make_unique<OpenImport>(import, std::move(categories), _services.store),
                        Clock::now() + TURN};
    ++_turns[import.id];
}

void ImportRun::doBatch(OpenImport& open) {
    const std::int64_t id = open.import.id;
    open.readBatch(_services.batchRows);
    if (open.batch.empty()) {
        end(id, ImportState::Done, {});
        return;
    }
    ImportBatch batch(_services, open);
    batch.prepare(_run);
    std::optional<RowCounts> counts;
    _run.withTransaction([&](Transaction& transaction) {
        counts.reset();
        if (!ImportStore::lock(transaction, id))
            return;
        std::vector<FailedRow> failed;
        std::vector<ChangedRow> changed;
        counts = batch.put(transaction, failed, changed);
        const std::int64_t room = std::max<std::int64_t>(0, _services.maxFailedRows - open.failedRows);
        if (static_cast<std::int64_t>(failed.size()) > room)
            failed.resize(static_cast<std::size_t>(room));
        ImportStore::addErrors(transaction, id, failed);
        ImportStore::addChanges(transaction, id, kept(std::move(changed), open));
        ImportStore::advance(transaction, id, open.batch.back().row, *counts);
    });
    if (!counts) { // it was cancelled
        _open.erase(id);
        return;
    }
    open.failedRows += counts->failed;
    open.changedRows += counts->created + counts->updated;
    open.farPrices += counts->farPrices;
    _services.metrics.created.add(static_cast<double>(counts->created));
    _services.metrics.updated.add(static_cast<double>(counts->updated));
    _services.metrics.unchanged.add(static_cast<double>(counts->unchanged));
    _services.metrics.failed.add(static_cast<double>(counts->failed));
}

void ImportRun::end(std::int64_t id, ImportState state, const std::string& problem) {
    const std::optional<std::string> told = problem.empty() ? std::nullopt : std::optional(problem);
    _run.withTransaction([&](Transaction& transaction) { ImportStore::end(transaction, id, state, told); });
    _open.erase(id);
    ++_ended;
}

} // namespace supplierd::csv

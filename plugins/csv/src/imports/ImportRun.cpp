#include "imports/ImportRun.h"

#include "imports/ImportFile.h"
#include "imports/ProductRow.h"

#include <supplierd/JsonBody.h>
#include <supplierd/Sku.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>

namespace supplierd::csv {

namespace {

/// So many are read at once; others wait for one of them to end.
constexpr std::int64_t OPEN_AT_ONCE = 4;

using Outcome = BatchedProduct::Outcome;

/// With the column in which the cell stands, by the sheet's own name.
std::string detailsJson(const std::vector<Detail>& details, const Heading& heading) {
    std::string text;
    JsonWriter json(text);
    json.beginArray();
    for (const Detail& detail : details) {
        const bool isCell = heading.has(detail.field);
        json.beginObject();
        json.field("column", isCell ? std::optional(heading.headingOf(detail.field)) : std::nullopt);
        json.field("field", detail.field).field("code", detail.code).field("message", detail.message);
        json.endObject();
    }
    json.endArray();
    return text;
}

/// The rows of a batch that are wanted, as objects.
struct ProductObjects {
    template <class IsWanted>
    ProductObjects(const std::vector<ProductRow>& rows, const IsWanted& isWanted) {
        std::string text = "[";
        for (const ProductRow& row : rows)
            if (isWanted(row))
                text.append(text.size() > 1 ? "," : "").append(row.json);
        document = parseJson(std::move(text += ']'));
        for (const JsonValue product : document.array())
            objects.push_back(product.object());
    }

    JsonDocument document;
    std::vector<JsonObject> objects;
};

/// A cell that was not understood stands in its row's object as one that is missing: that is told once.
std::vector<Detail> merged(std::vector<Detail> problems, const std::vector<Detail>& others) {
    const auto isTold = [&problems](const std::string& field) {
        return std::any_of(problems.begin(), problems.end(), [&field](const Detail& problem) {
            return problem.field == field || (problem.field == "category" && field == "category_id");
        });
    };
    std::vector<Detail> further;
    std::copy_if(others.begin(), others.end(), std::back_inserter(further),
                 [&](const Detail& detail) { return !isTold(detail.field); });
    problems.insert(problems.end(), further.begin(), further.end());
    return problems;
}

/// Whether the import is what cannot go on, and not the server for now.
bool isLasting(const std::exception& error) {
    if (dynamic_cast<const JobStopped*>(&error) != nullptr)
        return false;
    if (const auto* const failed = dynamic_cast<const DatabaseError*>(&error))
        return !failed->isConnectionLost() && !failed->isRetryable();
    const auto* const refused = dynamic_cast<const ApiError*>(&error);
    return refused == nullptr || refused->kind() != ErrorKind::Unavailable;
}

} // namespace

/// An import whose file is being read.
struct ImportRun::Open {
    Open(ImportRecord import_, CategoryNames categories_, ImportStore& store)
        : import(std::move(import_)),
          heading(import.heading),
          categories(std::move(categories_)),
          products(heading, import, categories),
          records(openFile(store, import.id, import.format)) {}

    const ImportRecord import;
    const Heading heading;
    const CategoryNames categories;
    const ProductRows products;
    std::unique_ptr<RecordReader> records;
    /// Rows by what their SKUs are told apart by.
    std::unordered_map<std::size_t, std::uint32_t> rowsBySku;
    std::int64_t failedRows = 0;
    std::vector<ProductRow> batch;
    bool hasEnded = false;

    void noteSku(ProductRow& row);
    void readBatch(std::size_t size);
    void skipTo(std::int64_t lastRow);
};

/// A SKU that stands in the file twice is a mistake in one of the rows: nobody knows in which.
void ImportRun::Open::noteSku(ProductRow& row) {
    if (row.sku.empty())
        return;
    const std::size_t key = std::hash<std::string>()(skuKey(row.sku));
    const auto [entry, isNew] = rowsBySku.emplace(key, static_cast<std::uint32_t>(row.row));
    if (!isNew)
        row.problems.push_back({"sku", "duplicate", "sku stands in row " + std::to_string(entry->second) + " already"});
}

void ImportRun::Open::readBatch(std::size_t size) {
    batch.clear();
    Record record;
    while (batch.size() < size && !hasEnded) {
        hasEnded = !records->next(record);
        if (hasEnded)
            return;
        batch.push_back(products.read(record));
        noteSku(batch.back());
    }
}

void ImportRun::Open::skipTo(std::int64_t lastRow) {
    Record record;
    std::int64_t row = 0;
    while (row < lastRow && records->next(record)) {
        row = record.row;
        if (row > import.headingRow) {
            ProductRow done = products.read(record);
            noteSku(done);
        }
    }
}

ImportRun::ImportRun(const ImportServices& services, JobRun& run) : _services(services), _run(run) {}

ImportRun::~ImportRun() = default;

void ImportRun::work() {
    for (;;) {
        const std::vector<std::int64_t> ids = _services.store.unfinished(OPEN_AT_ONCE);
        std::erase_if(
            _open, [&ids](const auto& entry) { return std::find(ids.begin(), ids.end(), entry.first) == ids.end(); });
        if (ids.empty())
            break;
        for (const std::int64_t id : ids) {
            _run.throwIfStopped();
            step(id);
        }
    }
    if (_ended > 0)
        _run.report("ended " + std::to_string(_ended) + " imports");
}

void ImportRun::step(std::int64_t id) {
    try {
        auto& open = _open[id];
        if (!open) {
            const auto import = _services.store.find(id);
            if (!import || import->hasEnded())
                return;
            open = this->open(*import);
        }
        doBatch(*open);
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

std::unique_ptr<ImportRun::Open> ImportRun::open(const ImportRecord& import) const {
    CategoryNames categories(
        _services.store.database().read([&](SqlSession& session) { return _services.categories.all(session); }));
    auto open = std::make_unique<Open>(import, std::move(categories), _services.store);
    open->failedRows = import.rows.failed;
    open->skipTo(import.lastRow);
    return open;
}

void ImportRun::doBatch(Open& open) {
    const std::int64_t id = open.import.id;
    open.readBatch(_services.batchRows);
    if (open.batch.empty()) {
        end(id, ImportState::Done, {});
        return;
    }
    std::optional<RowCounts> counts;
    _run.withTransaction([&](Transaction& transaction) {
        counts.reset();
        if (!ImportStore::lock(transaction, id))
            return;
        std::vector<FailedRow> failed;
        counts = put(transaction, open, failed);
        const std::int64_t room = std::max<std::int64_t>(0, _services.maxFailedRows - open.failedRows);
        if (static_cast<std::int64_t>(failed.size()) > room)
            failed.resize(static_cast<std::size_t>(room));
        ImportStore::addErrors(transaction, id, failed);
        ImportStore::advance(transaction, id, open.batch.back().row, *counts);
    });
    if (!counts) { // it was cancelled
        _open.erase(id);
        return;
    }
    open.failedRows += counts->failed;
    _services.metrics.created.add(static_cast<double>(counts->created));
    _services.metrics.updated.add(static_cast<double>(counts->updated));
    _services.metrics.unchanged.add(static_cast<double>(counts->unchanged));
    _services.metrics.failed.add(static_cast<double>(counts->failed));
}

std::vector<BatchedProduct> ImportRun::resultsOf(Transaction& transaction, const Open& open) const {
    const std::int64_t supplier = open.import.supplierId;
    const ProductObjects good(open.batch, [](const ProductRow& row) { return row.problems.empty(); });
    const ProductObjects bad(open.batch, [](const ProductRow& row) { return !row.problems.empty(); });
    std::vector<BatchedProduct> ofGood;
    std::vector<BatchedProduct> ofBad;
    if (!bad.objects.empty()) // what else is wrong with them
        ofBad = _services.products.look(transaction, supplier, bad.objects);
    if (!good.objects.empty())
        ofGood = open.import.isDryRun ? _services.products.look(transaction, supplier, good.objects)
                                      : _services.products.put(transaction, supplier, good.objects, open.import.actor);
    std::vector<BatchedProduct> results;
    auto nextGood = ofGood.begin();
    auto nextBad = ofBad.begin();
    for (const ProductRow& row : open.batch) {
        results.push_back(std::move(row.problems.empty() ? *nextGood++ : *nextBad++));
        if (!row.problems.empty())
            results.back() = {.details = merged(row.problems, results.back().details)};
    }
    return results;
}

RowCounts ImportRun::put(Transaction& transaction, const Open& open, std::vector<FailedRow>& failed) const {
    const std::vector<BatchedProduct> results = resultsOf(transaction, open);
    RowCounts counts;
    counts.done = static_cast<std::int64_t>(results.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        const BatchedProduct& result = results[i];
        counts.created += result.outcome == Outcome::Created ? 1 : 0;
        counts.updated += result.outcome == Outcome::Updated ? 1 : 0;
        counts.unchanged += result.outcome == Outcome::Unchanged ? 1 : 0;
        if (result.outcome == Outcome::Failed) {
            ++counts.failed;
            const ProductRow& row = open.batch[i];
            failed.push_back({row.row, row.sku, detailsJson(result.details, open.heading)});
        }
    }
    return counts;
}

void ImportRun::end(std::int64_t id, ImportState state, const std::string& problem) {
    const std::optional<std::string> told = problem.empty() ? std::nullopt : std::optional(problem);
    _run.withTransaction([&](Transaction& transaction) { ImportStore::end(transaction, id, state, told); });
    _open.erase(id);
    ++_ended;
}

} // namespace supplierd::csv

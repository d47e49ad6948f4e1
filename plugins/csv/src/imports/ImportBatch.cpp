#include "imports/ImportBatch.h"

#include <supplierd/JsonBody.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace supplierd::csv {

namespace {

using Outcome = BatchedProduct::Outcome;

constexpr std::string_view VARIANT_FIELD = "variant.";

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

/// Rows of a batch as objects, and where they stand in it.
struct Entries {
    template <class TextOf>
    Entries(const std::vector<ProductRow>& rows, const TextOf& textOf) {
        std::string text = "[";
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::string entry = textOf(rows[i], i);
            if (entry.empty())
                continue;
            text.append(text.size() > 1 ? "," : "").append(entry);
            places.push_back(i);
        }
        document = parseJson(std::move(text += ']'));
        for (const JsonValue entry : document.array())
            objects.push_back(entry.object());
    }

    JsonDocument document;
    std::vector<JsonObject> objects;
    std::vector<std::size_t> places;
};

/// A cell that was not understood stands in its row's object as one that is missing: that is told once. Of one that
/// stands there twice it is told, too, what else is wrong with it: perhaps that is why.
std::vector<Detail> merged(std::vector<Detail> problems, const std::vector<Detail>& others) {
    const auto isTold = [&problems](const Detail& other) {
        return std::any_of(problems.begin(), problems.end(), [&other](const Detail& problem) {
            const bool isSame = problem.code == other.code || problem.code != "duplicate";
            return (problem.field == other.field && isSame) ||
                   (problem.field == "category" && other.field == "category_id");
        });
    };
    std::vector<Detail> further;
    std::copy_if(others.begin(), others.end(), std::back_inserter(further),
                 [&](const Detail& detail) { return !isTold(detail); });
    problems.insert(problems.end(), further.begin(), further.end());
    return problems;
}

/// "variant.name is required", of the service, as the sheet calls it: variant_name.
void renameVariantFields(std::vector<Detail>& details) {
    for (Detail& detail : details)
        for (std::string* const text : {&detail.field, &detail.message})
            for (auto at = text->find(VARIANT_FIELD); at != std::string::npos; at = text->find(VARIANT_FIELD, at + 1))
                text->replace(at, VARIANT_FIELD.size(), VARIANT_PREFIX);
}

/// What becomes of a product's variant becomes of the product.
void addVariant(BatchedProduct& product, const BatchedProduct& variant) {
    if (product.outcome == Outcome::Unchanged)
        product.outcome = Outcome::Updated;
    product.before = product.before.empty() ? variant.before : joined(product.before, variant.before);
    product.after = product.after.empty() ? variant.after : joined(product.after, variant.after);
}

} // namespace

RowCounts ImportBatch::put(Transaction& transaction, std::vector<FailedRow>& failed, std::vector<ChangedRow>& changed) {
    Results results(_open.batch.size());
    for (BatchedProduct& result : results)
        result.outcome = Outcome::Unchanged;
    putProducts(transaction, results);
    for (std::size_t i = 0; _open.keepsCreated && i < results.size(); ++i)
        if (results[i].outcome == Outcome::Created)
            _open.created.insert(keyOf(_open.batch[i]));
    putVariants(transaction, results);
    const std::int64_t unfetched = addImages(transaction, results);
    RowCounts counts = countOf(results, failed, changed);
    counts.unfetchedImages = unfetched;
    return counts;
}

void ImportBatch::putProducts(Transaction& transaction, Results& results) const {
    const auto& rows = _open.batch;
    const auto entries = [&rows](bool good) {
        return Entries(rows, [good](const ProductRow& row, std::size_t) {
            return row.isOfProduct && row.problems.empty() == good ? joined(row.names, row.fields) : std::string();
        });
    };
    const Entries good = entries(true);
    const Entries bad = entries(false);
    const std::int64_t supplier = _open.import.supplierId;
    if (!good.objects.empty()) {
        auto put = _open.import.isDryRun
                       ? _services.products.dryRun(transaction, supplier, good.objects)
                       : _services.products.upsert(transaction, supplier, good.objects, _open.import.actor);
        for (std::size_t i = 0; i < put.size(); ++i)
            results[good.places[i]] = std::move(put[i]);
    }
    if (!bad.objects.empty()) { // what else is wrong with them
        const auto looked = _services.products.dryRun(transaction, supplier, bad.objects);
        for (std::size_t i = 0; i < looked.size(); ++i)
            results[bad.places[i]] = {.details = merged(rows[bad.places[i]].problems, looked[i].details)};
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (!rows[i].isOfProduct && !rows[i].problems.empty())
            results[i] = {.details = rows[i].problems};
}

bool ImportBatch::isNew(const ProductRow& row) const {
    return _open.keepsCreated && !row.sku.empty() && _open.created.contains(keyOf(row));
}

void ImportBatch::putVariants(Transaction& transaction, Results& results) const {
    const auto& rows = _open.batch;
    const Entries entries(rows, [&](const ProductRow& row, std::size_t i) {
        if (row.variant.empty() || results[i].outcome == Outcome::Failed)
            return std::string();
        const std::string what = std::string(isNew(row) ? R"({"is_new_product":true,"variant":)" : R"({"variant":)");
        return joined(row.names, what + row.variant + '}');
    });
    if (entries.objects.empty())
        return;
    const std::int64_t supplier = _open.import.supplierId;
    auto put = _open.import.isDryRun
                   ? _services.products.dryRunVariants(transaction, supplier, entries.objects)
                   : _services.products.upsertVariants(transaction, supplier, entries.objects, _open.import.actor);
    for (std::size_t i = 0; i < put.size(); ++i) {
        renameVariantFields(put[i].details);
        BatchedProduct& result = results[entries.places[i]];
        if (put[i].outcome == Outcome::Failed || !rows[entries.places[i]].isOfProduct)
            result = std::move(put[i]);
        else if (put[i].outcome != Outcome::Unchanged)
            addVariant(result, put[i]);
    }
}

std::int64_t ImportBatch::addImages(Transaction& transaction, Results& results) const {
    std::int64_t unfetched = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
        BatchedProduct& result = results[i];
        if (result.outcome == Outcome::Failed)
            continue;
        RowImages::Result images = _images.add(transaction, i, result.productId);
        unfetched += images.unfetched;
        if (!images.problems.empty())
            result = {.details = std::move(images.problems)};
        else if (images.changed && result.outcome == Outcome::Unchanged)
            result.outcome = Outcome::Updated;
    }
    return unfetched;
}

RowCounts ImportBatch::countOf(Results& results, std::vector<FailedRow>& failed,
                               std::vector<ChangedRow>& changed) const {
    RowCounts counts;
    counts.done = static_cast<std::int64_t>(results.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        BatchedProduct& result = results[i];
        counts.created += result.outcome == Outcome::Created ? 1 : 0;
        counts.updated += result.outcome == Outcome::Updated ? 1 : 0;
        counts.unchanged += result.outcome == Outcome::Unchanged ? 1 : 0;
        if (result.outcome == Outcome::Failed) {
            ++counts.failed;
            const ProductRow& row = _open.batch[i];
            failed.push_back({row.row, row.sku, detailsJson(result.details, _open.heading)});
        } else if (!result.before.empty() || !result.after.empty()) {
            changed.push_back(ChangedRow::of(_open.batch[i], std::move(result)));
            counts.farPrices += changed.back().isFarPrice ? 1 : 0;
        }
    }
    return counts;
}

} // namespace supplierd::csv

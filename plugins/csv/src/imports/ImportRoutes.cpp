#include "imports/ImportRoutes.h"

#include "Columns.h"
#include "imports/ImportErrors.h"
#include "imports/ImportFile.h"

#include <supplierd/Query.h>

#include <algorithm>
#include <array>
#include <utility>

namespace supplierd::csv {

namespace {

constexpr std::array<std::string_view, 2> EMPTY_CELLS{"keep", "clear"};

/// What the query says of an import.
struct ImportOptions {
    ImportRecord import;
    GivenFormat format;

    static ImportOptions read(const Request& request);
};

ImportOptions ImportOptions::read(const Request& request) {
    Details details;
    QueryReader query(request.query(), details);
    ImportOptions options;
    options.import.actor = actorOf(request);
    options.import.isDryRun = query.boolean("dry_run").value_or(false);
    options.import.clearsEmpty = query.oneOf("empty", EMPTY_CELLS) == "clear";
    options.import.fileName = query.text("file_name", 255);
    if (const auto separator = query.oneOf("separator", SEPARATORS))
        options.format.separator = separatorNamed(*separator);
    if (const auto set = query.oneOf("charset", CHARACTER_SETS))
        options.format.characterSet = static_cast<CharacterSet>(
            std::find(CHARACTER_SETS.begin(), CHARACTER_SETS.end(), *set) - CHARACTER_SETS.begin());
    if (const auto sign = query.oneOf("decimal", DECIMAL_SIGNS))
        options.format.decimalSign = *sign == "comma" ? ',' : '.';
    details.throwIfAny();
    return options;
}

void write(JsonWriter& json, const ChangedRow& row) {
    json.beginObject().field("row", row.row).field("sku", row.sku);
    json.field("name", row.name.empty() ? std::nullopt : std::optional(row.name));
    json.field("outcome", row.isNew ? "created" : "updated").field("far_price", row.isFarPrice);
    json.key("before").raw(row.before.empty() ? "{}" : row.before);
    json.key("after").raw(row.after.empty() ? "{}" : row.after);
    json.endObject();
}

ApiError noSuchImport() {
    return ApiError::notFound("Import not found");
}

} // namespace

std::int64_t ImportRoutes::supplierOf(Request& request) {
    if (!request.principal().isOperator)
        return request.principal().supplierId;
    const std::int64_t id = request.pathInteger("id");
    if (!request.database().read([&](SqlSession& session) { return _accounts.findSupplier(session, id); }))
        throw ApiError::notFound("Supplier not found");
    return id;
}

std::shared_ptr<void> ImportRoutes::admit(Request& request) {
    ImportOptions::read(request); // nobody sends a file for nothing
    return _intake.admit(supplierOf(request));
}

Response ImportRoutes::upload(Request& request) {
    ImportOptions options = ImportOptions::read(request);
    options.import.supplierId = supplierOf(request);
    Response response;
    _intake.take(
        options.import, options.format, [&](std::span<char> to) { return request.rawBody().read(to); },
        [&](const ImportRecord& import) { response = accept(request, import); },
        static_cast<AwaitedUploads::Place*>(request.admission().get()));
    return response;
}

Response ImportRoutes::accept(Request& request, const ImportRecord& import) {
    return request.transact([&](Transaction& transaction) {
        _intake.enqueue(transaction, import);
        const auto stored = ImportStore::find(transaction, import.supplierId, import.id);
        if (!stored)
            throw noSuchImport();
        Response response = show(request, transaction, *stored);
        response.status = 202;
        response.addHeader("Location",
                           std::string(request.principal().isOperator ? "/api/v1/platform" : "/api/v1/supplier") +
                               "/imports/" + std::to_string(import.id));
        for (const std::string& column : Heading(import.heading).unknown())
            response.warn(column, "unknown", "unknown column '" + column + "' is left out");
        return response;
    });
}

Response ImportRoutes::list(Request& request) {
    Details details;
    QueryReader query(request.query(), details);
    const std::int64_t supplier = request.principal().supplierId;
    const ListPage page = ListPage::read(query, ImportStore::rules(supplier));
    details.throwIfAny();
    const auto imports = _store.list(supplier, page);
    Response response = request.reply();
    JsonWriter json(response.data);
    json.beginObject();
    writeList(json, "imports", imports);
    json.endObject();
    return response;
}

Response ImportRoutes::read(Request& request) {
    return request.database().snapshot([&](SqlSession& snapshot) {
        const Principal& principal = request.principal();
        const std::int64_t id = request.pathInteger("id");
        const auto import = principal.isOperator ? ImportStore::find(snapshot, id)
                                                 : ImportStore::find(snapshot, principal.supplierId, id);
        if (!import)
            throw noSuchImport();
        return show(request, snapshot, *import);
    });
}

Response ImportRoutes::show(Request& request, SqlSession& session, const ImportRecord& import) {
    const auto errors = ImportStore::errors(session, import.id, 0, ImportStore::SHOWN_ERRORS);
    const auto supplier =
        request.principal().isOperator ? _accounts.findSupplier(session, import.supplierId) : std::nullopt;
    Response response = request.reply();
    JsonWriter json(response.data);
    json.beginObject().key("import");
    writeJson(json, import, supplier);
    json.key("errors").beginArray();
    for (const FailedRow& row : errors)
        json.beginObject()
            .field("row", row.row)
            .field("sku", row.sku)
            .field("message", reasonsOf(row))
            .key("details")
            .raw(row.details)
            .endObject();
    json.endArray().key("changes").beginArray();
    for (const ChangedRow& row : ImportStore::changes(session, import.id))
        write(json, row);
    json.endArray().endObject();
    return response;
}

Response ImportRoutes::cancel(Request& request) {
    return request.transact([&](Transaction& transaction) {
        const std::int64_t supplier = request.principal().supplierId;
        const std::int64_t id = request.pathInteger("id");
        if (!ImportStore::find(transaction, supplier, id))
            throw noSuchImport();
        ImportStore::end(transaction, id, ImportState::Cancelled);
        return show(request, transaction, ImportStore::find(transaction, supplier, id).value());
    });
}

Response ImportRoutes::errors(Request& request) {
    const auto import = request.database().read([&](SqlSession& session) {
        return ImportStore::find(session, request.principal().supplierId, request.pathInteger("id"));
    });
    if (!import)
        throw noSuchImport();
    if (!import->hasFile)
        throw ApiError::notFound("The file of this import was removed");
    Response response = Response::of(std::make_shared<ImportErrors>(_store, *import), "text/csv; charset=utf-8");
    response.addHeader("Content-Disposition", "attachment; filename=\"errors-" + std::to_string(import->id) + ".csv\"");
    return response;
}

} // namespace supplierd::csv

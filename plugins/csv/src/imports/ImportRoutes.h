#pragma once

#include "imports/ImportIntake.h"
#include "imports/ImportStore.h"

#include <supplierd/Plugin.h>

#include <memory>

namespace supplierd::csv {

/// POST /products/import and what is below /imports; for operators, POST /suppliers/{id}/products/import and GET
/// /imports/{id}. What it is made with outlives it. Thread: any.
class ImportRoutes {
public:
    ImportRoutes(ImportStore& store, ImportIntake& intake, Accounts& accounts)
        : _store(store), _intake(intake), _accounts(accounts) {}

    /// Of a supplier's request he himself, else the one in the path. Throws ApiError (NotFound).
    std::int64_t supplierOf(Request& request);
    /// For upload(), by the head alone.
    std::shared_ptr<void> admit(Request& request);
    Response upload(Request& request);
    Response list(Request& request);
    Response read(Request& request);
    Response cancel(Request& request);
    Response errors(Request& request);

private:
    Response accept(Request& request, const ImportRecord& import);
    Response show(Request& request, SqlSession& session, const ImportRecord& import);

    ImportStore& _store;
    ImportIntake& _intake;
    Accounts& _accounts;
};

} // namespace supplierd::csv

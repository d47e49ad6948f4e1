#pragma once

#include "imports/ImportStore.h"

#include <supplierd/Plugin.h>
#include <supplierd/services/Jobs.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace supplierd::csv {

inline constexpr std::string_view IMPORT_JOB = "import";

/// POST /products/import and what is below /imports. What it is made with outlives it. Thread: any.
class ImportRoutes {
public:
    ImportRoutes(ImportStore& store, Jobs& jobs, std::int64_t atOnce) : _store(store), _jobs(jobs), _atOnce(atOnce) {}

    Response upload(Request& request);
    Response list(Request& request);
    Response read(Request& request);
    Response cancel(Request& request);
    Response errors(Request& request);

private:
    std::int64_t receive(BodyStream& body, std::int64_t id, CharacterSetScan& scan);
    Response accept(Request& request, const ImportRecord& import);
    static Response show(Request& request, SqlSession& session, const ImportRecord& import);

    ImportStore& _store;
    Jobs& _jobs;
    std::int64_t _atOnce;
};

} // namespace supplierd::csv

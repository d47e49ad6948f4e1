#pragma once

#include "imports/ImportStore.h"

#include <supplierd/Log.h>
#include <supplierd/Metrics.h>
#include <supplierd/internal/ImageIngest.h>
#include <supplierd/internal/ImageUploads.h>
#include <supplierd/services/CategoryTree.h>
#include <supplierd/services/HttpClient.h>
#include <supplierd/services/Products.h>

#include <cstddef>
#include <cstdint>

namespace supplierd::csv {

/// What imports count.
struct ImportMetrics {
    Counter& created;
    Counter& updated;
    Counter& unchanged;
    Counter& failed;
};

/// What imports are made with; it outlives them.
struct ImportServices {
    ImportStore& store;
    Products& products;
    CategoryTree& categories;
    Logger& log;
    ImportMetrics metrics;
    /// Rows of one transaction.
    std::size_t batchRows = 200;
    /// Whose reasons are kept, of each import.
    std::int64_t maxFailedRows = 10'000;
    /// Both null where the plugin `media` is not enabled.
    ImageIngest* images = nullptr;
    ImageUploads* uploads = nullptr;
    /// By whose rules images are fetched; null likewise.
    const HttpClient* imageHttp = nullptr;
};

} // namespace supplierd::csv

#pragma once

#include "MediaStore.h"
#include "library/RemovalHold.h"
#include "library/StoreId.h"

#include <supplierd/Plugin.h>
#include <supplierd/services/Jobs.h>

#include <functional>
#include <vector>

namespace supplierd::media {

/// The routes of operators: the jobs `verify` and `move`, and what a backup needs. Files never change and have random
/// names, so a copy can only lack some. One is there before its image's row is committed, and goes after the commit
/// that removes the row: whoever holds removals back, then takes the database's snapshot, then reads the files, has the
/// file of every row. Thread: any.
class MediaOperatorRoutes {
public:
    struct Dependencies {
        Jobs& jobs;
        MediaStore& store;
        StoreId& storeId;
        RemovalHold& hold;
    };

    /// `dependencies` is asked with each request.
    static std::vector<Route> describe(const std::function<Dependencies()>& dependencies);
};

} // namespace supplierd::media

#pragma once

#include <supplierd/Request.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace supplierd::categories {

/// GET /categories: what suppliers see of the tree, from memory until it changes. Thread: any.
class CategoryList {
public:
    /// Throws DatabaseError.
    Response respond(Request& request);

private:
    struct Cached {
        std::int64_t marketplaceSeq = 0; ///< that of a moment before it was read
        std::int64_t treeSeq = 0;
        std::string data;
    };

    std::shared_ptr<const Cached> current(Request& request);

    std::mutex _mutex;
    std::shared_ptr<const Cached> _cached;
};

} // namespace supplierd::categories

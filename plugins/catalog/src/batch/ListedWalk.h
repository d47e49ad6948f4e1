#pragma once

#include "list/ProductList.h"

#include <supplierd/services/ProductRecord.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace supplierd::catalog {

/// Walks through the products of a list whose ids were taken down when it began: so each comes once, in the order of
/// that moment, however they change meanwhile.
class ListedWalk final : public ProductWalk {
public:
    /// As Products::walk().
    static std::unique_ptr<ProductWalk> begin(Database& database, ListSources& sources, std::int64_t supplierId,
                                              std::string_view rawQuery);

    /// `images` may be null: then there are none.
    ListedWalk(Database& database, ImageIngest* images, std::int64_t supplierId, std::vector<std::int64_t> ids)
        : _database(database), _images(images), _supplierId(supplierId), _ids(std::move(ids)) {}

    std::int64_t total() const override { return static_cast<std::int64_t>(_ids.size()); }
    std::vector<ProductRecord> next(std::size_t limit) override;

private:
    std::vector<ProductRecord> read(std::span<const std::int64_t> ids);

    Database& _database;
    ImageIngest* const _images;
    const std::int64_t _supplierId;
    const std::vector<std::int64_t> _ids;
    std::size_t _at = 0;
};

} // namespace supplierd::catalog

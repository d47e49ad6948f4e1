#include "CatalogueService.h"

#include "write/ProductEditor.h"

namespace supplierd::catalog {

ProductRecord CatalogueService::create(Transaction& transaction, std::int64_t supplierId, const JsonObject& fields,
                                       const Actor& actor) {
    const std::int64_t id =
        ProductEditor({_images, _categories, _audit, _sandboxes}, supplierId, actor).create(transaction, fields);
    return find(transaction, id).value();
}

ProductRecord CatalogueService::change(Transaction& transaction, std::int64_t supplierId, std::int64_t productId,
                                       const JsonObject& fields, const Actor& actor) {
    ProductEditor({_images, _categories, _audit, _sandboxes}, supplierId, actor).update(transaction, productId, fields);
    return find(transaction, productId).value();
}

std::vector<std::string> CatalogueService::remove(Transaction& transaction, std::int64_t supplierId,
                                                  std::int64_t productId, const Actor& actor) {
    return ProductEditor({_images, _categories, _audit, _sandboxes}, supplierId, actor).remove(transaction, productId);
}

} // namespace supplierd::catalog

#include "CachedProducts.h"

#include <supplierd/EntityTag.h>
#include <supplierd/Errors.h>
#include <supplierd/JsonWriter.h>

#include <algorithm>
#include <optional>

namespace supplierd::catalog {

Response CachedProducts::respond(Request& request, ImageIngest* images) {
    const std::int64_t supplierId = request.principal().supplierId;
    const std::int64_t productId = request.pathInteger("id");
    CachedPointer product = _products.find(productId);
    std::int64_t number = 0;
    if (product) {
        const CommittedNumbers now = request.database().committed(supplierId);
        number = now.supplier;
        if (!isCurrent(*product, supplierId, productId, now))
            product.reset();
    }
    if (!product) // what is read says itself as of which number it is
        product = read(request, images, supplierId, productId);
    if (!product)
        throw ApiError::notFound("Product not found");
    const std::string tag = product->is.shown.entityTag();
    const bool isKnown = [&] {
        const auto known = request.header("If-None-Match");
        return known && namesTagWeakly(*known, tag);
    }();
    Response response = isKnown ? Response::notModified() : request.reply();
    if (!isKnown)
        response.data = product->data;
    response.addHeader("ETag", tag);
    response.addHeader(std::string(CHANGE_SEQ_HEADER), std::to_string(std::max(product->asOf.load(), number)));
    return response;
}

bool CachedProducts::isCurrent(const Cached& cached, std::int64_t supplierId, std::int64_t productId,
                               const CommittedNumbers& now) {
    if (cached.supplierId != supplierId || cached.is.asOf.marketplace < now.marketplace)
        return false;
    if (cached.asOf >= now.supplier)
        return true;
    const auto index = _indexes.findCurrent(supplierId, now.supplier);
    if (!index)
        return false;
    const std::int64_t asOf = index->changeSeq(); // before the look: what changes between makes the product's own newer
    if (index->changeOf(productId) != cached.is.changeSeq)
        return false;
    std::int64_t known = cached.asOf;
    while (known < asOf && !cached.asOf.compare_exchange_weak(known, asOf)) {
    }
    return true;
}

CachedProducts::CachedPointer CachedProducts::read(Request& request, ImageIngest* images, std::int64_t supplierId,
                                                   std::int64_t productId) {
    const auto product = std::make_shared<Cached>();
    std::optional<WrittenProduct> written;
    request.database().withSession([&](SqlSession& session) {
        product->data.clear();
        JsonWriter json(product->data);
        json.beginObject().key("product");
        written = writeProduct(session, images, supplierId, productId, json);
        if (written)
            json.endObject();
    });
    if (!written)
        return nullptr;
    product->supplierId = supplierId;
    product->is = *written;
    product->asOf = written->asOf.supplier;
    _products.keep(productId, product, sizeof(*product) + product->data.capacity(),
                   [&](const Cached& cached) { return cached.asOf <= product->asOf; });
    return product;
}

} // namespace supplierd::catalog

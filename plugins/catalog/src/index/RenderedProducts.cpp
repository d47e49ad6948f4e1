#include "index/RenderedProducts.h"

#include <tuple>

namespace supplierd::catalog {

namespace {

constexpr std::string_view HELP = "Products of lists, by whether memory had them as JSON";
/// Whoever walks through a catalog asks for each once: that must not cost others their indexes.
constexpr double WORTH = 0.25;

} // namespace

RenderedProducts::RenderedProducts(CacheMemory& memory, Metrics& metrics)
    : _products(memory, "catalog: rendered products", WORTH),
      _hits(metrics.counter("index_rendered_products_total", HELP, {{"result", "hit"}})),
      _misses(metrics.counter("index_rendered_products_total", HELP, {{"result", "miss"}})) {}

std::shared_ptr<const RenderedProduct> RenderedProducts::find(std::int64_t supplierId, std::int64_t id,
                                                              std::int64_t changeSeq, std::int64_t marketplaceSeq) {
    auto product = _products.find(id);
    const bool isAsWanted = product && product->supplierId == supplierId && product->changeSeq == changeSeq &&
                            product->marketplaceSeq >= marketplaceSeq;
    (isAsWanted ? _hits : _misses).add();
    return isAsWanted ? product : nullptr;
}

/// By what was read last: a product's own number may be one that the database has lost.
void RenderedProducts::keep(const std::shared_ptr<const RenderedProduct>& product) {
    _products.keep(product->id, product, sizeof(*product) + product->fields.capacity() + product->deletedAt.capacity(),
                   [&](const RenderedProduct& kept) {
                       return std::tie(kept.marketplaceSeq, kept.changeSeq) <=
                              std::tie(product->marketplaceSeq, product->changeSeq);
                   });
}

} // namespace supplierd::catalog

#include "index/RenderedProducts.h"

#include <tuple>

namespace supplierd::catalog {

namespace {

constexpr std::string_view HELP = "Products of lists, by whether memory had them as JSON";

} // namespace

RenderedProducts::RenderedProducts(std::size_t memory, Metrics& metrics)
    : _products(memory),
      _hits(metrics.counter("index_rendered_products_total", HELP, {{"result", "hit"}})),
      _misses(metrics.counter("index_rendered_products_total", HELP, {{"result", "miss"}})) {}

std::shared_ptr<const RenderedProduct> RenderedProducts::find(std::int64_t id, std::int64_t changeSeq,
                                                              std::int64_t marketplaceSeq) {
    auto product = _products.find(id);
    const bool isAsWanted = product && product->changeSeq == changeSeq && product->marketplaceSeq >= marketplaceSeq;
    (isAsWanted ? _hits : _misses).add();
    return isAsWanted ? product : nullptr;
}

void RenderedProducts::keep(const std::shared_ptr<const RenderedProduct>& product) {
    _products.keep(product->id, product, sizeof(*product) + product->fields.capacity() + product->deletedAt.capacity(),
                   [&](const RenderedProduct& kept) {
                       return std::tie(kept.changeSeq, kept.marketplaceSeq) <=
                              std::tie(product->changeSeq, product->marketplaceSeq);
                   });
}

} // namespace supplierd::catalog

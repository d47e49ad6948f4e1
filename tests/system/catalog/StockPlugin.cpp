#include <supplierd/JsonBody.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Plugin.h>
#include <supplierd/Validation.h>
#include <supplierd/services/ChangeLog.h>
#include <supplierd/services/Stock.h>

#include <stdexcept>
#include <vector>

namespace supplierd::tests {

/// Writes stocks as another plugin would: through the service of catalog.
class StockPlugin final : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription about;
        about.summary = "Stocks by service, for the tests of lists";
        about.needs = {"catalog"};
        about.routes.push_back({Method::Post, "/test/stock", Audience::Supplier, "", Body::Json,
                                [this](Request& request) { return setStock(request); }});
        about.routes.push_back({Method::Post, "/test/move", Audience::Supplier, "", Body::Json,
                                [this](Request& request) { return moveStock(request); }});
        return about;
    }

    void start(Host& host) override {
        _stock = host.service<Stock>();
        if (!_stock)
            throw std::runtime_error("the host offers no service " + std::string(Stock::ID));
    }

private:
    /// Adds a quantity to the stock of a product.
    Response setStock(Request& request) {
        Details details;
        ObjectReader body(request.body(), details);
        StockItem item;
        item.productId = body.integer("product_id", {.min = 1, .required = true}).value;
        item.quantity = body.integer("quantity", {.required = true}).value.value_or(0);
        item.isAdjustment = true;
        details.throwIfAny();
        const std::vector<StockItem> items{item};
        return request.transact([&](Transaction& transaction) {
            const BulkResult result = _stock->setStocks(transaction, request.principal().supplierId, items);
            Response response = request.reply();
            JsonWriter(response.data)
                .beginObject()
                .field("done", result.items.front().problem == ItemProblem::None)
                .endObject();
            response.addHeader(std::string(CHANGE_SEQ_HEADER), std::to_string(result.changeSeq));
            return response;
        });
    }

    /// Puts a quantity back, as an order does that was given up.
    Response moveStock(Request& request) {
        Details details;
        ObjectReader body(request.body(), details);
        StockMove move;
        move.supplierId = request.principal().supplierId;
        move.productId = body.integer("product_id", {.min = 1, .required = true}).value.value_or(0);
        move.quantity = body.integer("quantity", {.min = 1, .required = true}).value.value_or(1);
        details.throwIfAny();
        const std::vector<StockMove> moves{move};
        return request.transact([&](Transaction& transaction) {
            transaction.change(move.supplierId);
            _stock->putBack(transaction, moves);
            Response response = request.reply();
            JsonWriter(response.data).beginObject().endObject();
            return response;
        });
    }

    Stock* _stock = nullptr;
};

} // namespace supplierd::tests

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::tests::StockPlugin)

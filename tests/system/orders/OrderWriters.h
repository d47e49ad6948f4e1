#pragma once

#include "OrderAnswerCheck.h"
#include "OrderServers.h"
#include "tests/system/fixtures/RecordingWriters.h"

namespace supplierd::tests {

/// What one writer has placed.
struct PlacedOrders {
    std::string name = {};
    int count = 0;
    Json last = nullptr;
};

/// Place, move, cancel and complete orders and push stock, through all servers; one thread completes by supplierctl.
class OrderWriters final : public RecordingWriters<OrderServers, AcknowledgedMove, PlacedOrders> {
public:
    OrderWriters(OrderServers& servers, unsigned seed);
    ~OrderWriters() { finish(); }

private:
    void write(Writer& writer);
    void place(Writer& writer);
    void move(Writer& writer, OrderedSupplier& supplier, std::int64_t order);
    void complete(Writer& writer, OrderedSupplier& supplier, std::int64_t order);
    void pushStock(Writer& writer, OrderedSupplier& supplier);
    void completeByTool(Writer& writer);
    void acknowledge(OrderedSupplier& supplier, const HttpResponse& response, std::int64_t order,
                     const std::string& status);
};

} // namespace supplierd::tests

#pragma once

#include "OrderAnswerCheck.h"
#include "OrderServers.h"
#include "tests/system/fixtures/RecordingReaders.h"

namespace supplierd::tests {

/// Of single orders, and of lists of them of every kind.
class OrderReaders final : public RecordingReaders<OrderServers, OrderedSupplier, OrderRequest, OrderAnswer> {
public:
    OrderReaders(OrderServers& servers, unsigned seed);
    ~OrderReaders() { finish(); }

private:
    void readSome(Reader& reader) override;
    OrderRequest anyRequest(Reader& reader) override { return OrderRequest::random(reader.random); }
    void followChanges(Reader& reader);
};

} // namespace supplierd::tests

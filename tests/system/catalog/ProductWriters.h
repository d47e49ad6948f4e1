#pragma once

#include "AnswerCheck.h"
#include "ListServers.h"
#include "tests/system/fixtures/RecordingWriters.h"

namespace supplierd::tests {

struct NoState {};

/// Change products in every way there is, through all servers; one thread approves by supplierctl.
class ProductWriters final : public RecordingWriters<ListServers, AcknowledgedWrite, NoState> {
public:
    ProductWriters(ListServers& servers, unsigned seed);
    ~ProductWriters() { finish(); }

private:
    void write(Writer& writer);
    void writeByTool(Writer& writer);
    void renameCategory(Writer& writer);
    void acknowledge(ListedSupplier& supplier, const HttpResponse& response, std::int64_t product, const char* field,
                     const Json& value);
};

} // namespace supplierd::tests

#pragma once

#include "AnswerCheck.h"
#include "ListServers.h"
#include "tests/system/fixtures/RecordingReaders.h"

namespace supplierd::tests {

/// Of lists of every kind and of single products.
class ListReaders final : public RecordingReaders<ListServers, ListedSupplier, ListRequest, RecordedAnswer> {
public:
    ListReaders(ListServers& servers, unsigned seed);
    ~ListReaders() { finish(); }

private:
    void readSome(Reader& reader) override;
    ListRequest anyRequest(Reader& reader) override;
    void prepare(RecordedAnswer& answer) override;
    bool mayBeGone() const override { return true; }
    void followChanges(Reader& reader);
};

} // namespace supplierd::tests

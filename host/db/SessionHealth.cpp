#include "host/db/SessionHealth.h"

#include "host/db/ErrorClass.h"

namespace supplierd::host {

void SessionHealth::note(const DatabaseError& error) {
    _lacksRoom = _lacksRoom || lacksRoom(error.code());
    if (endsSession(error.code()) && !_lost)
        _lost = error;
    else if (_inTransaction && endsTransaction(error.code()) && !_undone)
        _undone = error;
}

void SessionHealth::requireUsable() const {
    if (_lost)
        throw DatabaseError(*_lost);
    if (_undone)
        throw DatabaseError(*_undone);
}

void SessionHealth::transactionEnded() {
    _inTransaction = false;
    _undone.reset();
}

} // namespace supplierd::host

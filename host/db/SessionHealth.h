#pragma once

#include <supplierd/Database.h>

#include <optional>
#include <utility>

namespace supplierd::host {

/// What has become of a session and of the transaction on it. Thread: that of the session.
class SessionHealth {
public:
    /// Takes in what an error means for the session.
    void note(const DatabaseError& error);
    /// Throws the error that ended the session or the transaction, if there was one.
    void requireUsable() const;

    bool broken() const { return _lost.has_value(); }
    void breakWith(const DatabaseError& error) { _lost = error; }

    /// Whether a statement since the last such question found the database's disk full.
    bool takeLackOfRoom() { return std::exchange(_lacksRoom, false); }

    bool inTransaction() const { return _inTransaction; }
    void transactionBegan() { _inTransaction = true; }
    void transactionEnded();
    /// Has requireUsable() throw until the transaction has ended.
    void abandonTransaction(const DatabaseError& reason) { _undone = reason; }

private:
    std::optional<DatabaseError> _lost;
    std::optional<DatabaseError> _undone;
    bool _inTransaction = false;
    bool _lacksRoom = false;
};

} // namespace supplierd::host

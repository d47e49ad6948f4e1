#pragma once

#include "MediaStore.h"

#include <supplierd/Database.h>

#include <atomic>
#include <mutex>
#include <string>

namespace supplierd::media {

/// Ties a store to the database: both hold the same random id. Without it a disk that is not mounted looks like a store
/// whose files are lost, and one that two databases share like one full of orphans; repairing that destroys images.
/// Thread: any.
class StoreId {
public:
    /// Reads what the database says. Throws DatabaseError and ApiError (Unavailable).
    explicit StoreId(Database& database);

    /// Writes nothing. Throws std::runtime_error for a store that is not this database's, with what to do, and
    /// MediaStoreError.
    void check(const MediaStore& store);
    /// Before anything is written or removed: check(), or claim() where that was tried before, unless it has passed
    /// already. A store that was not reached when the server began is judged here.
    void require(MediaStore& store);
    /// What a store of this database says; "" before it has one.
    const std::string& value() const { return _id; }
    /// Marks a store that is new, once check() has passed; for the server alone. True for one that is new although the
    /// database has had one: of several servers each may have its own, and none would find the images of the others.
    /// Throws what check() throws, DatabaseError and ApiError.
    bool claim(MediaStore& store);

private:
    void settle();
    void compare(const MediaStore& store, const std::string& mark) const;

    Database& _database;
    std::string _id; ///< empty: the database has had no store yet
    bool _hasImages = false;
    std::mutex _mutex;
    std::atomic<bool> _hasPassed = false;
    bool _isToBeClaimed = false;
};

} // namespace supplierd::media

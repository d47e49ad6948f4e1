#pragma once

#include "MediaStore.h"

#include <supplierd/Database.h>

#include <string>

namespace supplierd::media {

/// Ties a store to the database: both hold the same random id. Without it a disk that is not mounted looks like a store
/// whose files are lost, and one that two databases share like one full of orphans; repairing that destroys images.
/// Thread: one.
class StoreId {
public:
    /// Reads what the database says. Throws DatabaseError and ApiError (Unavailable).
    explicit StoreId(Database& database);

    /// Writes nothing. Throws std::runtime_error for a store that is not this database's, with what to do, and
    /// MediaStoreError.
    void check(const MediaStore& store) const;
    /// Marks a store that is new, once check() has passed; for the server alone. Throws what check() throws,
    /// DatabaseError and ApiError.
    void claim(MediaStore& store);

private:
    void settle();

    Database& _database;
    std::string _id; ///< empty: the database has had no store yet
    bool _hasImages = false;
};

} // namespace supplierd::media

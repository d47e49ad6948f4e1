#pragma once

#include "MediaStore.h"

#include <supplierd/Database.h>

#include <atomic>
#include <mutex>
#include <string>

namespace supplierd::media {

/// Ties a store to the database: both hold the same random id. Without it a disk that is not mounted looks like a store
/// whose files are lost, one that two databases share like one full of orphans, and of several servers each could have
/// its own; repairing that destroys images. The database has one id, and one store gets it, once. Thread: any.
class StoreId {
public:
    explicit StoreId(Database& database) : _database(database) {}

    /// Before a store is read, written or emptied: asks the store and the database, and nobody any more once the two
    /// were found to belong together. While one thread asks, the others are refused, so that a store that hangs holds
    /// one. Throws MediaStoreError (Foreign, with what to do, for a store that is not this database's), DatabaseError
    /// and ApiError (Unavailable).
    void require(MediaStore& store);
    /// The same, and asks the store each time: before many files of it are removed or believed. It waits some
    /// seconds while another thread asks: jobs and operators do, who want to hear what is wrong with the store.
    void requireStill(MediaStore& store);
    /// The same as require() for a server: from now on a store without an id gets that of the database, if no store has
    /// got it yet.
    void claim(MediaStore& store);
    /// What a store of this database says; "" before there is one. After require() or claim() has returned.
    const std::string& value() const { return _id; }

private:
    void ask(MediaStore& store);
    void read();
    void give(MediaStore& store);
    void compare(const MediaStore& store, const std::string& mark) const;

    Database& _database;
    std::timed_mutex _mutex;
    std::string _id;       ///< empty: the database has none yet
    bool _isGiven = false; ///< to a store
    bool _mayGive = false;
    std::atomic<bool> _hasPassed = false;
};

} // namespace supplierd::media

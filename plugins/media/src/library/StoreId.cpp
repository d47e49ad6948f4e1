#include "library/StoreId.h"

#include "MediaKey.h"

#include <chrono>

namespace supplierd::media {

namespace {

constexpr std::string_view SELECT_ID = "SELECT id, marked_at IS NOT NULL FROM media_store";
constexpr std::string_view LOCK_ID = "SELECT id, marked_at IS NOT NULL FROM media_store FOR UPDATE";
constexpr std::string_view INSERT_ID = "INSERT IGNORE INTO media_store (id) VALUES (?)";
constexpr std::string_view NOTE_MARKED = "UPDATE media_store SET marked_at = CURRENT_TIMESTAMP(6)";

constexpr std::chrono::seconds PATIENCE{10};

void requireTurn(const std::unique_lock<std::timed_mutex>& lock) {
    if (!lock)
        throw MediaStoreError(MediaStoreError::Kind::Unreachable,
                              "another request asks the store whose it is, and has no answer yet");
}

} // namespace

void StoreId::require(MediaStore& store) {
    if (_hasPassed)
        return;
    const std::unique_lock lock(_mutex, std::try_to_lock);
    requireTurn(lock);
    ask(store);
}

void StoreId::requireStill(MediaStore& store) {
    if (!_hasPassed) {
        const std::unique_lock lock(_mutex, PATIENCE);
        requireTurn(lock);
        ask(store);
    }
    compare(store, store.mark());
}

/// By who holds the mutex.
void StoreId::ask(MediaStore& store) {
    if (_hasPassed)
        return;
    store.reopen();
    read();
    std::string mark = store.mark();
    if (_mayGive && !_isGiven && (mark.empty() || mark == _id)) {
        give(store);
        mark = store.mark();
    }
    compare(store, mark);
    _hasPassed = true;
}

void StoreId::claim(MediaStore& store) {
    {
        const std::lock_guard lock(_mutex);
        _mayGive = true;
    }
    require(store);
}

void StoreId::read() {
    _database.withSession([this](SqlSession& session) {
        Rows& row = session.query(SELECT_ID);
        while (row.next()) {
            _id = row.text(0);
            _isGiven = row.boolean(1);
        }
    });
}

/// Of several servers that begin at once with stores of their own, the lock lets the first one mark its store; when
/// that fails, or the server ends in between, the next one does. In a cluster the lock is that of the node which all
/// write to. The database of `supplierctl plugin validate` keeps nothing, so there is nothing to mark a store with.
void StoreId::give(MediaStore& store) {
    _database.execute(INSERT_ID, {randomStoreId()});
    _database.withTransaction([&](Transaction& transaction) {
        std::string id;
        bool isGiven = false;
        Rows& row = transaction.query(LOCK_ID);
        while (row.next()) {
            id = row.text(0);
            isGiven = row.boolean(1);
        }
        if (!id.empty() && !isGiven) {
            if (store.mark() != id)
                store.setMark(id);
            transaction.execute(NOTE_MARKED);
        }
        _id = id;
        _isGiven = !id.empty();
    });
}

void StoreId::compare(const MediaStore& store, const std::string& mark) const {
    if (mark == _id || (mark.empty() && !_isGiven))
        return;
    const std::string file = store.markPlace();
    if (_id.empty())
        throw MediaStoreError(
            MediaStoreError::Kind::Foreign,
            "the store of images belongs to another database, says " + file +
                ". Is the configuration of plugins.media right? If this database is to have the store from now on, "
                "remove that file; what no image has is then removed from the store");
    throw MediaStoreError(
        MediaStoreError::Kind::Foreign,
        "the store of images is not the one that those of this database lie in: " + file +
            (mark.empty() ? " is missing" : " names another") +
            ". Is it mounted, and is the configuration of plugins.media the same on all servers, which share one "
            "store? "
            "To move images from the folder to S3 or back, set moving = true there and run `supplierctl media move`. "
            "If this store is to be used from now on as it is, write " +
            _id + " into " + file);
}

} // namespace supplierd::media

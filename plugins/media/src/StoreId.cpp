#include "StoreId.h"

#include "MediaKey.h"

#include <stdexcept>

namespace supplierd::media {

namespace {

constexpr std::string_view SELECT_ID = "SELECT id FROM media_store";
constexpr std::string_view INSERT_ID = "INSERT IGNORE INTO media_store (id) VALUES (?)";
constexpr std::string_view ANY_IMAGE = "SELECT 1 FROM product_images LIMIT 1";

} // namespace

StoreId::StoreId(Database& database) : _database(database) {
    _database.withSession([this](SqlSession& session) {
        Rows& id = session.query(SELECT_ID);
        while (id.next())
            _id = id.text(0);
        Rows& image = session.query(ANY_IMAGE);
        while (image.next())
            _hasImages = true;
    });
}

void StoreId::check(const MediaStore& store) {
    compare(store, store.mark());
    _hasPassed = true;
}

void StoreId::require(MediaStore& store) {
    if (_hasPassed)
        return;
    const std::lock_guard lock(_mutex);
    if (_isToBeClaimed)
        claim(store);
    else
        check(store);
}

void StoreId::compare(const MediaStore& store, const std::string& mark) const {
    const std::string file = store.markPlace();
    if (_id.empty() && !mark.empty())
        throw std::runtime_error(
            "the store of images belongs to another database, says " + file +
            ". Is the configuration of plugins.media right? If this database is to have the store from now on, remove "
            "that file; what no image has is then removed from the store");
    if (mark == _id)
        return;
    if (!mark.empty() || _hasImages)
        throw std::runtime_error(
            "the store of images is not the one that those of this database lie in. Is it mounted, and is the "
            "configuration of plugins.media right? To move them from the folder to S3 or back, set moving = true there "
            "and run `supplierctl media move`. If this store is to be used from now on as it is, write " +
            _id + " into " + file);
}

bool StoreId::claim(MediaStore& store) {
    _isToBeClaimed = true;
    _hasPassed = false;
    const std::string mark = store.mark();
    const bool isAnother = !_id.empty() && mark.empty();
    if (_id.empty())
        settle();
    // The database of `supplierctl plugin validate` keeps nothing, so there is nothing to mark a store with.
    if (_id.empty())
        return false;
    compare(store, mark);
    if (mark != _id)
        store.setMark(_id);
    _hasPassed = true;
    return isAnother;
}

/// Of several servers that begin at once, all take what the first one wrote.
void StoreId::settle() {
    const std::string proposed = randomStoreId();
    _database.withTransaction([&](Transaction& transaction) {
        transaction.execute(INSERT_ID, {proposed});
        Rows& id = transaction.query(SELECT_ID);
        while (id.next())
            _id = id.text(0);
    });
}

} // namespace supplierd::media

#include "library/StoreConsistencyCheck.h"

#include "ImageRows.h"
#include "library/Parallel.h"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <variant>
#include <vector>

namespace supplierd::media {

namespace {

constexpr std::size_t PIECE = 500;
constexpr std::size_t MAX_FINDINGS = 100;

constexpr std::string_view ANY_IMAGE = "SELECT 1 FROM product_images LIMIT 1";

constexpr std::string_view KNOWN_KEYS = R"(
SELECT file_key FROM product_images WHERE file_key > ? AND file_key <= ?
UNION ALL
SELECT thumbnail_key FROM product_images WHERE thumbnail_key > ? AND thumbnail_key <= ?)";

constexpr std::string_view COUNT_IMAGES = "SELECT COUNT(*) FROM product_images";

constexpr std::string_view STORED_IMAGES = R"(
SELECT id, supplier_id, product_id, file_key, bytes, thumbnail_key, thumbnail_bytes
FROM product_images
WHERE id > ?
ORDER BY id
LIMIT 500)";

constexpr std::string_view IMAGE_EXISTS = "SELECT 1 FROM product_images WHERE id = ?";

// Of those products that have images; NULL where none of them is the primary one.
constexpr std::string_view PRIMARY_FILES = R"(
SELECT product_id, MAX(CASE WHEN is_primary = 1 THEN file_key END)
FROM product_images
WHERE product_id > ? AND product_id <= ?
GROUP BY product_id)";

constexpr std::string_view SET_THUMBNAIL = R"(
UPDATE product_images SET thumbnail_key = ?, thumbnail_bytes = ?
WHERE id = ? AND thumbnail_key = ?)";

constexpr std::chrono::seconds THUMBNAIL_LIMIT{30};

constexpr std::string_view IMAGES_OF_PRODUCT = R"(
SELECT id, file_key, bytes FROM product_images WHERE product_id = ?)";

} // namespace

/// A row of STORED_IMAGES.
struct StoreConsistencyCheck::Row {
    std::int64_t id;
    Owner owner;
    std::string fileKey;
    std::uint64_t bytes;
    std::string thumbnailKey;
    std::uint64_t thumbnailBytes;
    bool isLeft;
};

void StoreConsistencyCheck::requireStore() const {
    if (!_dependencies.store.list({}, 1).empty())
        return;
    const bool hasImages =
        _dependencies.database.read([](SqlSession& session) { return session.query(ANY_IMAGE).next(); });
    if (hasImages)
        throw std::runtime_error(
            "the store of images holds no file, but the database has images: is the store mounted, "
            "and is the configuration of plugins.media right? Nothing was changed");
}

void StoreConsistencyCheck::checkFiles() {
    _progress("files", 0, 0);
    _report.unfinishedFiles = _repair ? _dependencies.store.removeUnfinished(_dependencies.orphanAge)
                                      : _dependencies.store.countUnfinished(_dependencies.orphanAge);
    if (_repair)
        _report.repaired += _report.unfinishedFiles;
    const auto oldest = std::chrono::system_clock::now() - _dependencies.orphanAge;
    std::string after;
    for (;;) {
        const auto files = _dependencies.store.list(after, PIECE);
        if (files.empty())
            return;
        const auto known = knownKeys(after, files.back().key);
        for (const MediaEntry& file : files) {
            ++_report.files;
            if (file.storedAt < oldest && !known.contains(file.key))
                removeOrphan(file);
        }
        after = files.back().key;
        _progress("files", _report.files, 0);
    }
}

std::set<std::string> StoreConsistencyCheck::knownKeys(const std::string& after, const std::string& last) const {
    return _dependencies.database.read([&](SqlSession& session) {
        std::set<std::string> keys;
        Rows& rows = session.query(KNOWN_KEYS, {after, last, after, last});
        while (rows.next())
            keys.emplace(rows.text(0));
        return keys;
    });
}

void StoreConsistencyCheck::removeOrphan(const MediaEntry& file) {
    ++_report.orphanFiles;
    addFinding("no image has the file " + file.key);
    if (!_repair)
        return;
    const bool wasThere = _dependencies.store.remove(file.key);
    ++_report.repaired;
    if (!wasThere)
        return;
    _report.bytesFreed += file.bytes;
    _dependencies.metrics.orphanRemoved(file.bytes);
}

void StoreConsistencyCheck::checkImages(bool onlyLeft) {
    std::uint64_t total = 0;
    if (!onlyLeft) // nobody watches the janitor
        total = _dependencies.database.read([](SqlSession& session) {
            Rows& row = session.query(COUNT_IMAGES);
            return row.next() ? static_cast<std::uint64_t>(row.integer(0)) : std::uint64_t{0};
        });
    std::int64_t after = 0;
    for (;;) {
        const auto rows = _dependencies.database.snapshot([&](SqlSession& session) {
            std::vector<Row> piece;
            Rows& image = session.query(STORED_IMAGES, {after});
            while (image.next())
                piece.push_back({image.integer(0),
                                 {image.integer(1), image.integer(2)},
                                 std::string(image.text(3)),
                                 static_cast<std::uint64_t>(image.integer(4)),
                                 std::string(image.text(5)),
                                 static_cast<std::uint64_t>(image.integer(6)),
                                 false});
            std::set<std::int64_t> ids;
            for (const Row& row : piece)
                ids.insert(row.owner.productId);
            const std::vector<ProductRef> products(ids.begin(), ids.end());
            const auto offers = _dependencies.products.products().offers(session, products);
            for (std::size_t i = 0; i < products.size(); ++i)
                if (offers[i].hasProduct)
                    ids.erase(products[i].productId);
            for (Row& row : piece)
                row.isLeft = ids.contains(row.owner.productId);
            return piece;
        });
        if (rows.empty())
            return;
        std::set<Owner> toMend;
        std::size_t found = 0;
        std::vector<Loss> losses(rows.size(), Loss::None);
        if (!onlyLeft)
            forEachInParallel(rows.size(), [&](std::size_t i) {
                if (!rows[i].isLeft)
                    losses[i] = lossOf(rows[i]);
            });
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Row& row = rows[i];
            ++_report.images;
            if (row.isLeft) {
                ++found;
                ++_report.leftImages;
                addFinding("the product " + std::to_string(row.owner.productId) + " is deleted, but has the image " +
                           std::to_string(row.id));
                toMend.insert(row.owner);
            } else if (const Loss loss = losses[i]; loss != Loss::None) {
                ++_report.brokenImages;
                const bool isFile = loss == Loss::File;
                addFinding("the image " + std::to_string(row.id) + " of the product " +
                           std::to_string(row.owner.productId) + " has no whole " +
                           (isFile ? "file " + row.fileKey : "thumbnail " + row.thumbnailKey));
                if (isFile) {
                    ++found;
                    toMend.insert(row.owner);
                } else if (_repair && remakeThumbnail(row)) {
                    ++_report.repaired;
                }
            }
        }
        mend(toMend, found);
        after = rows.back().id;
        _progress("images", _report.images, total);
    }
}

StoreConsistencyCheck::Loss StoreConsistencyCheck::lossOf(const Row& row) const {
    Loss loss = Loss::None;
    if (!isWhole(row.fileKey, row.bytes))
        loss = Loss::File;
    else if (!isWhole(row.thumbnailKey, row.thumbnailBytes))
        loss = Loss::Thumbnail;
    // It may have been removed since the row was read: then the row is gone too.
    return loss != Loss::None && isStillThere(row.id) ? loss : Loss::None;
}

bool StoreConsistencyCheck::remakeThumbnail(const Row& row) {
    const auto file = _dependencies.store.open(row.fileKey);
    if (!file)
        return false;
    const std::string original = file->read(0, row.bytes);
    if (!_workers)
        _workers.emplace(_dependencies.workers);
    const ImageResult result = _workers->process(original, std::chrono::steady_clock::now() + THUMBNAIL_LIMIT);
    const auto* const made = std::get_if<ProcessedImage>(&result);
    if (made == nullptr) {
        addFinding("the file " + row.fileKey + " of the image " + std::to_string(row.id) +
                   " cannot be decoded; it was left alone");
        return false;
    }
    const MediaContent content{made->thumbnail, made->thumbnailType};
    const std::string key = _dependencies.store.put(std::span(&content, 1)).front();
    bool isUsed = false;
    // When this throws, nobody knows whether it was committed; the janitor will ask the database whose the file is.
    _dependencies.database.withTransaction([&](Transaction& transaction) {
        transaction.change(row.owner.supplierId);
        isUsed = transaction.execute(SET_THUMBNAIL, {key, made->thumbnail.size(), row.id, row.thumbnailKey}) > 0;
        if (isUsed)
            ImageRows(transaction, _dependencies.products, row.owner.supplierId, row.owner.productId).touch();
    });
    _dependencies.store.remove(isUsed ? row.thumbnailKey : key); // what was left of the old one
    return isUsed;
}

bool StoreConsistencyCheck::isWhole(const std::string& key, std::uint64_t bytes) const {
    const auto file = _dependencies.store.open(key);
    return file != nullptr && file->entry().bytes == bytes;
}

bool StoreConsistencyCheck::isStillThere(std::int64_t imageId) const {
    return _dependencies.database.read(
        [&](SqlSession& session) { return session.query(IMAGE_EXISTS, {imageId}).next(); });
}

void StoreConsistencyCheck::checkProducts() {
    struct Product {
        PrimaryImage image;
        bool isWrong = false;
    };
    std::int64_t after = 0;
    std::uint64_t done = 0;
    for (;;) {
        const auto products = _dependencies.database.snapshot([&](SqlSession& session) {
            std::vector<Product> piece;
            for (PrimaryImage& image : _dependencies.products.primaryImages(session, after, PIECE))
                piece.push_back({std::move(image)});
            if (piece.empty())
                return piece;
            std::map<std::int64_t, std::optional<std::string>> files;
            Rows& found = session.query(PRIMARY_FILES, {after, piece.back().image.productId});
            while (found.next())
                files.emplace(found.integer(0), found.maybeText(1));
            for (Product& product : piece) {
                const auto file = files.find(product.image.productId);
                const bool hasImages = file != files.end() && !product.image.isDeleted;
                const auto expected = hasImages && file->second ? std::optional(pathOf(*file->second)) : std::nullopt;
                product.isWrong = product.image.path != expected || (hasImages && !file->second);
            }
            return piece;
        });
        if (products.empty())
            return;
        std::set<Owner> toMend;
        for (const Product& product : products) {
            ++done;
            if (!product.isWrong)
                continue;
            ++_report.wrongPrimaries;
            addFinding("the product " + std::to_string(product.image.productId) +
                       " names another primary image than its images do");
            toMend.insert({product.image.supplierId, product.image.productId});
        }
        mend(toMend, toMend.size());
        after = products.back().image.productId;
        _progress("products", done, 0);
    }
}

void StoreConsistencyCheck::mend(const std::set<Owner>& owners, std::size_t problems) {
    if (!_repair)
        return;
    for (const Owner& owner : owners) {
        std::vector<std::string> keys;
        _dependencies.database.withTransaction(
            [&](Transaction& transaction) { keys = mendProduct(transaction, owner); });
        for (const auto& key : keys) {
            const auto file = _dependencies.store.open(key);
            const std::uint64_t bytes = file ? file->entry().bytes : 0;
            if (_dependencies.store.remove(key))
                _report.bytesFreed += bytes;
        }
    }
    _report.repaired += problems;
}

/// Looks at everything anew, now that nobody else can change it. The keys of files to remove.
std::vector<std::string> StoreConsistencyCheck::mendProduct(Transaction& transaction, const Owner& owner) const {
    transaction.change(owner.supplierId); // nobody else changes anything of it
    ImageRows images(transaction, _dependencies.products, owner.supplierId, owner.productId);
    if (!_dependencies.products.products().offer(transaction, owner.supplierId, owner.productId))
        return images.removeAll();

    struct Image {
        std::int64_t id;
        std::string fileKey;
        std::uint64_t bytes;
    };
    std::vector<Image> present;
    {
        Rows& rows = transaction.query(IMAGES_OF_PRODUCT, {owner.productId});
        while (rows.next())
            present.push_back(
                {rows.integer(0), std::string(rows.text(1)), static_cast<std::uint64_t>(rows.integer(2))});
    }
    images.touch();
    std::vector<std::string> keys;
    for (const Image& image : present) {
        if (isWhole(image.fileKey, image.bytes))
            continue;
        const auto removed = images.remove(image.id);
        keys.insert(keys.end(), removed.begin(), removed.end());
    }
    images.putInOrder();
    return keys;
}

void StoreConsistencyCheck::addFinding(std::string text) {
    if (_report.findings.size() < MAX_FINDINGS)
        _report.findings.push_back(std::move(text));
}

} // namespace supplierd::media

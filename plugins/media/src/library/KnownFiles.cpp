#include "library/KnownFiles.h"

#include <supplierd/Errors.h>

#include <string_view>

namespace supplierd::media {

namespace {

constexpr std::string_view HAS_FILE = R"(
SELECT 1 FROM product_images WHERE file_key = ?
UNION ALL
SELECT 1 FROM product_images WHERE thumbnail_key = ?)";

} // namespace

bool KnownFiles::contains(const std::string& key) {
    if (!_known.get(key).isNull())
        return true;
    try {
        const bool isKnown = _database.read([&](SqlSession& session) {
            return session.query(HAS_FILE, {key, key}).next();
        });
        if (isKnown)
            _known.update(key, true);
        return isKnown;
    } catch (const DatabaseError&) {
        return true;
    } catch (const ApiError&) { // it is away
        return true;
    }
}

} // namespace supplierd::media

#include "imports/RowImages.h"

#include <supplierd/JsonBody.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace supplierd::csv {

namespace {

constexpr const char* COLUMN = "image_urls";

Detail problem(std::string code, std::string message) {
    return {.field = COLUMN, .code = std::move(code), .message = std::move(message)};
}

Detail tooMany(std::size_t present) {
    return problem("too_many", "the product has " + std::to_string(present) + " images, and may have " +
                                   std::to_string(ImageIngest::MAX_IMAGES));
}

/// The image's path, or an address that ends with it.
bool isAddressOf(const std::string& url, const ProductImage& image) {
    return url == image.url || (url.find("://") != std::string::npos && url.ends_with(image.url));
}

} // namespace

void RowImages::fetch(JobRun& run) {
    const auto& rows = _open.batch;
    if (std::all_of(rows.begin(), rows.end(), [](const ProductRow& row) { return row.imageUrls.empty(); }))
        return;
    _wanted.resize(rows.size());
    if (_services.images == nullptr || _services.uploads == nullptr) {
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (!rows[i].imageUrls.empty())
                _wanted[i].problems = {
                    problem("unsupported", "no images are taken here: the plugin media is not enabled")};
        return;
    }
    _services.store.database().read([&](SqlSession& session) {
        findWanted(session);
        return true;
    });
    for (Wanted& wanted : _wanted) {
        if (_open.import.isDryRun)
            check(wanted);
        if (wanted.urls.empty() || _open.import.isDryRun)
            continue;
        run.throwIfStopped();
        try {
            wanted.fetched = _services.images->fetch(_open.import.supplierId, wanted.urls);
        } catch (const ApiError& error) {
            if (error.kind() != ErrorKind::Unavailable)
                throw;
            wanted.problems = {problem("unavailable", "the server could not take images then; import the row again")};
        }
    }
}

/// Leaves out those that no import could fetch. Where a name leads is only known when it is asked for.
void RowImages::check(Wanted& wanted) const {
    std::erase_if(wanted.urls, [&](const std::string& url) {
        try {
            if (_services.imageHttp != nullptr)
                _services.imageHttp->check(url);
            return false;
        } catch (const HttpError& error) {
            wanted.problems.push_back(problem("address", url + ": " + error.what()));
            return true;
        }
    });
}

/// 0 for a row whose product is only about to be created.
std::vector<std::int64_t> RowImages::productsOf(SqlSession& session) const {
    std::string text = "[";
    for (const ProductRow& row : _open.batch)
        text.append(text.size() > 1 ? "," : "").append(row.names);
    const JsonDocument document = parseJson(text + ']');
    std::vector<JsonObject> objects;
    for (const JsonValue product : document.array())
        objects.push_back(product.object());
    std::vector<std::int64_t> ids;
    for (const BatchedProduct& product : _services.products.dryRun(session, _open.import.supplierId, objects))
        ids.push_back(product.productId);
    return ids;
}

void RowImages::findWanted(SqlSession& session) {
    const auto& rows = _open.batch;
    const std::vector<std::int64_t> products = productsOf(session);
    std::vector<std::int64_t> ids(products);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    std::erase(ids, 0);
    std::map<std::int64_t, std::vector<ProductImage>> present;
    auto images = _services.images->imagesOfAll(session, ids);
    for (std::size_t i = 0; i < ids.size(); ++i)
        present.emplace(ids[i], std::move(images[i]));
    const auto fetchedBefore = _services.store.imagesOf(session, ids);
    // Of rows that name the same product, the first one that names an URL fetches it.
    std::set<std::pair<std::string, std::string>> seen;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::vector<ProductImage>& has = present[products[i]];
        const auto isThere = [&](const std::string& url) {
            const auto before = fetchedBefore.find({products[i], ImportStore::hashOf(url)});
            return std::any_of(has.begin(), has.end(), [&](const ProductImage& image) {
                return isAddressOf(url, image) || (before != fetchedBefore.end() && before->second == image.id);
            });
        };
        _wanted[i].present = has.size();
        for (const std::string& url : rows[i].imageUrls)
            if (!isThere(url) && seen.emplace(rows[i].names, url).second)
                _wanted[i].urls.push_back(url);
    }
}

RowImages::Result RowImages::lookAt(const Wanted& wanted) {
    Result result{.changed = !wanted.urls.empty(), .problems = wanted.problems};
    if (wanted.present + wanted.urls.size() > ImageIngest::MAX_IMAGES)
        result.problems.push_back(tooMany(wanted.present));
    else
        result.unfetched = std::ssize(wanted.urls);
    return result;
}

RowImages::Result RowImages::add(Transaction& transaction, std::size_t row, std::int64_t productId) const {
    if (row >= _wanted.size())
        return {};
    const Wanted& wanted = _wanted[row];
    if (_open.import.isDryRun)
        return lookAt(wanted);
    Result result{.problems = wanted.problems};
    if (!wanted.fetched)
        return result;
    for (const ImageError& error : wanted.fetched->errors())
        result.problems.push_back(problem(error.code, error.url + ": " + error.error));
    const std::size_t count = wanted.fetched->count();
    if (count == 0)
        return result;
    const std::size_t before = _services.images->imagesOf(transaction, productId).size();
    if (before + count > ImageIngest::MAX_IMAGES) {
        result.problems.push_back(tooMany(before));
        return result;
    }
    const auto images =
        _services.uploads->add(transaction, _open.import.supplierId, productId, *wanted.fetched, _open.import.actor);
    remember(transaction, productId, wanted, images);
    result.changed = true;
    return result;
}

/// The last of the images are those that were fetched, in the order of the URLs that gave one.
void RowImages::remember(Transaction& transaction, std::int64_t productId, const Wanted& wanted,
                         const std::vector<ProductImage>& images) const {
    std::set<std::size_t> failed;
    for (const ImageError& error : wanted.fetched->errors())
        failed.insert(error.index);
    std::size_t next = images.size() - wanted.fetched->count();
    for (std::size_t i = 0; i < wanted.urls.size() && next < images.size(); ++i)
        if (!failed.contains(i))
            ImportStore::addImage(transaction, productId, ImportStore::hashOf(wanted.urls[i]), images[next++].id);
}

} // namespace supplierd::csv

#include <supplierd/Errors.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Plugin.h>
#include <supplierd/internal/ImageIngest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::tests {

namespace {

constexpr std::string_view CREATE_TABLE = R"sql(
CREATE TABLE test_images (
    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    product_id BIGINT NOT NULL,
    path VARCHAR(160) NOT NULL,
    CONSTRAINT test_images_of_product FOREIGN KEY (product_id) REFERENCES products (id)
);
)sql";

constexpr std::string_view SELECT_IMAGES = "SELECT id, path FROM test_images WHERE product_id = ? ORDER BY id";

constexpr std::string_view IMAGES_COLUMN = R"((
    SELECT GROUP_CONCAT(i.id, ' ', i.path ORDER BY i.id SEPARATOR ' ') FROM test_images i WHERE i.product_id = p.id))";

constexpr std::string_view INSERT_IMAGE = "INSERT INTO test_images (product_id, path) VALUES (?, ?)";

constexpr std::string_view SET_PRIMARY = R"sql(
UPDATE products SET primary_image = (SELECT path FROM test_images WHERE product_id = ? ORDER BY id LIMIT 1)
WHERE id = ?)sql";

// For a test that failed before it opened the gate.
constexpr std::chrono::seconds LONGEST_WAIT{20};

constexpr std::string_view DELETE_IMAGES = "DELETE FROM test_images WHERE product_id = ?";

} // namespace

/// What was asked of the service, and a gate at which a fetch can be made to wait. Thread: any.
class Record {
public:
    void fetched(std::size_t urls) {
        const std::lock_guard lock(_mutex);
        ++_fetches;
        _urls += urls;
    }
    void discarded() {
        const std::lock_guard lock(_mutex);
        ++_discarded;
    }
    void removed(std::span<const std::string> files) {
        const std::lock_guard lock(_mutex);
        _removed.insert(_removed.end(), files.begin(), files.end());
    }

    void waitAtGate() {
        std::unique_lock lock(_mutex);
        _isWaiting = true;
        _moved.notify_all();
        _moved.wait_for(lock, LONGEST_WAIT, [this] { return !_isWaiting; });
    }
    /// Until somebody waits at the gate.
    void awaitVisitor() {
        std::unique_lock lock(_mutex);
        _moved.wait_for(lock, LONGEST_WAIT, [this] { return _isWaiting; });
    }
    void openGate() {
        const std::lock_guard lock(_mutex);
        _isWaiting = false;
        _moved.notify_all();
    }

    void write(JsonWriter& json) const {
        const std::lock_guard lock(_mutex);
        json.beginObject();
        json.field("fetches", _fetches).field("urls", _urls).field("discarded", _discarded);
        json.key("removed").beginArray();
        for (const std::string& file : _removed)
            json.value(file);
        json.endArray().endObject();
    }

private:
    mutable std::mutex _mutex;
    std::condition_variable _moved;
    bool _isWaiting = false;
    int _fetches = 0;
    std::size_t _urls = 0;
    int _discarded = 0;
    std::vector<std::string> _removed;
};

/// An URL that contains "bad" gives an error, every other one an image of its name.
class Fetched final : public FetchedImages {
public:
    Fetched(Record& record, std::span<const std::string> urls) : _record(record) {
        std::set<std::string> seen;
        for (std::size_t i = 0; i < urls.size(); ++i)
            if (!seen.insert(urls[i]).second)
                continue;
            else if (urls[i].find("bad") != std::string::npos)
                _errors.push_back({i, urls[i], "dns", "the host name has no address"});
            else
                _paths.push_back("/media/" + urls[i].substr(urls[i].rfind('/') + 1));
    }
    ~Fetched() override {
        if (!_added && !_paths.empty())
            _record.discarded();
    }

    std::size_t count() const override { return _paths.size(); }
    std::span<const ImageError> errors() const override { return _errors; }

    void add(Transaction& transaction, std::int64_t productId) override {
        _added = true;
        for (const std::string& path : _paths)
            transaction.execute(INSERT_IMAGE, {productId, path});
        transaction.execute(SET_PRIMARY, {productId, productId});
    }

private:
    Record& _record;
    std::vector<std::string> _paths;
    std::vector<ImageError> _errors;
    bool _added = false;
};

/// The service that the catalog knows from the media plugin, without any network or file.
class FakeIngest final : public ImageIngest {
public:
    explicit FakeIngest(Record& record) : _record(record) {}

    std::vector<std::string> split(std::string_view imageUrl) const override {
        std::vector<std::string> urls;
        for (std::size_t begin = 0; begin <= imageUrl.size();) {
            const std::size_t end = std::min(imageUrl.find(';', begin), imageUrl.size());
            if (end > begin)
                urls.emplace_back(imageUrl.substr(begin, end - begin));
            begin = end + 1;
        }
        return urls;
    }

    /// "…unavailable…" throws, "…wait…" waits for POST /test/images/go.
    std::unique_ptr<FetchedImages> fetch(std::int64_t, std::span<const std::string> urls) override {
        _record.fetched(urls.size());
        for (const std::string& url : urls) {
            if (url.find("unavailable") != std::string::npos)
                throw ApiError::unavailable("no worker");
            if (url.find("wait") != std::string::npos)
                _record.waitAtGate();
        }
        return std::make_unique<Fetched>(_record, urls);
    }

    std::vector<std::vector<ProductImage>> imagesOfAll(SqlSession& session,
                                                       std::span<const std::int64_t> productIds) override {
        std::vector<std::vector<ProductImage>> images;
        for (const std::int64_t id : productIds)
            images.push_back(imagesOf(session, id));
        return images;
    }

    std::vector<ProductImage> imagesOf(SqlSession& session, std::int64_t productId) override {
        std::vector<ProductImage> images;
        Rows& rows = session.query(SELECT_IMAGES, {productId});
        while (rows.next()) {
            const std::string path(rows.text(1));
            images.push_back({rows.integer(0), path, path + ".small", images.empty()});
        }
        return images;
    }

    std::string_view column() const override { return IMAGES_COLUMN; }
    std::vector<ProductImage> fromColumn(std::string_view text) const override {
        std::vector<ProductImage> images;
        std::istringstream words{std::string(text)};
        std::int64_t id = 0;
        for (std::string path; words >> id >> path;)
            images.push_back({id, path, path + ".small", images.empty()});
        return images;
    }

    std::vector<std::string> removeAll(Transaction& transaction, std::int64_t productId) override {
        std::vector<std::string> files;
        for (const ProductImage& image : imagesOf(transaction, productId))
            files.push_back(image.url);
        transaction.execute(DELETE_IMAGES, {productId});
        return files;
    }
    void removeFiles(std::span<const std::string> keys) noexcept override { _record.removed(keys); }

private:
    Record& _record;
};

class ImagesPlugin final : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription about;
        about.summary = "A fake of the media plugin for the tests of catalog";
        about.needs = {"catalog"};
        about.offers = {std::string(ImageIngest::ID)};
        about.migrations = {{1, "test_images", std::string(CREATE_TABLE)}};
        const auto route = [&about](Method method, std::string pattern, Handler handler) {
            about.routes.push_back({method, std::move(pattern), Audience::Public, "", Body::None, std::move(handler)});
        };
        route(Method::Get, "/test/images", [this](Request& request) {
            Response response = request.reply();
            JsonWriter json(response.data);
            _record.write(json);
            return response;
        });
        route(Method::Get, "/test/images/visitor", [this](Request& request) {
            _record.awaitVisitor();
            return request.reply();
        });
        route(Method::Post, "/test/images/go", [this](Request& request) {
            _record.openGate();
            return request.reply();
        });
        return about;
    }

    void start(Host& host) override { host.offer<ImageIngest>(_ingest); }

private:
    Record _record;
    FakeIngest _ingest{_record};
};

} // namespace supplierd::tests

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::tests::ImagesPlugin)

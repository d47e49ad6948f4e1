#include "ImagesFixture.h"

#include <cppunit/TestAssert.h>

namespace supplierd::tests {

using nlohmann::json;

namespace {

CatalogWorld& world() {
    static const bool isSet = [] {
        ServerOptions options;
        options.plugins = {"categories", "catalog", "inventory", "orders", "platform"};
        options.pluginFiles = {SUPPLIERD_TEST_IMAGES_PLUGIN};
        options.configuration = "[database]\npool_size = 1\n";
        CatalogWorld::setOptions(options);
        return true;
    }();
    static_cast<void>(isSet);
    return CatalogWorld::instance();
}

json record() {
    return HttpClient(rootUrl()).get("/test/images").data();
}

} // namespace

std::string goodUrls(int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += "https://pictures.example/" + std::to_string(i) + ".jpg;";
    return text;
}

json imageError(int index, const std::string& url, const std::string& code, const std::string& error) {
    return {{"index", index}, {"url", url}, {"code", code}, {"error", error}};
}

json badUrlError(int index) {
    return imageError(index, BAD_URL, "dns", "the host name has no address");
}

std::string pathOf(const json& product) {
    return "/products/" + std::to_string(product["id"].get<std::int64_t>());
}

std::string rootUrl() {
    const std::string& url = world().server().url();
    return url.substr(0, url.find("/api/"));
}

void ImagesFixture::setUp() {
    world();
    _shop = std::make_unique<Shop>();
    _before = record();
}

HttpResponse ImagesFixture::create(const json& changes) {
    const HttpResponse response = post("/products", Shop::body(changes));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 201, response.status);
    return response;
}

int ImagesFixture::since(const char* counter) const {
    return record()[counter].get<int>() - _before[counter].get<int>();
}

json ImagesFixture::removedFiles() const {
    json files = record()["removed"];
    files.erase(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(_before["removed"].size()));
    return files;
}

HeldRequest::HeldRequest(const Shop& shop, const std::string& path, const json& body, const HttpHeaders& headers)
    : _thread([this, &shop, path, body, headers] {
          HttpClient client = shop.anotherClient();
          _response = client.post(path, body, headers);
      }) {
    HttpClient(rootUrl()).get("/test/images/visitor");
}

HeldRequest::~HeldRequest() {
    if (_thread.joinable())
        finish();
}

HttpResponse HeldRequest::finish() {
    HttpClient(rootUrl()).postEmpty("/test/images/go");
    _thread.join();
    return _response;
}

} // namespace supplierd::tests

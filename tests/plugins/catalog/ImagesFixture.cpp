#include "ImagesFixture.h"

namespace supplierd::tests {

namespace {

json record() {
    return fixture().server().rootClient().get("/test/images").data();
}

} // namespace

ServerFixture& fixture() {
    static ServerFixture shared({.plugins = {"categories", "catalog", "inventory", "orders", "platform"},
                                 .pluginFiles = {SUPPLIERD_TEST_IMAGES_PLUGIN},
                                 .configuration = "[database]\npool_size = 1\n"});
    return shared;
}

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

void ImagesFixture::setUp() {
    _supplier = std::make_unique<SupplierClient>();
    _before = record();
}

HttpResponse ImagesFixture::create(const json& changes) {
    const HttpResponse response = _supplier->postProduct(changes);
    requireStatus(201, response);
    return response;
}

int ImagesFixture::since(const char* counter) const {
    return record()[counter].get<int>() - _before[counter].get<int>();
}

json ImagesFixture::removedFiles() const {
    const json files = record()["removed"];
    const auto before = static_cast<std::ptrdiff_t>(_before["removed"].size());
    return json::Array(files.elements().begin() + before, files.elements().end());
}

HeldRequest::HeldRequest(const SupplierClient& supplier, const std::string& path, const json& body,
                         const HttpHeaders& headers)
    : _thread([this, &supplier, path, body, headers] {
          HttpClient client = supplier.anotherClient();
          _response = client.post(path, body, headers);
      }) {
    fixture().server().rootClient().get("/test/images/visitor");
}

HeldRequest::~HeldRequest() {
    if (_thread.joinable())
        finish();
}

HttpResponse HeldRequest::finish() {
    fixture().server().rootClient().postEmpty("/test/images/go");
    _thread.join();
    return _response;
}

} // namespace supplierd::tests

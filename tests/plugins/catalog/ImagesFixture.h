#pragma once

#include "CatalogFixture.h"

#include <cppunit/TestFixture.h>

#include <memory>
#include <string>
#include <thread>

namespace supplierd::tests {

/// URLs as the plugin test-images understands them (ImagesPlugin.cpp).
inline constexpr const char* GOOD_URL = "https://pictures.example/rosa.jpg";
inline constexpr const char* OTHER_URL = "https://pictures.example/bunch.png";
inline constexpr const char* WAITING_URL = "https://pictures.example/wait.jpg";
inline constexpr const char* BAD_URL = "https://bad.example/rosa.jpg";

/// So many good ones.
std::string goodUrls(int count);
/// An entry of image_errors.
Json imageError(int index, const std::string& url, const std::string& code, const std::string& error);
/// What the plugin says of a bad URL.
Json badUrlError(int index);

/// A supplier of a catalog beside a fake of the media plugin, on one session to the database: what holds it stops all
/// others.
class ImagesFixture : public CppUnit::TestFixture {
public:
    void setUp() override;

protected:
    HttpResponse post(const std::string& path, const Json& body) { return _supplier->post(path, body); }
    /// Fails unless the response is 201.
    HttpResponse create(const Json& changes = Json::object());
    /// What the plugin counted in this test.
    int since(const char* counter) const;
    /// Files that were removed in this test.
    Json removedFiles() const;

    std::unique_ptr<SupplierClient> _supplier;

private:
    Json _before;
};

/// A request whose URL is WAITING_URL: it waits in its fetch until finish().
class HeldRequest {
public:
    HeldRequest(const SupplierClient& supplier, const std::string& path, const Json& body,
                const HttpHeaders& headers = {});
    ~HeldRequest();

    HttpResponse finish();

private:
    HttpResponse _response;
    std::thread _thread;
};

} // namespace supplierd::tests

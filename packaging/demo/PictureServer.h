#pragma once

#include "DemoPicture.h"

#include <Poco/Net/HTTPServer.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace supplierd::demo {

/// A web server on 127.0.0.1 that draws the picture whose file name is asked for, and knows nothing else. It is there
/// as long as the object.
class PictureServer {
public:
    /// The products of the pictures outlive it. Port 0 is any free one. Throws Poco::Exception when the port is taken.
    PictureServer(std::span<const DemoPicture> pictures, std::uint16_t port);
    ~PictureServer();
    PictureServer(const PictureServer&) = delete;
    PictureServer& operator=(const PictureServer&) = delete;

    std::string urlOf(const DemoPicture& picture) const;

private:
    std::map<std::string, DemoPicture> _pictures; ///< by path
    std::unique_ptr<Poco::Net::HTTPServer> _server;
};

} // namespace supplierd::demo

#include "PictureServer.h"

#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/Net/ServerSocket.h>

namespace supplierd::demo {

namespace {

using Pictures = std::map<std::string, DemoPicture>;

class PictureHandler : public Poco::Net::HTTPRequestHandler {
public:
    explicit PictureHandler(const Pictures& pictures) : _pictures(pictures) {}

    void handleRequest(Poco::Net::HTTPServerRequest& request, Poco::Net::HTTPServerResponse& response) override {
        const auto found = _pictures.find(request.getURI());
        if (found == _pictures.end()) {
            response.setStatusAndReason(Poco::Net::HTTPResponse::HTTP_NOT_FOUND);
            response.setContentLength(0);
            response.send();
            return;
        }
        const std::string file = found->second.draw();
        response.setContentType(std::string(mediaTypeOf(found->second.format)));
        response.sendBuffer(file.data(), file.size());
    }

private:
    const Pictures& _pictures;
};

class PictureHandlers : public Poco::Net::HTTPRequestHandlerFactory {
public:
    explicit PictureHandlers(const Pictures& pictures) : _pictures(pictures) {}

    Poco::Net::HTTPRequestHandler* createRequestHandler(const Poco::Net::HTTPServerRequest&) override {
        return std::make_unique<PictureHandler>(_pictures).release(); // Poco deletes it
    }

private:
    const Pictures& _pictures;
};

} // namespace

PictureServer::PictureServer(std::span<const DemoPicture> pictures, std::uint16_t port) {
    for (const DemoPicture& picture : pictures)
        _pictures.emplace("/" + picture.fileName(), picture);
    const Poco::Net::ServerSocket socket(Poco::Net::SocketAddress("127.0.0.1", port));
    Poco::Net::HTTPServerParams::Ptr params = new Poco::Net::HTTPServerParams;
    params->setKeepAlive(false);
    _server = std::make_unique<Poco::Net::HTTPServer>(new PictureHandlers(_pictures), socket, params);
    _server->start();
}

PictureServer::~PictureServer() {
    _server->stopAll(true);
}

std::string PictureServer::urlOf(const DemoPicture& picture) const {
    return "http://127.0.0.1:" + std::to_string(_server->port()) + "/" + picture.fileName();
}

} // namespace supplierd::demo

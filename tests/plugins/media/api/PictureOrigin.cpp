#include "PictureOrigin.h"

#include <algorithm>

namespace supplierd::tests {

PictureOrigin::PictureOrigin() : _origin([this](OriginConnection& connection) { answer(connection); }) {}

std::string PictureOrigin::serve(std::string bytes) {
    return script([bytes = std::move(bytes)](OriginConnection& connection) { connection.answer("200 OK", bytes); });
}

std::string PictureOrigin::script(LoopbackOrigin::Script script) {
    const std::lock_guard lock(_mutex);
    const std::string path = "/" + std::to_string(_scripts.size());
    _scripts.emplace(path, std::move(script));
    return "http://127.0.0.1:" + std::to_string(port()) + path;
}

std::size_t PictureOrigin::requests(const std::string& url) const {
    const std::string line = "GET " + url.substr(url.rfind('/')) + " ";
    const auto all = _origin.requests();
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&](const std::string& head) { return head.starts_with(line); }));
}

void PictureOrigin::answer(OriginConnection& connection) {
    const std::string target = connection.target();
    LoopbackOrigin::Script script;
    {
        const std::lock_guard lock(_mutex);
        if (const auto found = _scripts.find(target.substr(0, target.find('?'))); found != _scripts.end())
            script = found->second;
    }
    if (script)
        script(connection);
    else
        connection.answer("404 Not Found", "no such picture");
}

} // namespace supplierd::tests

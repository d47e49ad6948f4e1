#include "tests/host/config/ConfigFolder.h"

#include <fstream>

namespace supplierd::tests {

ConfigFolder::ConfigFolder(std::string_view text) : _directory("config") {
    write("supplierd.toml", text);
}

void ConfigFolder::write(std::string_view name, std::string_view text) const {
    std::filesystem::create_directories(path(name).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

host::Settings ConfigFolder::load() {
    return host::loadSettings(path(), _problems);
}

std::vector<std::string> ConfigFolder::messages() const {
    const std::string folder = _directory.path().string() + "/";
    std::vector<std::string> messages;
    for (const host::Diagnostic& problem : _problems) {
        std::string text = problem.toString();
        for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
            text.erase(at, folder.size());
        messages.push_back(text);
    }
    return messages;
}

std::string lines(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts)
        all += text + "\n";
    return all;
}

} // namespace supplierd::tests

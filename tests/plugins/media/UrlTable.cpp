#include "UrlTable.h"

#include <Poco/StringTokenizer.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

namespace supplierd::tests {

namespace {

void appendUtf8(std::string& text, unsigned code) {
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 63))};
    } else {
        text += {static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 63)),
                 static_cast<char>(0x80 | (code & 63))};
    }
}

/// Undoes Python's unicode_escape.
std::string unescaped(const std::string& text) {
    const std::map<char, char> simple{{'\\', '\\'}, {'t', '\t'}, {'r', '\r'}, {'n', '\n'}, {'\'', '\''}};
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            result += text[i];
            continue;
        }
        const char kind = text.at(++i);
        if (const auto entry = simple.find(kind); entry != simple.end()) {
            result += entry->second;
            continue;
        }
        const std::size_t digits = kind == 'x' ? 2 : 4;
        if (kind != 'x' && kind != 'u')
            throw std::runtime_error("cannot read " + text);
        appendUtf8(result, static_cast<unsigned>(std::stoul(text.substr(i + 1, digits), nullptr, 16)));
        i += digits;
    }
    return result;
}

} // namespace

std::vector<UrlTableRow> urlTable() {
    std::ifstream file(std::filesystem::path(SUPPLIERD_TEST_SOURCE_DIR) / "../shared/corpora/ssrf/urls.open.tsv");
    std::vector<UrlTableRow> result;
    if (!file)
        std::printf("skipped: there is no ../shared/corpora/ssrf ");
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        const Poco::StringTokenizer fields(line, "\t");
        result.push_back({fields[0], unescaped(fields[1]), fields[2]});
    }
    return result;
}

} // namespace supplierd::tests

#include "FetchWorld.h"

#include <Poco/StringTokenizer.h>

#include <cppunit/extensions/HelperMacros.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace supplierd::tests {

/// The table of hostile and usual URLs in ../shared/corpora/ssrf. No query and no connection leaves the process.
class UrlTableTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(UrlTableTest);
    CPPUNIT_TEST(testEveryUrlHasItsVerdict);
    CPPUNIT_TEST_SUITE_END();

    struct Row {
        std::string id;
        std::string url;
        std::string verdict;
    };

    static void appendUtf8(std::string& text, unsigned code) {
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
    static std::string unescaped(const std::string& text) {
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
            CPPUNIT_ASSERT_MESSAGE(text, kind == 'x' || kind == 'u');
            appendUtf8(result, static_cast<unsigned>(std::stoul(text.substr(i + 1, digits), nullptr, 16)));
            i += digits;
        }
        return result;
    }

    static std::vector<Row> rows() {
        std::ifstream file(std::filesystem::path(SUPPLIERD_TEST_SOURCE_DIR) / "../shared/corpora/ssrf/urls.open.tsv");
        std::vector<Row> result;
        std::string line;
        std::getline(file, line);
        while (std::getline(file, line)) {
            const Poco::StringTokenizer fields(line, "\t");
            result.push_back({fields[0], unescaped(fields[1]), fields[2]});
        }
        return result;
    }

    static void check(const Row& row) {
        const FetchWorld world; // names lead to a public address, connections are noted and fail
        if (row.verdict == "block-after-dns")
            world.resolver->setDefault({"127.0.0.1"});
        std::string failure;
        try {
            failure = world.failure(row.url);
        } catch (const media::FetchError& problem) {
            failure = std::string(media::codeName(problem.code())) + ": " + problem.what();
        }
        const bool isRefused = failure.starts_with("address: ");
        const bool isConnected = !world.detour->addresses().empty();
        const bool isAsked = !world.resolver->asked().empty();
        const std::string message = row.id + " " + row.url + " → " + failure;
        CPPUNIT_ASSERT_MESSAGE(message, isRefused != isConnected);
        if (row.verdict == "block" || row.verdict == "policy")
            CPPUNIT_ASSERT_MESSAGE(message, isRefused && !isAsked);
        else if (row.verdict == "block-after-dns")
            CPPUNIT_ASSERT_MESSAGE(message, isRefused && isAsked);
        else if (row.verdict == "allow")
            CPPUNIT_ASSERT_MESSAGE(message, isConnected);
        else
            CPPUNIT_ASSERT_EQUAL_MESSAGE(message, std::string("either"), row.verdict);
    }

    void testEveryUrlHasItsVerdict() {
        const auto table = rows();
        if (table.empty()) {
            std::printf("skipped: there is no ../shared/corpora/ssrf ");
            return;
        }
        CPPUNIT_ASSERT(table.size() > 100);
        for (const auto& row : table)
            check(row);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(UrlTableTest);

} // namespace supplierd::tests

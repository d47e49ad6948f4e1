#include "host/auth/ApiKey.h"

#include "host/base/Digest.h"
#include "tests/support/Test.h"

#include <set>
#include <string>

namespace supplierd::tests {

using host::ApiKey;
using host::KeyKind;

namespace {

const std::string SECRET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN-_9"; // 43 characters

std::string hex(const host::Sha256Digest& digest) {
    constexpr std::string_view DIGITS = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : digest) {
        text += DIGITS[byte >> 4U];
        text += DIGITS[byte & 15U];
    }
    return text;
}

} // namespace

class ApiKeyTest : public CppUnit::TestFixture {};

TEST(ApiKeyTest, generatedKeyHasTheDocumentedForm) {
    for (const auto kind : {KeyKind::Supplier, KeyKind::Operator}) {
        const auto key = ApiKey::generate(kind);
        CPPUNIT_ASSERT_EQUAL(std::size_t{3 + 8 + 1 + 43}, key.text.size());
        CPPUNIT_ASSERT_EQUAL(std::string(kind == KeyKind::Supplier ? "sk_" : "ok_"), key.text.substr(0, 3));
        CPPUNIT_ASSERT_EQUAL(key.keyId, key.text.substr(3, 8));
        CPPUNIT_ASSERT_EQUAL('_', key.text[11]);
        CPPUNIT_ASSERT_EQUAL(std::string::npos,
                             key.text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                                        "0123456789-_",
                                                        12));
    }
}

TEST(ApiKeyTest, generatedKeyIsReadBack) {
    const auto key = ApiKey::generate(KeyKind::Operator);
    const auto parsed = ApiKey::parse(key.text);
    CPPUNIT_ASSERT(parsed.has_value());
    CPPUNIT_ASSERT(parsed->kind == KeyKind::Operator);
    CPPUNIT_ASSERT_EQUAL(key.keyId, parsed->keyId);
    CPPUNIT_ASSERT_EQUAL(key.text, parsed->text);
}

TEST(ApiKeyTest, generatedKeysDiffer) {
    std::set<std::string> ids;
    std::set<std::string> texts;
    for (int i = 0; i < 1'000; ++i) {
        const auto key = ApiKey::generate(KeyKind::Supplier);
        ids.insert(key.keyId);
        texts.insert(key.text);
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t{1'000}, ids.size());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1'000}, texts.size());
}

// 43 characters hold 258 bits: the last has only 16 values, every other one 64.
TEST(ApiKeyTest, everyBitOfTheSecretVaries) {
    std::array<std::set<char>, 43> seen;
    for (int i = 0; i < 2'000; ++i) {
        const auto secret = ApiKey::generate(KeyKind::Supplier).text.substr(12);
        for (std::size_t at = 0; at < seen.size(); ++at)
            seen[at].insert(secret[at]);
    }
    for (std::size_t at = 0; at + 1 < seen.size(); ++at)
        CPPUNIT_ASSERT_EQUAL(std::size_t{64}, seen[at].size());
    CPPUNIT_ASSERT_EQUAL(std::size_t{16}, seen.back().size());
}

TEST(ApiKeyTest, prefixShowsNothingOfTheSecret) {
    const auto key = ApiKey::generate(KeyKind::Supplier);
    CPPUNIT_ASSERT_EQUAL("sk_" + key.keyId, key.prefix());
}

TEST(ApiKeyTest, kindIsToldByTheScheme) {
    CPPUNIT_ASSERT(ApiKey::parse("sk_ab12cd34_" + SECRET)->kind == KeyKind::Supplier);
    CPPUNIT_ASSERT(ApiKey::parse("ok_ab12cd34_" + SECRET)->kind == KeyKind::Operator);
    CPPUNIT_ASSERT_EQUAL(std::string("supplier"), std::string(host::keyKindName(KeyKind::Supplier)));
    CPPUNIT_ASSERT_EQUAL(std::string("operator"), std::string(host::keyKindName(KeyKind::Operator)));
}

TEST(ApiKeyTest, whatHasNotTheFormIsNoKey) {
    const auto good = "sk_ab12cd34_" + SECRET;
    CPPUNIT_ASSERT(ApiKey::parse(good).has_value());
    const auto secretWith = [](std::string_view end) {
        return "sk_ab12cd34_" + SECRET.substr(0, SECRET.size() - end.size()) + std::string(end);
    };
    for (const std::string& text :
         {std::string(), std::string("sk_"), good.substr(0, good.size() - 1), good + "a", "SK_ab12cd34_" + SECRET,
          "pk_ab12cd34_" + SECRET, "sk-ab12cd34_" + SECRET, "sk_ab12cd34-" + SECRET, "sk_ab12cd3'_" + SECRET,
          "sk_ab12cd3%_" + SECRET, "sk_ab12cd3_\xff" + SECRET, secretWith("+"), secretWith("/"), secretWith("="),
          secretWith(" "), secretWith("\xc3\xa9"), secretWith(std::string_view("\0", 1)), std::string(55, '_'),
          std::string(1'000'000, 'a')})
        CPPUNIT_ASSERT_MESSAGE(text.substr(0, 80), !ApiKey::parse(text));
}

TEST(ApiKeyTest, hashIsSha256OfTheWholeKey) {
    CPPUNIT_ASSERT_EQUAL(std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
                         hex(host::sha256("abc")));
    CPPUNIT_ASSERT_EQUAL(std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
                         hex(host::sha256("")));
    CPPUNIT_ASSERT(host::sha256("sk_ab12cd34_" + SECRET) != host::sha256("ok_ab12cd34_" + SECRET));
}

TEST(ApiKeyTest, comparisonFindsEveryDifference) {
    const std::string digest(32, 'x');
    CPPUNIT_ASSERT(host::equalInConstantTime(digest, std::string(32, 'x')));
    CPPUNIT_ASSERT(host::equalInConstantTime("", ""));
    for (std::size_t at = 0; at < digest.size(); ++at) {
        auto other = digest;
        other[at] = static_cast<char>(other[at] ^ 0x80);
        CPPUNIT_ASSERT(!host::equalInConstantTime(digest, other));
    }
    CPPUNIT_ASSERT(!host::equalInConstantTime(digest, digest.substr(1)));
    CPPUNIT_ASSERT(!host::equalInConstantTime(digest, ""));
}

} // namespace supplierd::tests

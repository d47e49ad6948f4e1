#include "host/auth/HostCrypto.h"

#include "host/base/Digest.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"

#include <supplierd/Errors.h>

#include <atomic>
#include <set>
#include <string>

namespace supplierd::tests {

class HostCryptoTest : public CppUnit::TestFixture {
protected:
    host::HostCrypto _crypto;
};

TEST(HostCryptoTest, passwordIsVerifiedAgainstItsHashOnly) {
    const auto hash = _crypto.hashPassword("correct horse");
    CPPUNIT_ASSERT(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
    CPPUNIT_ASSERT(_crypto.verifyPassword("correct horse", hash));
    CPPUNIT_ASSERT(!_crypto.verifyPassword("correct horsf", hash));
    CPPUNIT_ASSERT(!_crypto.verifyPassword("", hash));
    CPPUNIT_ASSERT(!_crypto.needsRehash(hash));
}

TEST(HostCryptoTest, samePasswordHasAnotherHashEachTime) {
    CPPUNIT_ASSERT(_crypto.hashPassword("rose") != _crypto.hashPassword("rose"));
}

TEST(HostCryptoTest, whatIsNoHashVerifiesNothing) {
    for (const char* text : {"", "rose", "$argon2id$", "$argon2i$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$AAAA"})
        CPPUNIT_ASSERT_MESSAGE(text, !_crypto.verifyPassword("rose", text));
}

TEST(HostCryptoTest, hashOfLessWorkIsToBeMadeAnew) {
    CPPUNIT_ASSERT(_crypto.needsRehash("$argon2id$v=19$m=4096,t=2,p=1$c2FsdHNhbHQ$AAAA"));
    CPPUNIT_ASSERT(_crypto.needsRehash("$argon2i$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$AAAA"));
}

TEST(HostCryptoTest, endlessPasswordIsRefused) {
    CPPUNIT_ASSERT_THROW(_crypto.hashPassword(std::string(1'025, 'x')), ApiError);
    CPPUNIT_ASSERT(!_crypto.verifyPassword(std::string(1'025, 'x'), _crypto.hashPassword("rose")));
}

TEST(HostCryptoTest, whoFindsNoRoomLearnsItAtOnce) {
    std::atomic<int> done{0};
    std::atomic<int> refused{0};
    together(host::HostCrypto::AT_ONCE * 4, [&](int) {
        for (int i = 0; i < 3; ++i) {
            try {
                _crypto.hashPassword("rose");
                ++done;
            } catch (const ApiError& error) {
                CPPUNIT_ASSERT(error.kind() == ErrorKind::Unavailable);
                CPPUNIT_ASSERT(error.retryAfter() > 0);
                ++refused;
            }
        }
    });
    CPPUNIT_ASSERT(done > 0);
    CPPUNIT_ASSERT(refused > 0);
    CPPUNIT_ASSERT(_crypto.verifyPassword("rose", _crypto.hashPassword("rose")));
}

TEST(HostCryptoTest, passwordsTakeHalfOfTheThreadsAtMost) {
    std::atomic<int> refused{0};
    for (const int threads : {1, 3}) {
        _crypto.share(threads);
        CPPUNIT_ASSERT(_crypto.verifyPassword("rose", _crypto.hashPassword("rose")));
        together(2, [&](int) {
            for (int i = 0; i < 10; ++i) {
                try {
                    _crypto.hashPassword("rose");
                } catch (const ApiError&) {
                    ++refused;
                }
            }
        });
    }
    CPPUNIT_ASSERT(refused > 0);
}

TEST(HostCryptoTest, digestsAreThoseOfTheStandards) {
    CPPUNIT_ASSERT_EQUAL(std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
                         Crypto::hex(_crypto.sha256("abc")));
    // RFC 4231, test case 2
    CPPUNIT_ASSERT_EQUAL(std::string("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
                         Crypto::hex(_crypto.hmacSha256("Jefe", "what do ya want for nothing?")));
    CPPUNIT_ASSERT_EQUAL(std::string("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
                         Crypto::hex(_crypto.hmacSha256("", "")));
}

TEST(HostCryptoTest, tokensFitIntoCookiesAndNeverRepeat) {
    std::set<std::string> tokens;
    for (int i = 0; i < 100; ++i)
        tokens.insert(_crypto.randomToken(32));
    CPPUNIT_ASSERT_EQUAL(std::size_t{100}, tokens.size());
    for (const auto& token : tokens) {
        CPPUNIT_ASSERT_EQUAL(std::size_t{43}, token.size());
        CPPUNIT_ASSERT(token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
                       std::string::npos);
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t{4}, _crypto.randomToken(3).size());
    CPPUNIT_ASSERT_EQUAL(std::size_t{16}, _crypto.randomBytes(16).size());
}

TEST(HostCryptoTest, equalTextsAreEqual) {
    CPPUNIT_ASSERT(_crypto.equal("abc", "abc") && _crypto.equal("", ""));
    CPPUNIT_ASSERT(!_crypto.equal("abc", "abd") && !_crypto.equal("abc", "ab"));
}

} // namespace supplierd::tests

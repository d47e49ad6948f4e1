#include "tests/dashboard/DashboardFixture.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <vector>

namespace supplierd::tests {

/// What guesses cost, whom they cost something, and what many of them at once take from others.
class SignInLocksTest : public CppUnit::TestFixture {
protected:
    static constexpr const char* WRONG = "wrong password";

    static std::string upperCase(std::string text, std::size_t which) {
        for (std::size_t i = 0; i < text.size(); ++i)
            if ((which >> (i % 6) & 1U) != 0 && text[i] >= 'a' && text[i] <= 'z')
                text[i] = static_cast<char>(text[i] - 'a' + 'A');
        return text;
    }

    static std::string replaced(std::string text, const std::string& what, const std::string& by) {
        text.replace(text.find(what), what.size(), by);
        return text;
    }

    /// A hundred texts that people and the database's collation read as this address.
    static std::vector<std::string> spellingsOf(const std::string& email) {
        std::vector<std::string> spellings;
        for (std::size_t i = 0; i < 40; ++i)
            spellings.push_back(upperCase(email, i));
        std::string unseen;
        for (int i = 0; i < 20; ++i) {
            unseen += "\u200B";
            spellings.push_back(unseen + email);
            spellings.push_back(replaced(email, "@", unseen + "@"));
        }
        const std::array<std::array<const char*, 2>, 20> folds{
            {{"s", "ś"}, {"s", "ŝ"}, {"s", "ş"}, {"s", "š"},  {"s", "ｓ"}, {"e", "é"}, {"e", "è"},
             {"e", "ê"}, {"e", "ë"}, {"e", "ē"}, {"e", "ｅ"}, {"r", "ř"},  {"r", "ŕ"}, {"o", "ö"},
             {"o", "ó"}, {"o", "ô"}, {"t", "ť"}, {"t", "ţ"},  {"@", "＠"}, {"x", "ｘ"}}};
        for (const auto& fold : folds)
            spellings.push_back(replaced(email, fold[0], fold[1]));
        CPPUNIT_ASSERT_EQUAL(std::size_t{100}, spellings.size());
        return spellings;
    }

    static void requireOneCount(const std::string& email, const std::string& right) {
        const auto spellings = spellingsOf(email);
        for (int i = 0; i < 5; ++i)
            CPPUNIT_ASSERT_EQUAL(401, Visitor().signIn(spellings.at(i * 20), WRONG).status);
        for (const auto& spelling : spellings) {
            CPPUNIT_ASSERT_EQUAL_MESSAGE(spelling, 429, Visitor().signIn(spelling, WRONG).status);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(spelling, 429, Visitor().signIn(spelling, right).status);
        }
    }

    static void lock(const TestUser& user) {
        for (int i = 0; i < 5; ++i)
            CPPUNIT_ASSERT_EQUAL(401, Visitor().signIn(user.email, WRONG).status);
        CPPUNIT_ASSERT_EQUAL(429, Visitor().signIn(user.email, PASSWORD).status);
    }
};

TEST(SignInLocksTest, everySpellingOfAnAddressSharesOneCount) {
    requireOneCount(createSupplierUser().email, PASSWORD);
}

TEST(SignInLocksTest, everySpellingOfNobodysAddressSharesOneCount) {
    requireOneCount("spectre@store.example", "any password");
}

TEST(SignInLocksTest, anotherSpellingSignsNobodyIn) {
    const auto user = createSupplierUser();
    const auto wrong = Visitor().signIn(user.email, WRONG);
    const auto refused = Visitor().signIn(replaced(user.email, "s", "ś"), PASSWORD);
    CPPUNIT_ASSERT_EQUAL(401, refused.status);
    CPPUNIT_ASSERT_EQUAL(wrong.error().at("message"), refused.error().at("message"));
    CPPUNIT_ASSERT_EQUAL(401, Visitor().signIn("no address", PASSWORD).status);
    CPPUNIT_ASSERT_EQUAL(200, Visitor().signIn(" " + upperCase(user.email, 5), PASSWORD).status);
}

TEST(SignInLocksTest, codesAreNoBetterGuessedInAnotherSpelling) {
    const auto user = createSupplierUser();
    fixture().database().exec("UPDATE dashboard_users SET totp_secret = RANDOM_BYTES(20) WHERE id = " +
                              std::to_string(user.id));
    const auto spellings = spellingsOf(user.email);
    for (int i = 0; i < 5; ++i)
        CPPUNIT_ASSERT_EQUAL(401, Visitor().signIn(spellings.at(i), PASSWORD, "000000").status);
    for (const auto& spelling : spellings)
        CPPUNIT_ASSERT_EQUAL_MESSAGE(spelling, 429, Visitor().signIn(spelling, PASSWORD, "000000").status);
}

TEST(SignInLocksTest, strangersDoNotLockTheOwnerOut) {
    const auto user = createSupplierUser();
    auto owner = visitorOf(user);
    CPPUNIT_ASSERT_EQUAL(200, owner.post("/dashboard/api/sign-out").status);
    lock(user);
    CPPUNIT_ASSERT_EQUAL(200, owner.signIn(user.email, PASSWORD).status);
    CPPUNIT_ASSERT_EQUAL(429, Visitor().signIn(user.email, PASSWORD).status);
}

TEST(SignInLocksTest, aKnownBrowserHasNoMoreGuessesThanAnother) {
    const auto user = createSupplierUser();
    auto thief = visitorOf(user);
    for (int i = 0; i < 5; ++i)
        CPPUNIT_ASSERT_EQUAL(401, thief.signIn(user.email, WRONG).status);
    CPPUNIT_ASSERT_EQUAL(429, thief.signIn(user.email, PASSWORD).status);
    CPPUNIT_ASSERT_EQUAL(200, Visitor().signIn(user.email, PASSWORD).status);
}

TEST(SignInLocksTest, aNewPasswordMakesOtherBrowsersStrangers) {
    const auto user = createSupplierUser();
    auto other = visitorOf(user);
    auto owner = visitorOf(user);
    const json change{{"current_password", PASSWORD}, {"password", "a new password"}};
    CPPUNIT_ASSERT_EQUAL(200, owner.post("/dashboard/api/me/password", change).status);
    lock(user);
    CPPUNIT_ASSERT_EQUAL(429, other.signIn(user.email, "a new password").status);
    CPPUNIT_ASSERT_EQUAL(200, owner.signIn(user.email, "a new password").status);
}

TEST(SignInLocksTest, aKnownBrowserIsKnownForItsUserAlone) {
    const auto user = createSupplierUser();
    auto neighbour = visitorOf(createSupplierUser());
    lock(user);
    CPPUNIT_ASSERT_EQUAL(429, neighbour.signIn(user.email, PASSWORD).status);
}

TEST(SignInLocksTest, strangersDoNotKeepTheOwnerFromANewPassword) {
    const auto user = createSupplierUser();
    auto owner = visitorOf(user);
    lock(user);
    json change{{"current_password", WRONG}, {"password", "a new password"}};
    for (int i = 0; i < 5; ++i)
        CPPUNIT_ASSERT_EQUAL(422, owner.post("/dashboard/api/me/password", change).status);
    CPPUNIT_ASSERT_EQUAL(429, owner.post("/dashboard/api/me/password", change).status);
    auto elsewhere = visitorOf(createSupplierUser());
    CPPUNIT_ASSERT_EQUAL(422, elsewhere.post("/dashboard/api/me/password", change).status);
}

TEST(SignInLocksTest, anAddressThatNobodyHasLeavesNoRecord) {
    auto& database = fixture().database();
    for (const char* text : {"nobody-at-all@store.example", "no address", "ñobody@store.example"})
        CPPUNIT_ASSERT_EQUAL(401, Visitor().signIn(text, WRONG).status);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                         database.integer("SELECT COUNT(*) FROM dashboard_sign_ins WHERE user_id IS NULL"));
}

TEST(SignInLocksTest, manyAtOnceWaitForNobodyAndLoseNoGuess) {
    constexpr int MANY = 64;
    const auto user = createSupplierUser();
    std::vector<Visitor> visitors(MANY);
    std::vector<HttpResponse> responses(MANY);
    together(MANY, [&](int i) {
        const auto at = static_cast<std::size_t>(i);
        responses[at] = visitors[at].signIn(user.email, WRONG);
    });
    const auto with = [&](int status) {
        return std::count_if(responses.begin(), responses.end(),
                             [&](const auto& response) { return response.status == status; });
    };
    // However many came at once, five were looked at, and those that found no room have cost no guess.
    CPPUNIT_ASSERT(with(401) <= 5);
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{MANY}, with(401) + with(429) + with(503));
    CPPUNIT_ASSERT_EQUAL(static_cast<std::int64_t>(with(401)),
                         fixture().database().integer("SELECT COUNT(*) FROM dashboard_sign_ins WHERE outcome = "
                                                      "'wrong' AND user_id = " +
                                                      std::to_string(user.id)));
    for (const auto& response : responses)
        if (response.status == 503)
            CPPUNIT_ASSERT(!response.header("Retry-After").empty());
}

TEST(SignInLocksTest, aLinkIsTakenOnceHoweverManyComeAtOnce) {
    constexpr int MANY = 10;
    const auto user = createSupplierUser();
    const auto url = control({"user", "link", std::to_string(user.id)}).at("url").get<std::string>();
    const auto token = url.substr(url.rfind('/') + 1);
    std::vector<Visitor> visitors(MANY);
    std::vector<int> statuses(MANY);
    together(MANY, [&](int i) {
        const json choice{{"token", token}, {"password", "password number " + std::to_string(i)}};
        const auto at = static_cast<std::size_t>(i);
        statuses[at] = visitors[at].post("/dashboard/api/link/accept", choice).status;
    });
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{1}, std::count(statuses.begin(), statuses.end(), 200));
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{MANY - 1}, std::count(statuses.begin(), statuses.end(), 404));
}

} // namespace supplierd::tests

#include "tests/dashboard/DashboardFixture.h"
#include "tests/support/Control.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <liboath/oath.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <thread>

namespace supplierd::tests {

class SecondFactorTest : public CppUnit::TestFixture {
protected:
    /// What an app would show so many steps from now.
    static std::string codeOf(const std::string& secret, int steps = 0) {
        char* bytes = nullptr;
        std::size_t length = 0;
        CPPUNIT_ASSERT_EQUAL(static_cast<int>(OATH_OK),
                             oath_base32_decode(secret.data(), secret.size(), &bytes, &length));
        char code[7] = {};
        const int result = oath_totp_generate(bytes, length, std::time(nullptr) + steps * 30,
                                              OATH_TOTP_DEFAULT_TIME_STEP_SIZE, 0, 6, code);
        std::free(bytes);
        CPPUNIT_ASSERT_EQUAL(static_cast<int>(OATH_OK), result);
        return code;
    }

    struct Protected {
        TestUser user;
        std::string secret;
        json recoveryCodes;
    };

    /// With the code of now; that of the next step, which counts as well, is still to be used.
    static Protected protect(Visitor& visitor, TestUser user) {
        const auto secret = visitor.post("/dashboard/api/me/second-factor").data().at("secret").get<std::string>();
        const auto confirmed = visitor.post("/dashboard/api/me/second-factor/confirm", {{"code", codeOf(secret)}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(confirmed.body, 200, confirmed.status);
        return {std::move(user), secret, confirmed.data().at("recovery_codes")};
    }

    static Protected protectedUser() {
        auto user = createSupplierUser();
        auto visitor = visitorOf(user);
        return protect(visitor, std::move(user));
    }

    static std::string bytesOf(const std::string& secret) {
        char* bytes = nullptr;
        std::size_t length = 0;
        CPPUNIT_ASSERT_EQUAL(static_cast<int>(OATH_OK),
                             oath_base32_decode(secret.data(), secret.size(), &bytes, &length));
        const std::string decoded(bytes, length);
        std::free(bytes);
        return decoded;
    }

    static std::string hex(const std::string& bytes) {
        std::string text;
        for (const char c : bytes) {
            constexpr const char* DIGITS = "0123456789abcdef";
            text += DIGITS[static_cast<unsigned char>(c) >> 4];
            text += DIGITS[static_cast<unsigned char>(c) & 15];
        }
        return text;
    }

    static std::string stored(const TestUser& user) {
        return fixture().database().text("SELECT LOWER(HEX(totp_secret)) FROM dashboard_users WHERE id = " +
                                         std::to_string(user.id));
    }

    static std::string doctorOf(const ServerProcess& server) {
        const auto result = runControl(server, {"doctor"});
        return result.output + result.errors;
    }
};

TEST(SecondFactorTest, signingInTakesACodeOnceItIsTurnedOn) {
    const auto known = protectedUser();
    Visitor visitor;
    const auto asked = visitor.signIn(known.user.email, PASSWORD);
    CPPUNIT_ASSERT_EQUAL(json(true), asked.data().at("needs_code"));
    CPPUNIT_ASSERT(visitor.session().is_null());
    CPPUNIT_ASSERT_EQUAL(401, visitor.signIn(known.user.email, "wrong password", codeOf(known.secret, 1)).status);
    CPPUNIT_ASSERT_EQUAL(200, visitor.signIn(known.user.email, PASSWORD, codeOf(known.secret, 1)).status);
    CPPUNIT_ASSERT_EQUAL(json(true), visitor.session().at("user").at("has_second_factor"));
}

TEST(SecondFactorTest, aCodeCountsOnce) {
    const auto known = protectedUser();
    const auto code = codeOf(known.secret, 1);
    CPPUNIT_ASSERT_EQUAL(200, Visitor().signIn(known.user.email, PASSWORD, code).status);
    CPPUNIT_ASSERT_EQUAL(401, Visitor().signIn(known.user.email, PASSWORD, code).status);
}

TEST(SecondFactorTest, aRecoveryCodeCountsOnce) {
    const auto known = protectedUser();
    CPPUNIT_ASSERT_EQUAL(std::size_t{10}, known.recoveryCodes.size());
    const auto code = known.recoveryCodes.at(3).get<std::string>();
    CPPUNIT_ASSERT_EQUAL(200, Visitor().signIn(known.user.email, PASSWORD, code).status);
    CPPUNIT_ASSERT_EQUAL(401, Visitor().signIn(known.user.email, PASSWORD, code).status);
    CPPUNIT_ASSERT_EQUAL(
        200, Visitor().signIn(known.user.email, PASSWORD, known.recoveryCodes.at(4).get<std::string>()).status);
}

TEST(SecondFactorTest, wrongCodesCostAPauseWhateverPasswordsCameBetween) {
    const auto known = protectedUser();
    Visitor visitor;
    int status = 401;
    for (int i = 0; i < 6 && status != 429; ++i) {
        visitor.signIn(known.user.email, PASSWORD);
        status = visitor.signIn(known.user.email, PASSWORD, "000000").status;
    }
    CPPUNIT_ASSERT_EQUAL(429, status);
}

TEST(SecondFactorTest, itIsTurnedOnWithARightCodeAlone) {
    const auto user = createSupplierUser();
    auto visitor = visitorOf(user);
    visitor.post("/dashboard/api/me/second-factor");
    const auto refused = visitor.post("/dashboard/api/me/second-factor/confirm", {{"code", "12345x"}});
    CPPUNIT_ASSERT_EQUAL(422, refused.status);
    CPPUNIT_ASSERT_EQUAL(200, Visitor().signIn(user.email, PASSWORD).status);
    CPPUNIT_ASSERT_EQUAL(json(false), visitor.session().at("user").at("has_second_factor"));
}

TEST(SecondFactorTest, itIsTurnedOffWithThePassword) {
    const auto user = createSupplierUser();
    auto visitor = visitorOf(user);
    const auto known = protect(visitor, user);
    const std::string path = "/dashboard/api/me/second-factor/remove";
    CPPUNIT_ASSERT_EQUAL(422, visitor.post(path, {{"current_password", "wrong password"}}).status);
    CPPUNIT_ASSERT_EQUAL(200, visitor.post(path, {{"current_password", PASSWORD}}).status);
    Visitor other;
    CPPUNIT_ASSERT_EQUAL(json(true), other.signIn(user.email, PASSWORD).data().at("signed_in"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                         fixture().database().integer("SELECT COUNT(*) FROM dashboard_recovery_codes WHERE user_id = " +
                                                      std::to_string(known.user.id)));
}

TEST(SecondFactorTest, anotherDoesNotTakeItsPlaceWithoutThePassword) {
    const auto user = createSupplierUser();
    auto visitor = visitorOf(user);
    const auto begun = visitor.post("/dashboard/api/me/second-factor").data().at("secret").get<std::string>();
    const auto known = protect(visitor, user);
    CPPUNIT_ASSERT_EQUAL(409, visitor.post("/dashboard/api/me/second-factor").status);
    for (const auto& secret : {begun, known.secret}) {
        const json code{{"code", codeOf(secret)}};
        CPPUNIT_ASSERT_EQUAL(422, visitor.post("/dashboard/api/me/second-factor/confirm", code).status);
    }
    CPPUNIT_ASSERT_EQUAL(200, Visitor().signIn(user.email, PASSWORD, codeOf(known.secret, 1)).status);
}

TEST(SecondFactorTest, aNewPasswordByLinkDoesNotGoAroundIt) {
    const auto known = protectedUser();
    const auto url = control({"user", "link", std::to_string(known.user.id)}).at("url").get<std::string>();
    Visitor visitor;
    const auto accepted = visitor.post("/dashboard/api/link/accept",
                                       {{"token", url.substr(url.rfind('/') + 1)}, {"password", "another password"}});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(accepted.body, 200, accepted.status);
    CPPUNIT_ASSERT_EQUAL(json(true), accepted.data().at("needs_code"));
    CPPUNIT_ASSERT(visitor.session().is_null());
}

TEST(SecondFactorTest, theDatabaseHoldsNoSecretThatMakesCodes) {
    const auto known = protectedUser();
    const std::string found = stored(known.user);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2 * 49}, found.size());
    CPPUNIT_ASSERT(found.find(hex(bytesOf(known.secret)).substr(0, 16)) == std::string::npos);
    CPPUNIT_ASSERT(found != stored(protectedUser().user));
}

TEST(SecondFactorTest, aSecretOfSomebodyElseIsOfNoUse) {
    const auto known = protectedUser();
    const auto other = protectedUser();
    fixture().database().exec("UPDATE dashboard_users SET totp_secret = X'" + stored(other.user) +
                              "' WHERE id = " + std::to_string(known.user.id));
    CPPUNIT_ASSERT_EQUAL(401, Visitor().signIn(known.user.email, PASSWORD, codeOf(other.secret, 1)).status);
    CPPUNIT_ASSERT_EQUAL(
        200, Visitor().signIn(known.user.email, PASSWORD, known.recoveryCodes.at(0).get<std::string>()).status);
    control({"user", "remove-second-factor", std::to_string(known.user.id), "--yes"});
}

TEST(SecondFactorTest, aSecretOfBeforeCountsAndIsSealed) {
    const auto known = protectedUser();
    const std::string plain = hex(bytesOf(known.secret));
    fixture().database().exec("UPDATE dashboard_users SET totp_last_step = 0, totp_secret = X'" + plain +
                              "' WHERE id = " + std::to_string(known.user.id));
    CPPUNIT_ASSERT_EQUAL(200, Visitor().signIn(known.user.email, PASSWORD, codeOf(known.secret)).status);
    control({"job", "run", "dashboard", "purge"});
    CPPUNIT_ASSERT_EQUAL(std::size_t{2 * 49}, stored(known.user).size());
    CPPUNIT_ASSERT_EQUAL(200, Visitor().signIn(known.user.email, PASSWORD, codeOf(known.secret, 1)).status);
}

TEST(SecondFactorTest, theFileThatSealsIsTheServersAlone) {
    protectedUser();
    const auto file = fixture().server().directory() / "state/dashboard/secret";
    CPPUNIT_ASSERT((std::filesystem::perms::owner_read | std::filesystem::perms::owner_write) ==
                   std::filesystem::status(file).permissions());
}

TEST(SecondFactorTest, aServerWithAnotherSecretIsTold) {
    const auto known = protectedUser();
    ServerOptions options;
    options.plugins = {"categories", "catalog", "dashboard"};
    options.migrate = false;
    const TemporaryDirectory folder;
    const auto file = folder / "secret";
    options.configuration = "[plugins.dashboard]\nsecret_file = \"" + file.string() + "\"\n";
    writeWholeFile(file, std::string(64, 'a') + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
    ServerProcess another(fixture().database(), options);
    const std::string refusal = "were sealed with another secret than that of " + file.string();
    for (int i = 0; i < 300 && another.log().find(refusal) == std::string::npos; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(100)); // the log is written beside the start
    requireIn(refusal, another.log());
    requireIn(refusal, doctorOf(another));

    const auto right = fixture().server().directory() / "state/dashboard/secret";
    std::filesystem::permissions(file, std::filesystem::perms::all);
    writeWholeFile(file, readWholeFile(right));
    another.restart(); // a server reads the secret when it starts
    requireIn("every user of this machine can read " + file.string(), doctorOf(another));
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
    requireIn("sign-in codes: this server can check them", doctorOf(another));
    requireIn("sign-in codes: this server can check them", doctorOf(fixture().server()));
}

} // namespace supplierd::tests

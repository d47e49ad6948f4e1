#include "tests/dashboard/DashboardFixture.h"
#include "tests/support/Control.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <string>
#include <vector>

namespace supplierd::tests {

/// `supplierctl user`.
class UserCommandTest : public CppUnit::TestFixture {
protected:
    static CommandResult run(const std::vector<std::string>& arguments) {
        return runControl(fixture().server(), arguments);
    }

    static std::string tokenOf(const std::string& url) { return url.substr(url.rfind('/') + 1); }

    static int accept(const std::string& token) {
        return Visitor().post("/dashboard/api/link/accept", {{"token", token}, {"password", "chosen by link"}}).status;
    }
};

TEST(UserCommandTest, addPrintsALinkThatLetsInOnce) {
    const auto result = run({"user", "add", "first@market.example"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
    CPPUNIT_ASSERT_MESSAGE(result.output, result.output.starts_with("https://market.example/dashboard/#/welcome/"));
    const std::string token = tokenOf(result.output.substr(0, result.output.find('\n')));
    CPPUNIT_ASSERT_EQUAL(200, accept(token));
    CPPUNIT_ASSERT_EQUAL(404, accept(token));
    Visitor visitor;
    CPPUNIT_ASSERT_EQUAL(200, visitor.signIn("first@market.example", "chosen by link").status);
    CPPUNIT_ASSERT_EQUAL(json("operator"), visitor.session().at("user").at("role"));
}

TEST(UserCommandTest, addRefusesAnAddressThatSomebodyHas) {
    const auto user = createUser(0);
    const auto result = run({"user", "add", user.email});
    CPPUNIT_ASSERT_EQUAL(2, result.exitCode);
    requireIn("somebody has this e-mail address", result.errors);
    CPPUNIT_ASSERT_EQUAL(2, run({"user", "add", "no address"}).exitCode);
}

TEST(UserCommandTest, addTakesAPasswordFromAFileAndPrintsNoLink) {
    const auto file = fixture().server().directory() / "own-password";
    writeWholeFile(file, PASSWORD + "\nand more\n");
    const auto result = run({"user", "add", "filed@market.example", "--password-file", file});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
    requireIn(" added: filed@market.example\n", result.output);
    CPPUNIT_ASSERT_EQUAL(std::string(), result.errors);
    CPPUNIT_ASSERT_EQUAL(200, Visitor().signIn("filed@market.example", PASSWORD).status);
    writeWholeFile(file, "short\n");
    requireIn("at least 10 characters", run({"user", "add", "b@market.example", "--password-file", file}).errors);
    CPPUNIT_ASSERT(control({"user", "list", "--search", "b@market"}).at("users").empty());
}

TEST(UserCommandTest, addRefusesASupplierThatIsNotThere) {
    CPPUNIT_ASSERT_EQUAL(2, run({"user", "add", "lost@market.example", "--supplier", "999999"}).exitCode);
    CPPUNIT_ASSERT(control({"user", "list", "--search", "lost@market"}).at("users").empty());
}

TEST(UserCommandTest, listFindsByNameAndSupplier) {
    const auto user = createSupplierUser();
    const json found = control({"user", "list", "--supplier", std::to_string(user.supplierId)}).at("users");
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, found.size());
    CPPUNIT_ASSERT_EQUAL(json(user.email), found[0].at("email"));
    CPPUNIT_ASSERT_EQUAL(found, control({"user", "list", "--search", user.email}).at("users"));
    const auto table = run({"user", "list"});
    requireIn(user.email, table.output);
}

TEST(UserCommandTest, aNewLinkEndsTheOneBefore) {
    const auto user = createSupplierUser();
    const std::string id = std::to_string(user.id);
    const auto first = control({"user", "link", id}).at("url").get<std::string>();
    const auto second = control({"user", "link", id}).at("url").get<std::string>();
    CPPUNIT_ASSERT_EQUAL(404, accept(tokenOf(first)));
    CPPUNIT_ASSERT_EQUAL(200, accept(tokenOf(second)));
}

TEST(UserCommandTest, aLinkThatIsTooOldLetsNobodyIn) {
    const auto user = createSupplierUser();
    const auto url = control({"user", "link", std::to_string(user.id)}).at("url").get<std::string>();
    fixture().database().exec("UPDATE dashboard_links SET expires_at = NOW(6) - INTERVAL 1 SECOND WHERE user_id = " +
                              std::to_string(user.id));
    CPPUNIT_ASSERT_EQUAL(404, Visitor().post("/dashboard/api/link", {{"token", tokenOf(url)}}).status);
    CPPUNIT_ASSERT_EQUAL(404, accept(tokenOf(url)));
}

TEST(UserCommandTest, disableAndEnable) {
    const auto user = createSupplierUser();
    const std::string id = std::to_string(user.id);
    CPPUNIT_ASSERT_EQUAL(json(true), control({"user", "disable", id}).at("user").at("is_disabled"));
    CPPUNIT_ASSERT_EQUAL(401, Visitor().signIn(user.email, PASSWORD).status);
    CPPUNIT_ASSERT_EQUAL(json(false), control({"user", "enable", id}).at("user").at("is_disabled"));
    CPPUNIT_ASSERT_EQUAL(200, Visitor().signIn(user.email, PASSWORD).status);
}

TEST(UserCommandTest, anUnknownUserIsTold) {
    const auto result = run({"user", "link", "999999"});
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    requireIn("There is no user 999999", result.errors);
}

} // namespace supplierd::tests

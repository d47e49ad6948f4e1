#include "tests/dashboard/DashboardFixture.h"

#include <cppunit/extensions/HelperMacros.h>

#include <string>
#include <vector>

namespace supplierd::tests {

using nlohmann::json;

/// `supplierctl user`.
class UserCommandTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(UserCommandTest);
    CPPUNIT_TEST(testAddPrintsALinkThatLetsInOnce);
    CPPUNIT_TEST(testAddRefusesAnAddressThatSomebodyHas);
    CPPUNIT_TEST(testAddRefusesASupplierThatIsNotThere);
    CPPUNIT_TEST(testListFindsByNameAndSupplier);
    CPPUNIT_TEST(testANewLinkEndsTheOneBefore);
    CPPUNIT_TEST(testALinkThatIsTooOldLetsNobodyIn);
    CPPUNIT_TEST(testDisableAndEnable);
    CPPUNIT_TEST(testAnUnknownUserIsTold);
    CPPUNIT_TEST_SUITE_END();

    static CommandResult run(const std::vector<std::string>& arguments) {
        std::vector<std::string> all{ServerProcess::controlProgram(), "--config", fixture().server().configFile()};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return runCommand({.arguments = all});
    }

    static std::string tokenOf(const std::string& url) { return url.substr(url.rfind('/') + 1); }

    static int accept(const std::string& token) {
        return Visitor().post("/dashboard/api/link/accept", {{"token", token}, {"password", "chosen by link"}}).status;
    }

public:
    void testAddPrintsALinkThatLetsInOnce() {
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

    void testAddRefusesAnAddressThatSomebodyHas() {
        const auto user = createUser(0);
        const auto result = run({"user", "add", user.email});
        CPPUNIT_ASSERT_EQUAL(2, result.exitCode);
        CPPUNIT_ASSERT_MESSAGE(result.errors,
                               result.errors.find("somebody has this e-mail address") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(2, run({"user", "add", "no address"}).exitCode);
    }

    void testAddRefusesASupplierThatIsNotThere() {
        CPPUNIT_ASSERT_EQUAL(2, run({"user", "add", "lost@market.example", "--supplier", "999999"}).exitCode);
        CPPUNIT_ASSERT(control({"user", "list", "--search", "lost@market"}).at("users").empty());
    }

    void testListFindsByNameAndSupplier() {
        const auto user = createSupplierUser();
        const json found = control({"user", "list", "--supplier", std::to_string(user.supplierId)}).at("users");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, found.size());
        CPPUNIT_ASSERT_EQUAL(json(user.email), found[0].at("email"));
        CPPUNIT_ASSERT_EQUAL(found, control({"user", "list", "--search", user.email}).at("users"));
        const auto table = run({"user", "list"});
        CPPUNIT_ASSERT_MESSAGE(table.output, table.output.find(user.email) != std::string::npos);
    }

    void testANewLinkEndsTheOneBefore() {
        const auto user = createSupplierUser();
        const std::string id = std::to_string(user.id);
        const auto first = control({"user", "link", id}).at("url").get<std::string>();
        const auto second = control({"user", "link", id}).at("url").get<std::string>();
        CPPUNIT_ASSERT_EQUAL(404, accept(tokenOf(first)));
        CPPUNIT_ASSERT_EQUAL(200, accept(tokenOf(second)));
    }

    void testALinkThatIsTooOldLetsNobodyIn() {
        const auto user = createSupplierUser();
        const auto url = control({"user", "link", std::to_string(user.id)}).at("url").get<std::string>();
        fixture().database().exec(
            "UPDATE dashboard_links SET expires_at = NOW(6) - INTERVAL 1 SECOND WHERE user_id = " +
            std::to_string(user.id));
        CPPUNIT_ASSERT_EQUAL(404, Visitor().post("/dashboard/api/link", {{"token", tokenOf(url)}}).status);
        CPPUNIT_ASSERT_EQUAL(404, accept(tokenOf(url)));
    }

    void testDisableAndEnable() {
        const auto user = createSupplierUser();
        const std::string id = std::to_string(user.id);
        CPPUNIT_ASSERT_EQUAL(json(true), control({"user", "disable", id}).at("user").at("is_disabled"));
        CPPUNIT_ASSERT_EQUAL(401, Visitor().signIn(user.email, PASSWORD).status);
        CPPUNIT_ASSERT_EQUAL(json(false), control({"user", "enable", id}).at("user").at("is_disabled"));
        CPPUNIT_ASSERT_EQUAL(200, Visitor().signIn(user.email, PASSWORD).status);
    }

    void testAnUnknownUserIsTold() {
        const auto result = run({"user", "link", "999999"});
        CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
        CPPUNIT_ASSERT_MESSAGE(result.errors, result.errors.find("there is no such user") != std::string::npos);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(UserCommandTest);

} // namespace supplierd::tests

#include "tests/dashboard/MailFixture.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Control.h"
#include "tests/support/Test.h"
#include "tests/support/TestAuthority.h"
#include "tests/support/Texts.h"

#include <string>

namespace supplierd::tests {

/// The connection to the mail server: who it is, and who asks; and the table of the configuration that says so.
class MailServerTest : public CppUnit::TestFixture {
protected:
    static ServerOptions options(const std::string& mail, const std::string& publicUrl = "https://market.example") {
        return {.plugins = {"dashboard"},
                .configuration =
                    "[plugins.dashboard]\npublic_url = \"" + publicUrl + "\"\n[plugins.dashboard.mail]\n" + mail};
    }
    /// What `supplierctl config check` says of the table.
    static std::string complaint(const std::string& mail, const std::string& publicUrl = "https://market.example") {
        TestDatabase database;
        const ServerProcess server(ServerProcess::NotStarted(), database, options(mail, publicUrl));
        const auto result = runControl(server, {"config", "check"});
        return result.exitCode == 0 ? "" : result.output + result.errors;
    }
    static std::string doctor(const ServerProcess& server) { return runControl(server, {"doctor"}).output; }
};

TEST(MailServerTest, passwordsAndMailsGoOverTlsAlone) {
    TestAuthority authority;
    MailServer mails(
        {.certificate = authority.issue("mail", "IP:127.0.0.1"), .user = "shop", .password = "s3cr3t pässwörd"});
    const TemporaryDirectory folder;
    const auto file = folder / "mail-password";
    writeWholeFile(file, "s3cr3t pässwörd\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    const std::string table = "server = \"smtp://127.0.0.1:" + std::to_string(mails.port()) +
                              "\"\nfrom = \"noreply@market.example\"\nstarttls = \"always\"\nuser = \"shop\"\n"
                              "password_file = \"" +
                              file.string() + "\"\n";
    const std::string trusted = "trusted_certificates = \"" + authority.certificate() + "\"\n";
    TestDatabase database;
    {
        ServerProcess server(database, options(table + trusted));
        requireControl(server, {"user", "add", "olga@market.example"});
        const json mail = mails.mailTo("olga@market.example");
        CPPUNIT_ASSERT_EQUAL(json(true), mail.at("tls"));
        CPPUNIT_ASSERT_EQUAL(json("shop"), mail.at("user"));
        requireIn("You are invited to look after market.example", mail.at("text").get<std::string>());
        requireIn("mail server: 127.0.0.1:" + std::to_string(mails.port()) + " answers", doctor(server));
    }
    {
        // Signed by nobody whom the system trusts.
        ServerProcess stranger(database, options(table));
        const std::string said = doctor(stranger);
        requireIn("certificate", said);
        requireControl(stranger, {"user", "add", "omar@market.example"});
        waitFor("an attempt", [&] { return stranger.log().find("a mail could not be sent") != std::string::npos; });
        CPPUNIT_ASSERT(mails.mailsTo("omar@market.example").empty());
    }
    {
        writeWholeFile(file, "wrong password\n");
        ServerProcess wrong(database, options(table + trusted));
        requireIn("mail server: 127.0.0.1:" + std::to_string(mails.port()) + ": ", doctor(wrong));
        CPPUNIT_ASSERT(wrong.log().find("wrong password") == std::string::npos);
    }
}

TEST(MailServerTest, ofServersThatShareADatabaseOneSendsEachMail) {
    MailServer mails;
    const std::string table =
        "server = \"smtp://127.0.0.1:" + std::to_string(mails.port()) + "\"\nfrom = \"noreply@market.example\"\n";
    TestDatabase database;
    ServerProcess first(database, options(table));
    ServerOptions further = options(table);
    further.migrate = false;
    ServerProcess second(database, further);
    const auto address = [](int number) { return "olga" + std::to_string(number) + "@market.example"; };
    for (int i = 0; i < 10; ++i)
        requireControl(i % 2 == 0 ? first : second, {"user", "add", address(i)});
    requireControl(first, {"job", "run", "dashboard", "mail"});
    requireControl(second, {"job", "run", "dashboard", "mail"});
    for (int i = 0; i < 10; ++i)
        mails.mailTo(address(i)); // one, and no more
}

TEST(MailServerTest, theTableIsCheckedWhenItIsRead) {
    const std::string good = "server = \"smtp://mail.example\"\nfrom = \"a@b.example\"\n";
    CPPUNIT_ASSERT_EQUAL(std::string(), complaint(good));
    requireIn("mail.server", complaint("server = \"mail.example\"\nfrom = \"a@b.example\"\n"));
    requireIn("mail.server", complaint("server = \"smtp://u:p@mail.example\"\nfrom = \"a@b.example\"\n"));
    requireIn("mail.from", complaint("server = \"smtp://mail.example\"\n"));
    requireIn("mail.from", complaint("server = \"smtp://mail.example\"\nfrom = \"A <a@b.example>\"\n"));
    requireIn("mail.password", complaint(good + "user = \"shop\"\n"));
    requireIn("mail.starttls", complaint(good + "starttls = \"perhaps\"\n"));
    requireIn("in clear", complaint(good + "starttls = \"never\"\nuser = \"a\"\npassword = \"b\"\n"));
    requireIn("trusted_certificates", complaint(good + "trusted_certificates = \"/no/such/file\"\n"));
    requireIn("public_url", complaint(good, ""));
}

TEST(MailServerTest, withoutAServerThereAreNoMails) {
    TestDatabase database;
    ServerProcess server(database, {.plugins = {"dashboard"}});
    auto client = server.rootClient();
    CPPUNIT_ASSERT_EQUAL(json(false), client.get("/dashboard/api/session").data().at("has_mail"));
    CPPUNIT_ASSERT_EQUAL(404, client.post("/dashboard/api/mail-link", {{"email", "a@b.example"}}).status);
    requireControl(server, {"user", "add", "olga@market.example"});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, database.integer("SELECT COUNT(*) FROM dashboard_mails"));
}

} // namespace supplierd::tests

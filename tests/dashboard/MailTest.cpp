#include "tests/dashboard/MailFixture.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Control.h"
#include "tests/support/Numbers.h"
#include "tests/support/OperatorClient.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <algorithm>
#include <array>
#include <string>

namespace supplierd::tests {

/// Mails that people get, by a mail server on the loopback.
class MailTest : public CppUnit::TestFixture {
public:
    void setUp() override { fixture(); } // and a mail server, or the test is skipped

protected:
    struct Store {
        TestUser owner = createSupplierUser();
        Visitor visitor = visitorOf(owner);

        std::string name() const {
            return fixture().database().text("SELECT name FROM suppliers WHERE id = " +
                                             std::to_string(owner.supplierId));
        }
        HttpResponse invite(const std::string& email, const std::string& language = "en") {
            return visitor.send("POST", "/dashboard/api/users",
                                {{"Content-Type", "application/json"}, {"Accept-Language", language}},
                                json{{"email", email}, {"name", "Cora"}}.dump());
        }
        /// With PASSWORD; of these scopes alone.
        TestUser staff(const std::string& scope) const {
            TestUser user = createUser(owner.supplierId);
            control({"user", "role", std::to_string(user.id), "staff", "--scope", scope});
            return user;
        }
    };

    static int accept(const std::string& token) {
        return Visitor().post("/dashboard/api/link/accept", {{"token", token}, {"password", "chosen by link"}}).status;
    }
    static HttpResponse forget(Visitor& visitor, const std::string& email) {
        return visitor.post("/dashboard/api/mail-link", {{"email", email}});
    }
    static void noteLanguage(const TestUser& user, const std::string& language) {
        auto visitor = visitorOf(user);
        visitor.send("GET", "/dashboard/api/session", {{"Accept-Language", language}});
    }
    static void audit(const std::string& action, std::int64_t id, std::int64_t supplier, const json& before,
                      const json& after) {
        auto& database = fixture().database();
        database.insert("audit_log", {{"actor", "'supplierd'"},
                                      {"action", database.quote(action)},
                                      {"object", database.quote(action.substr(0, action.find('.')))},
                                      {"object_id", std::to_string(id)},
                                      {"supplier_id", std::to_string(supplier)},
                                      {"before_json", before.is_null() ? "NULL" : database.quote(before.dump())},
                                      {"after_json", database.quote(after.dump())}});
    }
    static std::int64_t issueKey(Store& store, const std::string& name) {
        return store.visitor.post("/dashboard/api/keys", {{"name", name}}).data().at("key").at("id");
    }
    static std::int64_t rowsOf(const std::string& email) {
        return fixture().database().integer(
            "SELECT COUNT(*) FROM dashboard_mails m JOIN dashboard_users u ON u.id = m.user_id WHERE u.email = '" +
            email + "'");
    }
    static double metric(const std::string& outcome) {
        return fixture().server().metric("supplierd_dashboard_mails_total{outcome=\"" + outcome + "\"}");
    }
};

TEST(MailTest, anInvitationIsMailedInTheLanguageOfWhoeverInvites) {
    Store store;
    const auto made = store.invite("cora@invited.example", "nl");
    CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
    const json mail = mailServer().mailTo("cora@invited.example");
    CPPUNIT_ASSERT_EQUAL(json("Je uitnodiging voor " + MARKET), mail.at("subject"));
    requireIn(store.name() + " nodigt je uit", mail.at("text").get<std::string>());
    requireIn("Hallo Cora,", mail.at("html").get<std::string>());
    requireIn("#1c6b33", mail.at("html").get<std::string>());
    requireIn("Blumen &amp; Grün", mail.at("html").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(json("multipart/alternative"), mail.at("type"));
    CPPUNIT_ASSERT_EQUAL(json::array(), mail.at("defects"));
    CPPUNIT_ASSERT_EQUAL(json("noreply@market.example"), mail.at("from"));
    CPPUNIT_ASSERT_EQUAL(std::string("auto-generated"), headerOf(mail, "Auto-Submitted"));
    CPPUNIT_ASSERT_EQUAL(MARKET + " <noreply@market.example>", headerOf(mail, "From"));
    CPPUNIT_ASSERT(headerOf(mail, "Message-ID").ends_with("@market.example>"));
    CPPUNIT_ASSERT(!headerOf(mail, "Date").empty());
    CPPUNIT_ASSERT_MESSAGE("the mail alone has the link", made.data().at("url").is_null());
    CPPUNIT_ASSERT_EQUAL(200, accept(tokenOf(mail)));
}

TEST(MailTest, operatorsGetALinkBesideTheMailAndTheFirstThatIsUsedEndsBoth) {
    const Store store;
    const json made = OperatorClient()
                          .post("/users", {{"email", "both@invited.example"}, {"supplier_id", store.owner.supplierId}})
                          .data();
    const std::string url = made.at("url");
    const std::string handedOut = url.substr(url.rfind('/') + 1);
    const std::string mailed = tokenOf(mailServer().mailTo("both@invited.example"));
    CPPUNIT_ASSERT(handedOut != mailed);
    CPPUNIT_ASSERT_EQUAL(200, Visitor().post("/dashboard/api/link", {{"token", handedOut}}).status);
    CPPUNIT_ASSERT_EQUAL(200, accept(mailed));
    CPPUNIT_ASSERT_EQUAL(404, accept(handedOut));
}

TEST(MailTest, noTokenIsInTheQueue) {
    Store store;
    mailServer().answer("451 later");
    store.invite("waits@invited.example");
    waitUntil([] { return metric("sent") >= 0 && rowsOf("waits@invited.example") == 1; });
    const auto rows = fixture().database().query(
        "SELECT parameters FROM dashboard_mails WHERE user_id = (SELECT id FROM dashboard_users WHERE email = "
        "'waits@invited.example')");
    CPPUNIT_ASSERT_EQUAL(json({{"store", store.name()}}), json::parse(rows.at(0).at(0).value()));
    mailServer().answer("");
    tryAgain();
    CPPUNIT_ASSERT_EQUAL(200, accept(tokenOf(mailServer().mailTo("waits@invited.example"))));
}

TEST(MailTest, whatIsRolledBackMailsNothing) {
    OperatorClient client;
    // A key may not invite an operator, which is found out once the row is there.
    CPPUNIT_ASSERT_EQUAL(403, client.post("/users", {{"email", "rolled@back.example"}}).status);
    CPPUNIT_ASSERT_EQUAL(
        std::int64_t{0},
        fixture().database().integer("SELECT COUNT(*) FROM dashboard_users WHERE email = 'rolled@back.example'"));
    runMailJob();
    CPPUNIT_ASSERT(mailServer().mailsTo("rolled@back.example").empty());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                         fixture().database().integer("SELECT COUNT(*) FROM dashboard_mails WHERE due_at IS NOT NULL"));
}

TEST(MailTest, whoHasAnAccountElsewhereIsToldAndWhoeverInvitesIsNot) {
    Store store;
    const TestUser other = createSupplierUser();
    noteLanguage(other, "de");
    const auto known = store.invite(other.email);
    const auto stranger = store.invite("stranger@invited.example");
    CPPUNIT_ASSERT_EQUAL(stranger.status, known.status);
    for (const char* member : {"url", "expires_at"})
        CPPUNIT_ASSERT(stranger.data().at(member).is_null() && known.data().at(member).is_null());
    const json mail = mailServer().mailTo(other.email);
    const std::string text = mail.at("text");
    requireIn("hat dort aber schon ein Konto", text);
    CPPUNIT_ASSERT_MESSAGE(text, text.find("https://") == std::string::npos);
    mailServer().mailTo("stranger@invited.example");
}

TEST(MailTest, aForgottenPasswordIsChosenAnewByMail) {
    const TestUser user = createSupplierUser();
    for (const char* language : {"en-GB,en;q=0.9", "nl", "de"}) {
        noteLanguage(user, language);
        Visitor visitor;
        const std::size_t before = mailServer().mailsTo(user.email).size();
        const auto unknown = forget(visitor, "no" + user.email);
        const auto known = forget(visitor, user.email);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(known.body, 200, known.status);
        CPPUNIT_ASSERT_EQUAL(known.status, unknown.status);
        CPPUNIT_ASSERT_EQUAL(known.data(), unknown.data());
        waitUntil([&] { return mailServer().mailsTo(user.email).size() == before + 1; });
    }
    const auto mails = mailServer().mailsTo(user.email);
    const std::array<std::string, 3> subjects{"A new password for ", "Een nieuw wachtwoord voor ",
                                              "Ein neues Passwort für "};
    for (std::size_t i = 0; i < mails.size(); ++i)
        CPPUNIT_ASSERT_EQUAL(json(subjects.at(i) + MARKET), mails[i].at("subject"));
    CPPUNIT_ASSERT(mailServer().mailsTo("no" + user.email).empty());
    // Nobody but the owner ends anything: the password of before counts until a new one is chosen.
    CPPUNIT_ASSERT_EQUAL(200, Visitor().signIn(user.email, PASSWORD).status);
    CPPUNIT_ASSERT_EQUAL(200, accept(tokenOf(mails[1])));
    CPPUNIT_ASSERT_EQUAL(404, accept(tokenOf(mails[0])));
    CPPUNIT_ASSERT_EQUAL(200, Visitor().signIn(user.email, "chosen by link").status);
}

TEST(MailTest, whoAsksForManyLinksHasToWaitWhetherSomebodyHasTheAddressOrNot) {
    const TestUser user = createSupplierUser();
    for (const std::string& email : {user.email, std::string("nobody.at.all@store.example")}) {
        Visitor visitor;
        for (int i = 0; i < 5; ++i)
            CPPUNIT_ASSERT_EQUAL(200, forget(visitor, email).status);
        const auto refused = forget(visitor, email);
        CPPUNIT_ASSERT_EQUAL(429, refused.status);
        CPPUNIT_ASSERT(refused.hasHeader("Retry-After"));
    }
    // It keeps nobody from signing in.
    CPPUNIT_ASSERT_EQUAL(200, Visitor().signIn(user.email, PASSWORD).status);
}

TEST(MailTest, whoIsDisabledGetsNone) {
    const TestUser user = createSupplierUser();
    control({"user", "disable", std::to_string(user.id)});
    Visitor visitor;
    CPPUNIT_ASSERT_EQUAL(200, forget(visitor, user.email).status);
    runMailJob();
    CPPUNIT_ASSERT(mailServer().mailsTo(user.email).empty());
}

TEST(MailTest, aLinkThatAnOperatorMakesIsMailedToo) {
    const TestUser user = createSupplierUser();
    control({"user", "link", std::to_string(user.id)});
    const json mail = mailServer().mailTo(user.email);
    CPPUNIT_ASSERT_EQUAL(json("A new password for " + MARKET), mail.at("subject"));
    CPPUNIT_ASSERT_EQUAL(200, accept(tokenOf(mail)));
}

TEST(MailTest, aPersonIsToldOfCodesThatAreRemovedWhateverMailsTheyChose) {
    const TestUser user = createSupplierUser();
    const std::string id = std::to_string(user.id);
    fixture().database().exec("UPDATE dashboard_users SET totp_secret = REPEAT('x', 49), "
                              "muted_mails = 'second_factor_removed' WHERE id = " +
                              id);
    control({"user", "remove-second-factor", id, "--yes"});
    requireIn("It was done by local: ", mailServer().mailTo(user.email).at("text").get<std::string>());
}

TEST(MailTest, ownersAreToldOfANewKeyUnlessTheyDoNotWantTo) {
    Store store;
    const TestUser second = createUser(store.owner.supplierId);
    const TestUser staff = store.staff("orders:read");
    auto other = visitorOf(second);
    CPPUNIT_ASSERT_EQUAL(json(true), other.session().at("user").at("mails").at("key_created"));
    CPPUNIT_ASSERT_EQUAL(200, other.post("/dashboard/api/me/mails", {{"key_created", false}}).status);
    CPPUNIT_ASSERT_EQUAL(json(false), other.session().at("user").at("mails").at("key_created"));
    CPPUNIT_ASSERT_EQUAL(json(true), other.session().at("user").at("mails").at("new_orders"));
    CPPUNIT_ASSERT_EQUAL(json("Mails about API keys were switched off"),
                         mailServer().mailTo(second.email).at("subject"));
    const auto entry = fixture().database().query("SELECT after_json FROM audit_log WHERE object = 'user' "
                                                  "AND action = 'user.update' AND object_id = " +
                                                  std::to_string(second.id) + " ORDER BY id DESC LIMIT 1");
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"unwanted_mails":["key_created"]})"), *entry.at(0).at(0));

    const std::int64_t key = issueKey(store, "Till");
    fixture().database().exec(
        "UPDATE api_keys SET name = CONCAT('Till', CHAR(13, 10), 'Bcc: x@y.example <b>') WHERE id = " +
        std::to_string(key));
    runMailJob();
    const json mail = mailServer().mailTo(store.owner.email);
    for (const json& header : mail.at("headers"))
        CPPUNIT_ASSERT(header.at(0) != "Bcc");
    // Word joiners keep programs from making links of names.
    requireIn("A new API key: Till  Bcc:\u2060 x@\u2060y.\u2060example <b> (sk_",
              mail.at("subject").get<std::string>());
    requireIn("Till  Bcc:\u2060 x@\u2060y.\u2060example &lt;b&gt; (sk_", mail.at("html").get<std::string>());
    requireIn("was made by " + store.owner.email, mail.at("text").get<std::string>());
    requireIn("https://market.example/dashboard/#/keys", mail.at("text").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, mailServer().mailsTo(second.email).size()); // that they are off
    CPPUNIT_ASSERT(mailServer().mailsTo(staff.email).empty());
    runMailJob(); // it reads the same entries of the audit log again
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, mailServer().mailsTo(store.owner.email).size());
}

TEST(MailTest, operatorsAreToldOfTheirOwnKeys) {
    const TestUser user = createUser(0);
    control({"operator-key", "create", "--name", "Shop"});
    runMailJob();
    const std::string text = mailServer().mailTo(user.email).at("text");
    requireIn("“Shop (ok_", text);
    requireIn("in the name of " + MARKET, text);
}

TEST(MailTest, aNewAddressOfAKeyIsToldOnceADayAndAKnownOneNever) {
    Store store;
    fixture().database().exec("UPDATE dashboard_users SET muted_mails = 'key_created' WHERE id = " +
                              std::to_string(store.owner.id));
    const std::int64_t key = issueKey(store, "");
    const auto use = [&](const std::string& before, const std::string& after) {
        audit("key.new_address", key, store.owner.supplierId, {{"address", before}}, {{"address", after}});
        runMailJob();
    };
    audit("key.first_use", key, store.owner.supplierId, nullptr, {{"address", "192.0.2.1"}});
    use("192.0.2.1", "2001:db8::1");
    requireIn("never used before: 2001:db8::1.", mailServer().mailTo(store.owner.email).at("text").get<std::string>());
    use("2001:db8::1", "2001:db8::2");
    use("2001:db8::2", "192.0.2.1");
    use("192.0.2.1", "192.0.2.2");
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, mailServer().mailsTo(store.owner.email).size());
    fixture().database().exec("UPDATE dashboard_mails SET cause = CONCAT(cause, '-') WHERE kind = 'key_new_address'");
    fixture().database().exec("DELETE FROM audit_log WHERE action = 'key.new_address'"); // a day later
    use("192.0.2.2", "192.0.2.1");
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, mailServer().mailsTo(store.owner.email).size());
    use("192.0.2.2", "192.0.2.3");
    waitUntil([&] { return mailServer().mailsTo(store.owner.email).size() == 2; });
}

TEST(MailTest, aWebhookThatWasSwitchedOffIsToldToThoseWhoSeeWebhooks) {
    Store store;
    const TestUser staff = store.staff("webhooks:read");
    const TestUser packer = store.staff("orders:read");
    noteLanguage(staff, "de");
    audit("webhook.disable", 1, store.owner.supplierId, {{"enabled", true}},
          {{"url", "https://shop.example/hook?token=secret"}, {"description", nullptr}, {"disabled_reason", "gone"}});
    runMailJob();
    const std::string text = mailServer().mailTo(store.owner.email).at("text");
    requireIn("it answered that it does not exist any more", text);
    requireIn("https://shop.example/hook of", text);
    CPPUNIT_ASSERT_MESSAGE(text, text.find("token=") == std::string::npos);
    requireIn("hat geantwortet", mailServer().mailTo(staff.email).at("text").get<std::string>());
    CPPUNIT_ASSERT(mailServer().mailsTo(packer.email).empty());
    const json offered = visitorOf(packer).session().at("user").at("mails");
    CPPUNIT_ASSERT_EQUAL(json({{"new_orders", true}}), offered);
}

TEST(MailTest, newOrdersAreOneMailForEachInterval) {
    Store store;
    const TestUser packer = store.staff("orders:read");
    const TestUser stock = store.staff("products:read");
    auto& database = fixture().database();
    const auto product = store.visitor.post("/api/v1/supplier/products", {{"name", "Red Naomi"},
                                                                          {"category_id", fixture().category()},
                                                                          {"base_price", 600.5},
                                                                          {"unit", "stem"},
                                                                          {"stock_qty", 100}});
    const std::int64_t id = product.data().at("product").at("id");
    fixture().server().approveProduct(id);
    OperatorClient client;
    const auto order = [&](const std::string& number) {
        const json address{{"line1", "A 1"}, {"postal_code", "1"}, {"city", "B"}, {"country", "NL"}};
        const json body{
            {"order_number", number},
            {"customer", {{"company_name", "De Roos"}, {"billing_address", address}, {"shipping_address", address}}},
            {"items", {{{"product_id", id}, {"quantity", 2}}}}};
        const auto response = client.post("/orders", body);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 201, response.status);
    };
    // As if the last mail had been a day ago, and the orders two minutes.
    const auto passTime = [&] {
        database.exec("UPDATE order_groups SET created_at = NOW(6) - INTERVAL 2 MINUTE WHERE created_at > NOW(6) - "
                      "INTERVAL 1 MINUTE");
        database.exec(
            "UPDATE dashboard_mail_progress SET read_until = NOW(6) - INTERVAL 16 MINUTE - INTERVAL 30 SECOND "
            "WHERE source = 'order'");
        runMailJob();
    };
    runMailJob();
    order("MAIL-1");
    order("MAIL-2");
    runMailJob();
    CPPUNIT_ASSERT(mailServer().mailsTo(packer.email).empty()); // not before the interval is over
    passTime();
    const json mail = mailServer().mailTo(packer.email);
    CPPUNIT_ASSERT_EQUAL(json("2 new orders"), mail.at("subject"));
    const std::string total = database.text("SELECT SUM(total) FROM order_groups");
    requireIn("of EUR 2,", mail.at("text").get<std::string>());
    requireIn(total.substr(total.size() - 6), mail.at("text").get<std::string>());
    requireIn("https://market.example/dashboard/#/orders", mail.at("text").get<std::string>());
    mailServer().mailTo(store.owner.email);
    CPPUNIT_ASSERT(mailServer().mailsTo(stock.email).empty());
    runMailJob();
    database.exec("DELETE FROM dashboard_mails WHERE kind = 'new_orders'");
    database.exec("UPDATE order_groups SET created_at = NOW(6) - INTERVAL 1 DAY");
    passTime(); // no order, no mail
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, mailServer().mailsTo(packer.email).size());
}

TEST(MailTest, aMailThatIsPutOffIsSentLater) {
    Store store;
    mailServer().answer("451 the mailbox is busy");
    store.invite("busy@invited.example");
    waitUntil([] {
        return fixture().database().integer("SELECT COUNT(*) FROM dashboard_mails WHERE attempts = 1 AND due_at > "
                                            "NOW(6) + INTERVAL 10 SECOND") == 1;
    });
    tryAgain();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, fixture().database().integer("SELECT attempts FROM dashboard_mails WHERE "
                                                                       "due_at > NOW(6) + INTERVAL 50 SECOND"));
    mailServer().answer("");
    tryAgain();
    mailServer().mailTo("busy@invited.example");
}

TEST(MailTest, aMailThatIsRefusedIsTriedAgainAndKeepsNoOtherBack) {
    Store store;
    store.invite("nobody@invited.example");
    store.invite("somebody@invited.example");
    mailServer().mailTo("somebody@invited.example");
    waitUntil([&] {
        return fixture().database().integer("SELECT COUNT(*) FROM dashboard_mails WHERE due_at > NOW(6)") == 1;
    });
    fixture().database().exec("DELETE FROM dashboard_mails");
}

TEST(MailTest, aStoreInvitesFiftyPeopleADay) {
    Store store;
    fixture().database().exec("INSERT INTO dashboard_users (supplier_id, email, name) SELECT " +
                              std::to_string(store.owner.supplierId) +
                              ", CONCAT('many', seq, '@invited.example'), 'Many' FROM " + numbersTo(49));
    CPPUNIT_ASSERT_EQUAL(201, store.invite("fiftieth@invited.example").status);
    const HttpResponse refused = store.invite("another@invited.example");
    CPPUNIT_ASSERT_EQUAL(422, refused.status);
    requireIn("at most 50 people are invited in a day", refused.body);
    fixture().database().exec(
        "UPDATE dashboard_users SET created_at = created_at - INTERVAL 1 DAY WHERE name = 'Many'");
    CPPUNIT_ASSERT_EQUAL(201, store.invite("another@invited.example").status);
}

TEST(MailTest, anOwnerLetsAnInvitationBeMailedAgainThreeTimesADay) {
    Store store;
    const json made = store.invite("lost@invited.example").data();
    const std::string path = "/dashboard/api/users/" + made.at("user").at("id").dump() + "/link";
    const auto tokenOfMail = [](std::size_t number) {
        waitUntil([&] { return mailServer().mailsTo("lost@invited.example").size() == number; });
        return tokenOf(mailServer().mailsTo("lost@invited.example").back());
    };
    const std::string first = tokenOfMail(1);
    const HttpResponse again = store.visitor.post(path);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(again.body, 201, again.status);
    CPPUNIT_ASSERT(again.data().at("url").is_null());
    CPPUNIT_ASSERT_EQUAL(404, accept(first));
    tokenOfMail(2);
    CPPUNIT_ASSERT_EQUAL(201, store.visitor.post(path).status);
    const HttpResponse refused = store.visitor.post(path);
    CPPUNIT_ASSERT_EQUAL(422, refused.status);
    requireIn("at most 3 invitations are mailed to one person in a day", refused.body);
    CPPUNIT_ASSERT_EQUAL(404, Store().visitor.post(path).status);
    CPPUNIT_ASSERT_EQUAL(200, accept(tokenOfMail(3)));
    CPPUNIT_ASSERT_EQUAL(409, store.visitor.post(path).status);
}

TEST(MailTest, ownersWhoInviteAgainAtOnceMailNoMore) {
    Store store;
    const json made = store.invite("hurried@invited.example").data();
    const std::string path = "/dashboard/api/users/" + made.at("user").at("id").dump() + "/link";
    std::vector<Visitor> visitors;
    for (int i = 0; i < 6; ++i)
        visitors.push_back(visitorOf(store.owner));
    std::array<int, 6> statuses{};
    together(6, [&](int i) {
        const auto at = static_cast<std::size_t>(i);
        statuses[at] = visitors[at].post(path).status;
    });
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{2}, std::ranges::count(statuses, 201));
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{4}, std::ranges::count(statuses, 422));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, rowsOf("hurried@invited.example"));
}

TEST(MailTest, mailsWaitForAServerThatIsAway) {
    Store store;
    mailServer().stop();
    store.invite("first@waits.example");
    store.invite("second@waits.example");
    runMailJob();
    runMailJob();
    waitUntil([] { return fixture().server().metric("supplierd_dashboard_waiting_mails") == 2; });
    requireIn("127.0.0.1:" + std::to_string(mailServer().port()) + ": ",
              runControl(fixture().server(), {"doctor"}).output);
    // As if it had been killed: what waits is in the database.
    fixture().server().kill();
    mailServer().start();
    fixture().server().start();
    tryAgain();
    mailServer().mailTo("first@waits.example");
    mailServer().mailTo("second@waits.example");
    requireIn("mail server: 127.0.0.1:" + std::to_string(mailServer().port()) + " answers",
              runControl(fixture().server(), {"doctor"}).output);
    const std::string log = fixture().server().log();
    requireIn("a mail could not be sent", log);
    CPPUNIT_ASSERT_MESSAGE(log, log.find("waits.example") == std::string::npos);
}

TEST(MailTest, aMailIsGivenUpAfterADay) {
    Store store;
    mailServer().stop();
    store.invite("late@waits.example");
    waitUntil([] {
        return fixture().database().integer("SELECT COUNT(*) FROM dashboard_mails WHERE attempts = 1 AND due_at IS NOT "
                                            "NULL") == 1;
    });
    const double failed = metric("failed");
    fixture().database().exec(
        "UPDATE dashboard_mails SET created_at = NOW(6) - INTERVAL 25 HOUR WHERE due_at IS NOT NULL");
    runMailJob();
    CPPUNIT_ASSERT_EQUAL(failed + 1, metric("failed"));
    mailServer().start();
    tryAgain();
    CPPUNIT_ASSERT(mailServer().mailsTo("late@waits.example").empty());
}

} // namespace supplierd::tests

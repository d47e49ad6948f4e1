#include "mail/MailMessage.h"

#include "mail/MailTexts.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <filesystem>
#include <string>

namespace supplierd::tests {

using namespace supplierd::dashboard;

/// Mails as texts, without a server.
class MailMessageTest : public CppUnit::TestFixture {
protected:
    static MailContent write(std::string_view kind, std::string_view language, const Texts& values) {
        const MailTexts texts({"Blumen & Grün", "", "https://market.example"}, "");
        return texts.write({kind, language, values, "https://market.example/dashboard/#/orders"});
    }

    static bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
};

TEST(MailMessageTest, plainHeadersStayAsTheyAre) {
    CPPUNIT_ASSERT_EQUAL(std::string("3 new orders"), headerText("3 new orders"));
}

TEST(MailMessageTest, otherHeadersAreEncodedWordsOfWholeCharacters) {
    CPPUNIT_ASSERT_EQUAL(std::string("=?UTF-8?B?R3LDvG4=?="), headerText("Grün"));
    CPPUNIT_ASSERT_EQUAL(std::string("=?UTF-8?B?PT9hPz0=?="), headerText("=?a?="));
    std::string longText;
    for (int i = 0; i < 50; ++i)
        longText += "🌹";
    std::string words = headerText(longText) + "\r\n";
    int count = 0;
    for (; !words.empty(); words.erase(0, words.find("\r\n") + 2), ++count) {
        const std::string line = words.substr(0, words.find("\r\n"));
        CPPUNIT_ASSERT_MESSAGE(line, line.size() <= 76);
        // 10 characters of 4 bytes are 40 bytes: 56 characters of base64, the last of which is "=".
        CPPUNIT_ASSERT_MESSAGE(line, line.ends_with("=?="));
    }
    CPPUNIT_ASSERT_EQUAL(5, count);
}

TEST(MailMessageTest, whatEndsALineBecomesASpace) {
    CPPUNIT_ASSERT_EQUAL(std::string("a  Bcc: b c"), onOneLine("a\r\nBcc: b\xe2\x80\xa8"
                                                               "c",
                                                               100));
    CPPUNIT_ASSERT_EQUAL(std::string("Grü…"), onOneLine("Grün", 3));
}

TEST(MailMessageTest, addressesThatMailServersReadInAnotherWayAreNone) {
    for (const char* address : {"ann@bloom.example", "ann.o'neil+shop@a-b.example", "a@localhost"})
        CPPUNIT_ASSERT_MESSAGE(address, isMailAddress(address));
    for (const char* address :
         {"", "ann", "@b.example", "ann@", "a@b@c.example", "<a@b.example", "a@b.example>", "a@b.example,c@d.example",
          "\"a\"@b.example", "a b@c.example", "a@b.example\r\nRCPT", "a@[127.0.0.1]", "-f@b.example", "a@-b.example"})
        CPPUNIT_ASSERT_MESSAGE(address, !isMailAddress(address));
}

TEST(MailMessageTest, noHeaderComesOfAName) {
    const std::string message = writeMessage(
        {"Mar\r\nBcc: x@y.example\r\n\"ket\\", "from@market.example", "to@market.example", "1@market.example", "today"},
        {"New\r\nBcc: x@y.example", "text\n.\nmore", "<p>html</p>"});
    CPPUNIT_ASSERT_MESSAGE(message, !has(message, "\r\nBcc:"));
    requireIn("From: \"Mar  Bcc: x@y.example  ket\" <from@market.example>\r\n", message);
    CPPUNIT_ASSERT_MESSAGE(message, !has(message, "\r\n.\r\n"));
    for (std::size_t at = message.find('\n'); at != std::string::npos; at = message.find('\n', at + 1))
        CPPUNIT_ASSERT_EQUAL('\r', message[at - 1]);
}

TEST(MailMessageTest, valuesAreTextInHtml) {
    const auto mail = write("webhook_off", "en",
                            {{"name", "<script>alert(1)</script>"},
                             {"store", "A & B \"C\" '{brand}'"},
                             {"webhook", "<img src=x>"},
                             {"reason", "gone"}});
    requireIn("&lt;script&gt;", mail.html);
    requireIn("&lt;img src=x&gt;", mail.html);
    requireIn("A &amp; B &quot;C&quot;", mail.html);
    CPPUNIT_ASSERT_MESSAGE(mail.html, !has(mail.html, "<script>") && !has(mail.html, "<img"));
    requireIn("{brand}", mail.text); // of a name: it is no place for another value
    requireIn("it answered that it does not exist any more", mail.text);
}

TEST(MailMessageTest, everyLanguageHasItsOwnTexts) {
    const Texts values{{"name", "Ann"}, {"store", "Bloom"}, {"count", "1200"}, {"total", "EUR 1234567.50, USD 3.00"}};
    const auto english = write("new_orders", "en", values);
    CPPUNIT_ASSERT_EQUAL(std::string("1200 new orders"), english.subject);
    requireIn("EUR 1,234,567.50 + USD 3.00", english.text);
    CPPUNIT_ASSERT_EQUAL(std::string("1200 nieuwe bestellingen"), write("new_orders", "nl", values).subject);
    const auto german = write("new_orders", "de", values);
    CPPUNIT_ASSERT_EQUAL(std::string("1200 neue Bestellungen"), german.subject);
    requireIn("EUR 1.234.567,50 + USD 3,00", german.text);
    requireIn("<html lang=\"de\">", german.html);
    CPPUNIT_ASSERT_EQUAL(english.text, write("new_orders", "xx", values).text);
    CPPUNIT_ASSERT_EQUAL(std::string("A new order"), write("new_orders", "en", {{"count", "1"}}).subject);
}

TEST(MailMessageTest, aFolderAddsALanguageAndReplacesTexts) {
    const TemporaryDirectory folder;
    std::filesystem::create_directory(folder / "mails");
    writeWholeFile(folder / "mails/fr.json", R"({"hello": "Bonjour {name},"})");
    writeWholeFile(folder / "mails/nl.json", R"({"new_orders.subject": "{count} nieuw"})");
    const MailTexts texts({"Grün", "", "https://market.example"}, folder.path());
    const Texts values{{"name", "Ann"}, {"count", "2"}, {"total", "EUR 1.50"}};
    const auto french = texts.write({"new_orders", "fr", values});
    requireIn("Bonjour Ann,", french.text);
    CPPUNIT_ASSERT_EQUAL(std::string("2 new orders"), french.subject);
    CPPUNIT_ASSERT_EQUAL(std::string("2 nieuw"), texts.write({"new_orders", "nl", values}).subject);
}

/// A text that a language has not, or a value that a text needs and nobody gives, would show here.
TEST(MailMessageTest, everyKindIsWholeInEveryLanguage) {
    const Texts values{{"name", "Ann"},   {"store", "Bloom"},   {"count", "2"},         {"total", "EUR 1.50"},
                       {"until", "soon"}, {"key", "Till"},      {"address", "1.2.3.4"}, {"actor", "olga"},
                       {"webhook", "#1"}, {"reason", "failing"}};
    for (const char* kind : {"invitation", "invited_elsewhere", "new_password", "second_factor_removed",
                             "key_mails_off", "key_created", "key_new_address", "webhook_off", "new_orders"})
        for (const char* language : {"en", "nl", "de"}) {
            const auto mail =
                kind == std::string_view("invited_elsewhere")
                    ? MailTexts({"Grün", "", "https://market.example"}, "").write({kind, language, values})
                    : write(kind, language, values);
            for (const std::string& text : {mail.subject, mail.text, mail.html})
                CPPUNIT_ASSERT_MESSAGE(text, !text.empty() && !has(text, "{") && !has(text, "}"));
            if (language != std::string_view("en") && kind != std::string_view("invited_elsewhere"))
                CPPUNIT_ASSERT(mail.subject != write(kind, "en", values).subject);
        }
}

} // namespace supplierd::tests

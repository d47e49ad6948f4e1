#include "tests/host/ctl/SetupFixture.h"
#include "tests/host/ctl/TerminalTalk.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

/// `supplierctl setup` as a person meets it.
class SetupDialogueTest : public SetupFixture {
public:
    void setUp() override {
        SetupFixture::setUp();
        administrator().exec("CREATE OR REPLACE USER chief@localhost IDENTIFIED BY 'of all'");
        administrator().exec("GRANT ALL ON *.* TO chief@localhost WITH GRANT OPTION");
    }

protected:
    std::vector<std::string> command() const {
        return {ServerProcess::controlProgram(), "--config", configFile(), "setup"};
    }

    void answerUntilThePassword(TerminalTalk& talk) const {
        talk.expect("The database server");
        talk.type(mariaDb().socket() + "\n");
        talk.expect("The database [supplierd]: ");
        talk.type(database() + "\n");
        talk.expect("The server's account in it [supplierd]: ");
        talk.type(user() + "\n");
        talk.expect("The database's administrator [root]: ");
        talk.type("chief\n");
        talk.expect("The password of 'chief': ");
    }
};

TEST(SetupDialogueTest, asksForWhatNoOptionSaysAndHidesThePassword) {
    TerminalTalk talk(command());
    answerUntilThePassword(talk);
    talk.type("of alk\x7fl\n"); // a mistyped character, taken back
    talk.expect("create the database '" + database() + "'");
    talk.expect("create the account '" + user() + "'@'localhost'");
    talk.expect("Do this? (yes or no) [yes]: ");
    talk.type("\n");
    talk.expect("ok_");
    CPPUNIT_ASSERT_EQUAL_MESSAGE(talk.shown(), 0, talk.exitCode());
    CPPUNIT_ASSERT_MESSAGE(talk.shown(), talk.shown().find("of al") == std::string::npos);
    requireUsable();
}

TEST(SetupDialogueTest, noLeavesEverythingAsItWas) {
    const auto before = configuration();
    TerminalTalk talk(command());
    answerUntilThePassword(talk);
    talk.type("of all\n");
    talk.expect("Do this?");
    talk.type("no\n");
    CPPUNIT_ASSERT_EQUAL_MESSAGE(talk.shown(), 1, talk.exitCode());
    CPPUNIT_ASSERT_EQUAL(before, configuration());
    CPPUNIT_ASSERT(!std::filesystem::exists(ownFile()));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                         administrator().integer("SELECT COUNT(*) FROM mysql.user WHERE user = '" + user() + "'"));
}

TEST(SetupDialogueTest, interruptedPasswordEndsIt) {
    TerminalTalk talk(command());
    answerUntilThePassword(talk);
    talk.type("of\x03");
    talk.expect("interrupted");
    CPPUNIT_ASSERT_EQUAL_MESSAGE(talk.shown(), 1, talk.exitCode());
}

} // namespace supplierd::tests

#include "tests/dashboard/MailFixture.h"

#include "tests/support/Concurrency.h"
#include "tests/support/Places.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Test.h"

#include <cppunit/TestAssert.h>

#include <algorithm>
#include <filesystem>

namespace supplierd::tests {

namespace {

const std::string PYTHON = "/usr/bin/python3";

} // namespace

MailServer::MailServer(Options options) : _options(std::move(options)), _port(findFreePort()) {
    if (runCommand({.arguments = {PYTHON, "-c", "import aiosmtpd"}}).exitCode != 0)
        throw Skip("python3-aiosmtpd is not installed");
    start();
}

void MailServer::start() {
    std::vector<std::string> arguments{PYTHON,     sourcePath("tests/dashboard/smtp-server.py"),
                                       "--folder", _folder.path().string(),
                                       "--port",   std::to_string(_port)};
    if (_options.certificate)
        arguments.insert(arguments.end(), {"--certificate", _options.certificate->chain.string(), "--key",
                                           _options.certificate->key.string()});
    if (!_options.user.empty())
        arguments.insert(arguments.end(), {"--user", _options.user, "--password", _options.password});
    const auto output = _folder / "output";
    writeWholeFile(output, "");
    _process = std::make_unique<ChildProcess>(ChildCommand{.arguments = arguments, .output = output, .errors = output});
    waitFor("the mail server", [&] {
        if (!_process->isRunning())
            throw std::runtime_error("the mail server ended: " + readWholeFile(output));
        return readWholeFile(output).find("ready") != std::string::npos;
    });
}

void MailServer::answer(const std::string& text) {
    if (text.empty())
        std::filesystem::remove(_folder / "answer");
    else
        writeWholeFile(_folder / "answer", text);
}

std::vector<Json> MailServer::mailsTo(const std::string& address) const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(_folder.path()))
        if (entry.path().extension() == ".json")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<Json> mails;
    for (const auto& file : files)
        if (Json mail = Json::parse(readWholeFile(file)); mail.at("to") == Json::array({address}))
            mails.push_back(std::move(mail));
    return mails;
}

Json MailServer::mailTo(const std::string& address) const {
    waitFor("a mail to " + address, [&] { return !mailsTo(address).empty(); });
    const auto mails = mailsTo(address);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, mails.size());
    return mails.front();
}

MailServer& mailServer() {
    static MailServer server;
    return server;
}

ServerFixture& fixture() {
    static ServerFixture fixture(
        {.plugins = {"categories", "catalog", "orders", "inventory", "platform", "webhooks", "dashboard"},
         .configuration = "[server]\ntrusted_proxies = [\"127.0.0.1\"]\n[plugins.dashboard]\nname = \"" + MARKET +
                          "\"\naccent = \"#1c6b33\"\npublic_url = \"https://market.example/\"\n"
                          "[plugins.dashboard.mail]\nserver = \"smtp://127.0.0.1:" +
                          std::to_string(mailServer().port()) + "\"\nfrom = \"NoReply@market.example\"\n"});
    return fixture;
}

std::string headerOf(const Json& mail, const std::string& name) {
    std::vector<std::string> values;
    for (const Json& header : mail.at("headers"))
        if (header.at(0) == name)
            values.push_back(header.at(1));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(name, std::size_t{1}, values.size());
    return values.front();
}

std::string tokenOf(const Json& mail) {
    const std::string begin = "https://market.example/dashboard/#/welcome/";
    const std::string text = mail.at("text");
    const auto at = text.find(begin);
    CPPUNIT_ASSERT_MESSAGE(text, at != std::string::npos);
    return text.substr(at + begin.size(), text.find_first_of("\r\n", at) - at - begin.size());
}

void runMailJob() {
    control({"job", "run", "dashboard", "mail"});
}

void tryAgain() {
    fixture().database().exec("UPDATE dashboard_mails SET due_at = NOW(6) WHERE due_at IS NOT NULL");
    runMailJob();
}

} // namespace supplierd::tests

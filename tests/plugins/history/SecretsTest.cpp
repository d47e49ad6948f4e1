#include "Secrets.h"

#include "tests/support/Json.h"
#include "tests/support/Test.h"

#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::tests {

using history::isSecretName;
using history::withoutSecrets;

class SecretsTest : public CppUnit::TestFixture {
protected:
    static void same(const std::string& expected, const std::string& text) {
        CPPUNIT_ASSERT_EQUAL(expected, withoutSecrets(text));
        CPPUNIT_ASSERT_EQUAL_MESSAGE("again", expected, withoutSecrets(expected));
        if (Json::accept(text))
            CPPUNIT_ASSERT_MESSAGE(expected, Json::accept(expected));
    }
    static void hides(const std::string& text) {
        const std::string blanked = withoutSecrets(text);
        CPPUNIT_ASSERT_MESSAGE(text + "\n--> " + blanked, blanked.find("hunter") == std::string::npos);
    }
};

TEST(SecretsTest, membersOfJsonAreBlankedAndItStaysJson) {
    same(R"({"name": "Rosa", "password": "***", "qty": 5})", R"({"name": "Rosa", "password": "hunter2", "qty": 5})");
    same(R"({"pin":{"secret":"***"},"x":[1]})", R"({"pin":{"secret":{"a":["}","hunter2"],"b":{}}},"x":[1]})");
    same(R"({"token":"***","n":1})", R"({"token":12345,"n":1})");
    same(R"({"api_key":"***"})", R"({"api_key":null})");
    same(R"({"api_key" : "***" })", R"({"api_key" : "a\"b" })");
    same(R"([{"password":"***"},{"password":"***"}])", R"([{"password":["hunter2"]},{"password":true}])");
}

TEST(SecretsTest, parametersAreBlanked) {
    same("page=2&token=***&sort=name", "page=2&token=hunter2,x;y&sort=name");
    same("user%5Bpassword%5D=***&a=1", "user%5Bpassword%5D=hunter2&a=1");
    same("user[password]=***", "user[password]=hunter2");
    same("a=1&secret=\"***\"", "a=1&secret=\"hunter2 hunter2");
}

TEST(SecretsTest, linesAreBlanked) {
    same("password: ***\nnext line", "password: hunter2 and more\nnext line");
    same("Authorization: ***", "Authorization: Digest username=a, response=hunter2");
    same("secret => ***", "secret => hunter2");
}

TEST(SecretsTest, keysAreBlankedWhereverTheyStand) {
    same("/products/sk_***/x", "/products/sk_ab12cd34_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG/x");
    same(R"({"note":"use ok_*** now"})", R"({"note":"use ok_ab12cd34_0123456789 now"})");
    same("hook whsec_***", "hook whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/=");
    same("SK_***", "SK_LIVE_51Hxxxxxxxxx");
    same("say Bearer *** twice", "say Bearer AbCdEf123456== twice");
    same("jwt ***", "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl");
}

TEST(SecretsTest, passwordsOfUrlsAreBlanked) {
    same(R"({"url":"https://***@erp.example/hooks?a=b@c"})", R"({"url":"https://me:hunter2@erp.example/hooks?a=b@c"})");
    same("see ftp://***@host:21, http://host/a:b@c", "see ftp://hunter2:@x@host:21, http://host/a:b@c");
    hides(R"({"url":"https:\/\/me:hunter2@erp.example"})");
    hides("url=https%3A%2F%2Fme%3Ahunter2%40erp.example");
}

TEST(SecretsTest, whatIsNoSecretStaysAsItIs) {
    for (const char* text :
         {R"({"name":"Rosa 'Red Naomi' 60 cm","sku":"RN-60","base_price":0.4850,"tags":["a:b","c=d"],"n":null})",
          R"({"text":"a \"quoted\" word\n","emoji":"\ud83c\udf39 🌹","path":"C:\\tulips"})",
          "page=2&search=Rosa%20Avalanche%2B&status=active", "sku;name\nRN-60;It's red\n", "it's, it's",
          "key sk_ab12cd34 is shown", "the task_number_is_long", "\xff\xfe{]\"", "", "\"", "{\"a\":"})
        same(text, text);
}

TEST(SecretsTest, escapesHideNothing) {
    hides(R"({"p\u0061ssword":"hunter2"})");
    hides("p%61ssword=hunter2");
    hides(R"({"note":"sk\u005fab12cd34_hunter2hunter2"})");
    hides("x=sk%5Fab12cd34_hunter2hunter2");
    hides(R"({"note":"%73k_ab12cd34_hunter2hunter2"})");
}

TEST(SecretsTest, stringsWithinStringsHideNothing) {
    hides(R"({"payload":"{\"password\":\"hunter2\"}"})");
    hides(R"({"payload":"{\"inner\":\"{\\\"password\\\":\\\"hunter2\\\"}\"}"})");
    hides(R"({"payload":"password=hunter2&x=1"})");
    hides(R"({"payload":"%7B%22password%22%3A%22hunter2%22%7D"})");
}

TEST(SecretsTest, brokenJsonHidesNothing) {
    for (const char* text :
         {R"({"a": "x, "password": "hunter2"})", "{'password': 'hunter2'}", "{password: hunter2, a: 1}",
          "{password: \"hunter2\"", R"({"password" "x", "password" : hunter2})", R"({"password":hunter2,"a":1})",
          R"({"password":{"a":"hunter2")", R"(password":"hunter2"})", "{\"pass\xffword\":\"hunter2\"}",
          R"(\"password\":\"hunter2\")", "{\"password\"\n:\n\"hunter2\"}"})
        hides(text);
}

TEST(SecretsTest, zerosHideNothing) {
    std::string wide;
    for (const char c : std::string(R"({"password":"hunter2"})"))
        wide.append(1, c).append(1, '\0');
    same("***", wide);
    const std::string harmless("a\0b", 3);
    same(harmless, harmless);
}

TEST(SecretsTest, namesAreKnownInAnySpelling) {
    for (const char* name :
         {"password", "Password", "new-password", "clientSecret", "api_key", "API-Key", "x-auth-token", "accessKey",
          "pwd", "db_pwd", "sessionId", "passphrase", "Set-Cookie", "key", "Pass", "_key_"})
        CPPUNIT_ASSERT_MESSAGE(name, isSecretName(name));
    for (const char* name : {"name", "sku", "keyboard", "passage", "key_id", "tok", "author", "description", ""})
        CPPUNIT_ASSERT_MESSAGE(name, !isSecretName(name));
}

TEST(SecretsTest, secretColumnsOfTablesAreBlanked) {
    for (const auto& [kept, text] : std::vector<std::pair<std::string, std::string>>{
             {"sku;Password;name\nA;***;Rosa\r\nB;***;Iris\n", "sku;Password;name\nA;hunter2;Rosa\r\nB;hunter2;Iris\n"},
             {"\"api key\",sku\n***,\"a,\"\"b\"\n***,\n",
              "\"api key\",sku\n\"hun,ter2\nhunter2\",\"a,\"\"b\"\nhunter2,\n"},
             {"\xEF\xBB\xBFsku|key\n\nA|***", "\xEF\xBB\xBFsku|key\n\nA|hunter2"},
             {"sep=;\r\nsku\tpass\nA\t***\nB\t", "sep=;\r\nsku\tpass\nA\thunter2\nB\t"},
             {"token\n***\n***", "token\nhunter2\nhunter2"},
             {"sku,secret\n***\n***\n***", "sku,secret\nA,x,hunter2\nhunter2\nB,\"x\nhunter2,y\"z,hunter2"}}) {
        CPPUNIT_ASSERT_EQUAL(kept, history::withoutSecretColumns(text));
        CPPUNIT_ASSERT_EQUAL(kept, history::withoutSecretColumns(kept));
        std::string wide;
        for (const char c : text)
            wide.append(1, c).append(1, '\0');
        CPPUNIT_ASSERT_EQUAL(std::string("***"), history::withoutSecretColumns(wide));
    }
}

TEST(SecretsTest, whatIsNoTableStaysAsItIs) {
    for (const std::string text : {"", "\n", "sku;name\nA;hunter2", "{\"key\": 1,\n\"b\": 2}", "key=a,b\nx,y",
                                   "password: a, b\nc, d", "sku,name\npassword,x\ny,z", "\"", "a\0b"})
        CPPUNIT_ASSERT_EQUAL(text, history::withoutSecretColumns(text));
}

/// JSON with secrets at known places, cut anywhere and with bytes left out, changed or doubled between its parts.
TEST(SecretsTest, noCutAndNoDamageShowsASecret) {
    std::minstd_rand random(20261122); // the same every time
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    const std::array<const char*, 4> names{"password", "client_secret", "Token", "api-key"};
    for (int round = 0; round < 3'000; ++round) {
        Json inner{{"qty", below(100)}, {names[below(4)], "hunter2"}, {"note", "it's \"fine\""}};
        Json body{{"a", inner}, {"list", {inner, "x", 1.5}}, {names[below(4)], {{"b", "hunter2"}}}};
        if (below(3) == 0)
            body["text"] = inner.dump();
        std::string text = below(2) == 0 ? body.dump() : body.dump(2);
        text.resize(text.size() - below(text.size()));
        for (std::size_t damage = below(4); damage > 0; --damage) {
            const std::size_t at = below(text.size());
            // Between the parts: what makes a name another name, or a value no value, hides nothing that is known.
            if (std::string_view(",}{ \n").find(text[at]) == std::string_view::npos)
                continue;
            if (below(2) == 0)
                text.erase(at, 1);
            else
                text.insert(at, 1, ",] \n\xff"[below(5)]);
            if (text.empty())
                break;
        }
        CPPUNIT_ASSERT_MESSAGE(text + "\n--> " + withoutSecrets(text),
                               withoutSecrets(text).find("hunter") == std::string::npos);
    }
}

} // namespace supplierd::tests

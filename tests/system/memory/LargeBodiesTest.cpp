#include "tests/support/Responses.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/Test.h"

#include <barrier>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

namespace {

constexpr std::size_t AT_ONCE = 64;
constexpr std::size_t BODY_SIZE = std::size_t{1} << 20;
constexpr std::size_t MOST_VALUES = 50'000;
constexpr std::int64_t MOST_MEANWHILE = std::int64_t{150} << 10; // KiB, as below
constexpr std::int64_t MOST_AFTERWARDS = std::int64_t{20} << 10;

/// "VmRSS" or "VmHWM" of a process, in KiB.
std::int64_t memoryOf(pid_t process, const std::string& what) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind(what + ":", 0) == 0)
            return std::stoll(line.substr(what.size() + 1));
    throw std::runtime_error("no " + what + " of process " + std::to_string(process));
}

using Item = std::function<std::string(std::size_t)>;

/// `{"items":[…]}`, or an object of the items, of at most 1 MiB and so many items.
std::string filled(const std::string& begin, const Item& item, const std::string& end,
                   std::size_t most = std::string::npos) {
    std::string body = begin;
    for (std::size_t i = 0; i < most; ++i) {
        const std::string next = (i == 0 ? "" : ",") + item(i);
        if (body.size() + next.size() + end.size() > BODY_SIZE)
            break;
        body += next;
    }
    return body + end;
}

std::string listOf(const std::string& item, std::size_t most = std::string::npos) {
    return filled(R"({"items":[)", [&](std::size_t) { return item; }, "]}", most);
}

std::string distinctKeys(std::size_t most = std::string::npos) {
    return filled(
        "{", [](std::size_t i) { return "\"k" + std::to_string(i) + "\":0"; }, "}", most);
}

std::string nested(const std::string& open, const std::string& close) {
    std::string item;
    for (int level = 0; level < 61; ++level)
        item = open + item + close;
    return item;
}

/// As it is, with a text that makes it 1 MiB large.
std::string padded(std::string body) {
    const std::string begin = R"(,"name":")";
    const std::size_t room = BODY_SIZE - body.size() - begin.size() - 1;
    body.pop_back();
    return body + begin + std::string(room, 'x') + "\"}";
}

struct Shape {
    const char* name;
    std::string body;
};

std::vector<Shape> shapes() {
    const std::string escapes = filled(
        "{\"name\":\"", [](std::size_t) { return R"(\u00e9\n)"; }, "\"}");
    return {{"{}", listOf("{}")},
            {"[]", listOf("[]")},
            {"\"\"", listOf(R"("")")},
            {"1.0", listOf("1.0")},
            {"distinct keys", distinctKeys()},
            {"objects to the limit of nesting", listOf(nested(R"({"a":)", "}").replace(61 * 5, 0, "1"))},
            {"arrays to the limit of nesting", listOf(nested("[", "]"))},
            {"{} below the limit of values", padded(listOf("{}", MOST_VALUES - 3))},
            {"\"\" below the limit of values", padded(listOf(R"("")", MOST_VALUES - 3))},
            {"escaped texts below the limit", padded(listOf(R"("\u00e9")", MOST_VALUES - 3))},
            {"distinct keys below the limit", padded(distinctKeys(MOST_VALUES - 2))},
            {"one text", padded("{\"a\":1}")},
            {"one text with escapes", escapes},
            {"one name", "{\"" + std::string(BODY_SIZE - 10, 'n') + "\":1}"},
            {"one number", "{\"name\":" + std::string(BODY_SIZE - 10, '7') + "}"}};
}

} // namespace

/// What many large bodies at once take, and whether it comes back.
class LargeBodiesTest : public CppUnit::TestFixture {
protected:
    TestDatabase _database;
    ServerProcess _server{_database, {.plugins = {"categories", "catalog", "inventory"}}};
    std::string _key = _server.createKey(_server.createSupplier("Large"), {{"hourly_limit", "1000000"}});

    void sendAtOnce(const std::string& path, const std::string& body) {
        std::barrier start(static_cast<std::ptrdiff_t>(AT_ONCE));
        std::vector<int> statuses(AT_ONCE);
        std::vector<std::thread> clients;
        for (std::size_t i = 0; i < AT_ONCE; ++i)
            clients.emplace_back([&, i] {
                auto client = _server.client(_key);
                client.setTimeout(std::chrono::minutes(2));
                start.arrive_and_wait();
                try {
                    statuses[i] = client.postText(path, body).status;
                } catch (const std::exception&) {
                    statuses[i] = -1; // told below
                }
            });
        for (auto& client : clients)
            client.join();
        for (const int status : statuses)
            CPPUNIT_ASSERT_EQUAL(422, status);
    }

    /// Waits for at most a minute.
    std::int64_t memoryAfterwards(std::int64_t enough) const {
        auto memory = memoryOf(_server.pid(), "VmRSS");
        for (int second = 0; second < 60 && memory > enough; ++second) {
            std::this_thread::sleep_for(std::chrono::seconds(1));
            memory = memoryOf(_server.pid(), "VmRSS");
        }
        return memory;
    }
};

TEST(LargeBodiesTest, memoryStaysBoundedAndIsGivenBack) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    throw Skip("a sanitizer has memory of its own");
#else
    sendAtOnce("/stock", "{}"); // threads and sessions are there before
    const auto before = memoryOf(_server.pid(), "VmRSS");
    for (const Shape& shape : shapes()) {
        sendAtOnce("/stock", shape.body);
        sendAtOnce("/products", shape.body);
        const auto meanwhile = memoryOf(_server.pid(), "VmHWM") - before;
        const auto afterwards = memoryAfterwards(before + MOST_AFTERWARDS) - before;
        std::cout << "\n    " << shape.name << ": " << meanwhile / 1024 << " MB at most so far, " << afterwards / 1024
                  << " MB afterwards" << std::flush;
        CPPUNIT_ASSERT_MESSAGE(shape.name, meanwhile <= MOST_MEANWHILE);
        CPPUNIT_ASSERT_MESSAGE(shape.name, afterwards <= MOST_AFTERWARDS);
    }
    std::cout << "\n";
#endif
}

} // namespace supplierd::tests

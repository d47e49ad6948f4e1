// `supplierd-fuzz [--requests N] [--connections N] [--seed N] [--url URL --admin-url URL]`: sends mutated requests to a
// server of its own, or to the one at URL with the key in the environment variable SUPPLIERD_FUZZ_KEY. Exit code 0 when
// every answer was a well-formed one and the server lives.
#include "tests/fuzz/BodyMutator.h"
#include "tests/fuzz/FuzzConnection.h"
#include "tests/fuzz/RequestMaker.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/Places.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/TestDatabase.h"

#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace supplierd::tests;

struct FuzzOptions {
    std::size_t requests = 5'000;
    std::size_t connections = 8;
    std::uint64_t seed = 1;
    std::string url;
    std::string adminUrl;
    std::string key;
};

FuzzOptions readOptions(const std::vector<std::string>& arguments) {
    FuzzOptions options;
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
        const std::string& name = arguments[i];
        const std::string& value = arguments[i + 1];
        if (name == "--requests")
            options.requests = std::stoul(value);
        else if (name == "--connections")
            options.connections = std::stoul(value);
        else if (name == "--seed")
            options.seed = std::stoull(value);
        else if (name == "--url")
            options.url = value;
        else if (name == "--admin-url")
            options.adminUrl = value;
        else
            throw std::invalid_argument("unknown option " + name);
    }
    if (arguments.size() % 2 != 0 || options.connections == 0)
        throw std::invalid_argument("an option without its value");
    if (const char* key = std::getenv("SUPPLIERD_FUZZ_KEY"))
        options.key = key;
    return options;
}

/// JSON from other projects' test suites, where it lies beside the sources.
void addCorpus(std::vector<std::string>& seeds) {
    const auto folder = sourcePath("../shared/corpora/json-suite/open");
    if (!std::filesystem::is_directory(folder)) {
        std::printf("no corpus in %s: only the bodies of this test\n", folder.c_str());
        return;
    }
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.is_regular_file() && entry.file_size() < 20'000)
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    // The valid bodies must not drown: each of them comes as often as a third of the corpus.
    const std::vector<std::string> valid = seeds;
    for (std::size_t i = 0; i < files.size() / 3; ++i)
        seeds.insert(seeds.end(), valid.begin(), valid.end());
    for (const auto& file : files)
        seeds.push_back(readWholeFile(file));
}

FuzzTally runAll(const FuzzOptions& options) {
    HttpClient client(options.url, options.key);
    const auto categories = client.get("/categories").data().at("categories");
    if (categories.empty())
        throw std::runtime_error("the server has no category");
    auto seeds = validBodies(categories[0].at("id").get<std::int64_t>());
    addCorpus(seeds);
    const BodyMutator mutator(seeds);

    std::vector<FuzzTally> tallies(options.connections);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < options.connections; ++i)
        threads.emplace_back([&, i] {
            FuzzConnection connection(options.url, options.key, mutator, options.seed * 1'000 + i, i);
            tallies[i] = connection.run(options.requests / options.connections +
                                        (i < options.requests % options.connections ? 1 : 0));
        });
    for (auto& thread : threads)
        thread.join();
    FuzzTally all;
    for (const auto& tally : tallies)
        all.add(tally);

    if (HttpClient(options.adminUrl).get("/healthz").status != 200)
        all.failures.emplace_back("the server is not healthy after the run");
    const auto created = HttpClient(options.url, options.key).postText("/products", seeds[0]);
    if (created.status != 201)
        all.failures.emplace_back("a valid product is refused after the run: " + created.body);
    return all;
}

int report(const FuzzTally& tally) {
    for (const auto& [status, count] : tally.statuses)
        std::printf("%s: %zu\n", status == 0 ? "cut off" : std::to_string(status).c_str(), count);
    std::printf("connections closed between requests: %zu\n", tally.reconnects);
    for (const auto& failure : tally.failures)
        std::printf("FAILED %s\n", failure.c_str());
    return tally.failures.empty() ? 0 : 1;
}

int runOnOwnServer(FuzzOptions options) {
    TestDatabase database;
    ServerProcess server(database);
    server.createCategory("Roses");
    const auto supplier = server.createSupplier("Fuzz Growers");
    options.key = server.createKey(supplier, {{"hourly_limit", "2000000000"}});
    options.url = server.url();
    options.adminUrl = server.adminUrl();
    int exitCode = report(runAll(options));
    if (!server.process().isRunning()) {
        std::printf("FAILED the server died:\n%s\n", server.log().c_str());
        return 1;
    }
    if (const int ended = server.stop(); ended != 0) {
        std::printf("FAILED the server ended with %d:\n%s\n", ended, server.log().c_str());
        exitCode = 1;
    }
    return exitCode;
}

} // namespace

int main(int argc, char** argv) {
    ::signal(SIGPIPE, SIG_IGN);
    try {
        const auto options = readOptions(std::vector<std::string>(argv + 1, argv + argc));
        std::printf("%zu requests, %zu connections, seed %llu\n", options.requests, options.connections,
                    static_cast<unsigned long long>(options.seed));
        std::fflush(stdout);
        return options.url.empty() ? runOnOwnServer(options) : report(runAll(options));
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "supplierd-fuzz: %s\n", failure.what());
        return 2;
    }
}

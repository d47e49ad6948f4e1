// `fuzz-X-replay PATH...`: gives a fuzz target every file of the folders, of those that exist. What is found once is in
// found/X and is tried again with every run of the tests, without libFuzzer.
#include "tests/fuzz/parsers/FuzzTarget.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

void replay(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    std::fprintf(stderr, "%s\n", file.c_str()); // the last one is the one that failed
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

} // namespace

int main(int argc, char** argv) {
    std::vector<std::filesystem::path> files;
    for (const auto& folder : std::vector<std::filesystem::path>(argv + 1, argv + argc)) {
        if (!std::filesystem::is_directory(folder)) {
            std::printf("1..0 # SKIP there is no %s\n", folder.c_str());
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files)
        replay(file);
    std::printf("%zu inputs\n", files.size());
    return files.empty() ? 1 : 0;
}

#include "GuideExamples.h"

#include "tests/support/ChildProcess.h"
#include "tests/support/Places.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace supplierd::tests {

namespace {

constexpr std::string_view FENCE = "```";

GuideBlock openBlock(const std::string& line, const std::string& place) {
    std::istringstream words(line.substr(FENCE.size()));
    GuideBlock block;
    words >> block.language >> block.name;
    block.place = place;
    return block;
}

} // namespace

std::vector<GuideBlock> readGuide(const std::filesystem::path& file) {
    std::vector<GuideBlock> blocks;
    bool isOpen = false;
    int number = 0;
    std::istringstream lines(readWholeFile(file));
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (line.starts_with(FENCE)) {
            if (!isOpen)
                blocks.push_back(openBlock(line, file.filename().string() + ":" + std::to_string(number)));
            isOpen = !isOpen;
        } else if (isOpen) {
            blocks.back().code += line + "\n";
        }
    }
    if (isOpen)
        throw std::runtime_error(blocks.back().place + ": the code block is not closed");
    return blocks;
}

std::filesystem::path guideFile(const std::string& name) {
    return std::filesystem::path(sourcePath("plugins/apidocs/guides")) / (name + ".md");
}

std::vector<std::string> guidesWithExamples() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(guideFile("index").parent_path())) {
        const auto blocks = readGuide(entry.path());
        if (std::any_of(blocks.begin(), blocks.end(), [](const auto& block) { return block.language == "output"; }))
            names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

const std::vector<ExampleLanguage>& exampleLanguages() {
    static const std::vector<ExampleLanguage> languages = {{"sh", ".sh", {"bash", "-eu", "-o", "pipefail"}, ""},
                                                           {"js", ".mjs", {"node"}, "typescript"},
                                                           {"php", ".php", {"php"}, "php"},
                                                           {"python", ".py", {"python3"}, "python"}};
    return languages;
}

bool isInstalled(const ExampleLanguage& language) {
    return runCommand({.arguments = {"sh", "-c", "command -v " + language.program.front()}}).exitCode == 0;
}

} // namespace supplierd::tests

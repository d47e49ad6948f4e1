#include "tests/support/cases/CaseFile.h"

#include "tests/support/Places.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/Test.h"
#include "tests/support/cases/CaseRun.h"

#include <algorithm>
#include <memory>
#include <sstream>

namespace supplierd::tests {

namespace {

std::string trimmedText(const std::string& text) {
    const auto begin = text.find_first_not_of(" \t\r");
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

/// Takes one line after the other.
class CaseFileParser {
public:
    explicit CaseFileParser(const std::string& path) { _file.path = path; }

    void take(std::size_t number, const std::string& line) {
        _line = number;
        const std::string text = trimmedText(line);
        if (text.empty() || text[0] == '#')
            return;
        if (text.starts_with("== "))
            beginGroup(text.substr(3));
        else if (line[0] == '|')
            above("A line of a body").body += line.substr(std::min<std::size_t>(2, line.size())) + "\n";
        else if (line[0] == '-')
            above("An item").items.push_back({number, trimmedText(text.substr(1))});
        else if (line[0] == ' ' || line[0] == '\t')
            last().text += " " + text;
        else
            steps().push_back({number, text});
    }

    CaseFile finished() {
        if (_file.groups.empty())
            throw CaseFileError(1, "there is no case: begin a group of cases with \"== what they show\"");
        for (const CaseGroup& group : _file.groups)
            if (group.steps.empty())
                throw CaseFileError(group.line, "\"" + group.name + "\" has no cases: write some below it");
        return std::move(_file);
    }

private:
    std::vector<CaseStep>& steps() { return _file.groups.empty() ? _file.preparation : _file.groups.back().steps; }

    void beginGroup(const std::string& name) {
        if (std::ranges::any_of(_file.groups, [&](const CaseGroup& group) { return group.name == name; }))
            throw CaseFileError(_line, "\"" + name + "\" is the name of two groups: rename one");
        _file.groups.push_back({name, _line});
    }

    CaseStep& above(const std::string& what) {
        if (steps().empty())
            throw CaseFileError(_line, what + " belongs below its request: write that first");
        return steps().back();
    }

    CaseStep& last() {
        CaseStep& step = above("An indented line continues the one above it, and");
        return step.items.empty() ? step : step.items.back();
    }

    CaseFile _file;
    std::size_t _line = 0;
};

class CaseFixture : public CppUnit::TestFixture {};

void registerCase(const std::string& name, const std::function<void()>& body) {
    const RegisteredTest registered(
        name, [] { return std::make_unique<CaseFixture>(); }, [body](CppUnit::TestFixture&) { body(); });
}

void registerCases(const std::filesystem::path& path) {
    const std::string name = path.stem();
    const std::string shown = path.lexically_relative(sourcePath());
    try {
        const auto file = std::make_shared<const CaseFile>(CaseFile::parse(shown, readWholeFile(path)));
        for (const CaseGroup& group : file->groups)
            registerCase(name + "::" + group.name, [file, &group] { CaseRun(*file).run(group); });
    } catch (const CaseFileError& error) {
        registerCase(name + "::can be read",
                     [shown, error] { throw CaseRun::failure(shown, error.line(), error.what()); });
    }
}

} // namespace

CaseFile CaseFile::parse(const std::string& path, const std::string& text) {
    CaseFileParser parser(path);
    std::istringstream lines(text);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);)
        parser.take(++number, line);
    return parser.finished();
}

RegisteredCases::RegisteredCases(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".cases")
            paths.push_back(entry.path());
    if (paths.empty())
        throw std::runtime_error("there are no cases in " + folder.string());
    std::ranges::sort(paths);
    for (const auto& path : paths)
        registerCases(path);
}

} // namespace supplierd::tests

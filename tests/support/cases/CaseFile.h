#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace supplierd::tests {

/// What is wrong with a case file, and what to do.
class CaseFileError : public std::runtime_error {
public:
    CaseFileError(std::size_t line, const std::string& what) : std::runtime_error(what), _line(line) {}
    std::size_t line() const { return _line; }

private:
    std::size_t _line;
};

/// A line with those that continue it, and the rows below it.
struct CaseStep {
    std::size_t line = 0;
    std::string text;
    std::vector<CaseStep> items = {}; ///< "- {…}"
    std::string body = {};            ///< "| text", each with its line break
};

/// What stands below a heading: one test.
struct CaseGroup {
    std::string name;
    std::size_t line = 0;
    std::vector<CaseStep> steps = {};
};

/// A file of requests and what has to come back: tests/README.md explains it.
struct CaseFile {
    /// Throws CaseFileError.
    static CaseFile parse(const std::string& path, const std::string& text);

    std::string path;
    std::vector<CaseStep> preparation; ///< of every group
    std::vector<CaseGroup> groups;
};

/// Registers each group of each *.cases file of a folder as a test: "FILE::GROUP".
class RegisteredCases {
public:
    explicit RegisteredCases(const std::filesystem::path& folder);
};

} // namespace supplierd::tests

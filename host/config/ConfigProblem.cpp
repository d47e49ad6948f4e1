#include "host/config/ConfigProblem.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace supplierd::host {

std::string ConfigProblem::toString() const {
    std::string text = file;
    if (line > 0)
        text += ":" + std::to_string(line) + ":" + std::to_string(column);
    if (!text.empty())
        text += ": ";
    if (warning)
        text += "warning: ";
    return text + message;
}

void ConfigProblems::error(const ConfigPosition& position, std::string message) {
    _entries.push_back({position.file, position.line, position.column, std::move(message), false});
    ++_errors;
}

void ConfigProblems::warning(const ConfigPosition& position, std::string message) {
    _entries.push_back({position.file, position.line, position.column, std::move(message), true});
}

void ConfigProblems::addInFileOrder(const ConfigProblems& others) {
    std::vector<ConfigProblem> sorted = others._entries;
    std::stable_sort(sorted.begin(), sorted.end(), [](const ConfigProblem& a, const ConfigProblem& b) {
        return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
    });
    _entries.insert(_entries.end(), sorted.begin(), sorted.end());
    _errors += others._errors;
}

std::string ConfigProblems::toString() const {
    std::string text;
    for (const ConfigProblem& problem : _entries)
        text += problem.toString() + "\n";
    return text;
}

} // namespace supplierd::host

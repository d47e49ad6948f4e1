#include "host/config/Diagnostic.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace supplierd::host {

std::string Diagnostic::toString() const {
    std::string text = file;
    if (line > 0)
        text += ":" + std::to_string(line) + ":" + std::to_string(column);
    if (!text.empty())
        text += ": ";
    if (warning)
        text += "warning: ";
    return text + message;
}

void Diagnostics::add(Diagnostic problem) {
    _errors += problem.warning ? 0 : 1;
    _entries.push_back(std::move(problem));
}

void Diagnostics::error(const ConfigPosition& position, std::string message) {
    add({position.file, position.line, position.column, std::move(message), false});
}

void Diagnostics::warning(const ConfigPosition& position, std::string message) {
    add({position.file, position.line, position.column, std::move(message), true});
}

void Diagnostics::addAbout(const std::string& about, const Diagnostics& others) {
    for (Diagnostic problem : others) {
        problem.about = about;
        add(std::move(problem));
    }
}

void Diagnostics::addInFileOrder(const Diagnostics& others) {
    std::vector<Diagnostic> sorted = others._entries;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
    });
    _entries.insert(_entries.end(), sorted.begin(), sorted.end());
    _errors += others._errors;
}

std::string Diagnostics::toString() const {
    std::string text;
    for (const Diagnostic& problem : _entries)
        text += problem.toString() + "\n";
    return text;
}

} // namespace supplierd::host

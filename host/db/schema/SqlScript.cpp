#include "host/db/schema/SqlScript.h"

namespace supplierd::host {

namespace {

bool isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

class Splitter {
public:
    explicit Splitter(std::string_view script) : _script(script) {}

    std::vector<std::string> run() {
        while (_at < _script.size())
            step();
        endStatement();
        return std::move(_statements);
    }

private:
    void step() {
        const char c = _script[_at];
        if (c == ';') {
            endStatement();
            ++_at;
        } else if (const std::size_t end = commentEnd(); end != _at) {
            keep(end, false);
        } else if (c == '\'' || c == '"' || c == '`') {
            keep(quotationEnd(c), true);
        } else {
            keep(_at + 1, !isSpace(c));
        }
    }

    /// Comments and white space before a statement are not part of it; those within are left to the server.
    void keep(std::size_t end, bool isCode) {
        if (isCode || !_statement.empty())
            _statement.append(_script, _at, end - _at);
        if (isCode)
            _codeLength = _statement.size();
        _at = end;
    }

    void endStatement() {
        _statement.resize(_codeLength);
        if (!_statement.empty())
            _statements.push_back(std::move(_statement));
        _statement.clear();
        _codeLength = 0;
    }

    std::size_t commentEnd() const {
        const std::string_view rest = _script.substr(_at);
        // Without white space behind it, `--` is two minus signs.
        const bool dashes = rest.substr(0, 2) == "--" && (rest.size() == 2 || isSpace(rest[2]));
        if (dashes || rest[0] == '#') {
            const std::size_t end = _script.find('\n', _at);
            return end == std::string_view::npos ? _script.size() : end + 1;
        }
        if (rest.substr(0, 2) != "/*")
            return _at;
        const std::size_t end = _script.find("*/", _at + 2);
        if (end == std::string_view::npos)
            throw SqlScriptError("a comment does not end: " + excerpt());
        return end + 2;
    }

    std::size_t quotationEnd(char quote) const {
        for (std::size_t i = _at + 1; i < _script.size(); ++i) {
            if (_script[i] == '\\' && quote != '`')
                ++i;
            else if (_script[i] == quote)
                // A doubled quote is taken as the start of another quotation: the same for splitting.
                return i + 1;
        }
        throw SqlScriptError("a quotation does not end: " + excerpt());
    }

    std::string excerpt() const { return std::string(_script.substr(_at, 60)); }

    std::string_view _script;
    std::size_t _at = 0;
    std::string _statement;
    std::size_t _codeLength = 0;
    std::vector<std::string> _statements;
};

} // namespace

std::vector<std::string> splitStatements(std::string_view script) {
    return Splitter(script).run();
}

} // namespace supplierd::host

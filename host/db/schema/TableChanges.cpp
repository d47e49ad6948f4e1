#include "host/db/schema/TableChanges.h"

#include <algorithm>
#include <cstddef>

namespace supplierd::host {

namespace {

bool isWordCharacter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
}

std::string upper(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'a' && c <= 'z')
            c = static_cast<char>(c - 'a' + 'A');
    return result;
}

/// The words of one statement, one after the other. Comments and white space lie between them.
class Words {
public:
    explicit Words(std::string_view statement) : _rest(statement) { next(); }

    bool isEnd() const { return _word.empty(); }
    /// Goes past `keyword` when it is the next word.
    bool take(std::string_view keyword) {
        if (_isQuoted || upper(_word) != keyword)
            return false;
        next();
        return true;
    }
    /// A table's name; empty when it is one of another database, which is gone past as well.
    std::string takeName() {
        std::string name = _word;
        next();
        if (!take("."))
            return name;
        next();
        return {};
    }
    void skip() { next(); }

private:
    void next() {
        skipSpace();
        _isQuoted = false;
        if (_rest.empty())
            _word.clear();
        else if (_rest.front() == '`')
            takeQuoted();
        else if (_rest.front() == '\'' || _rest.front() == '"')
            takeText();
        else
            takePlain();
    }

    void skipSpace() {
        for (;;) {
            const std::size_t begin = _rest.find_first_not_of(" \t\r\n\f\v");
            _rest.remove_prefix(begin == std::string_view::npos ? _rest.size() : begin);
            if (_rest.starts_with("/*"))
                skipPast("*/");
            else if (_rest.starts_with("--") || _rest.starts_with('#'))
                skipPast("\n");
            else
                return;
        }
    }

    void skipPast(std::string_view end) {
        const std::size_t at = _rest.find(end, 1);
        _rest.remove_prefix(at == std::string_view::npos ? _rest.size() : at + end.size());
    }

    void takeQuoted() {
        _word.clear();
        _isQuoted = true;
        _rest.remove_prefix(1);
        while (!_rest.empty()) {
            const bool isQuote = _rest.front() == '`';
            if (isQuote && !_rest.starts_with("``")) {
                _rest.remove_prefix(1);
                return;
            }
            _word += _rest.front();
            _rest.remove_prefix(isQuote ? 2 : 1);
        }
    }

    void takeText() {
        const char quote = _rest.front();
        std::size_t i = 1;
        while (i < _rest.size() && _rest[i] != quote)
            i += _rest[i] == '\\' ? 2 : 1;
        i = std::min(_rest.size(), i + 1);
        _word = _rest.substr(0, i);
        _isQuoted = true;
        _rest.remove_prefix(i);
    }

    void takePlain() {
        std::size_t length = 0;
        while (length < _rest.size() && isWordCharacter(_rest[length]))
            ++length;
        _word = _rest.substr(0, std::max<std::size_t>(1, length));
        _rest.remove_prefix(_word.size());
    }

    std::string_view _rest;
    std::string _word;
    bool _isQuoted = false;
};

class Reader {
public:
    void read(const std::string& statement) {
        Words words(statement);
        if (words.take("CREATE"))
            create(words);
        else if (words.take("DROP"))
            drop(words);
        else if (words.take("RENAME"))
            rename(words);
        else if (words.take("ALTER"))
            alter(words);
    }

    TableChanges changes;

private:
    void create(Words& words) {
        if (words.take("OR"))
            words.take("REPLACE");
        if (!words.take("TABLE"))
            return;
        if (words.take("IF")) {
            words.take("NOT");
            words.take("EXISTS");
        }
        made(words.takeName());
    }

    void drop(Words& words) {
        if (!words.take("TABLE") && !words.take("TABLES"))
            return;
        if (words.take("IF"))
            words.take("EXISTS");
        do
            gone(words.takeName());
        while (words.take(","));
    }

    void rename(Words& words) {
        if (!words.take("TABLE") && !words.take("TABLES"))
            return;
        if (words.take("IF"))
            words.take("EXISTS");
        do {
            const std::string from = words.takeName();
            while (!words.isEnd() && !words.take("TO"))
                words.skip(); // WAIT n, NOWAIT
            renamed(from, words.takeName());
        } while (words.take(","));
    }

    void alter(Words& words) {
        words.take("ONLINE");
        words.take("IGNORE");
        if (!words.take("TABLE"))
            return;
        if (words.take("IF"))
            words.take("EXISTS");
        const std::string table = words.takeName();
        while (!words.isEnd()) {
            if (!words.take("RENAME")) {
                words.skip();
                continue;
            }
            if (words.take("COLUMN") || words.take("INDEX") || words.take("KEY"))
                continue;
            if (!words.take("TO"))
                words.take("AS");
            renamed(table, words.takeName());
            return;
        }
    }

    void made(const std::string& table) {
        if (table.empty())
            return;
        changes.created.insert(table);
        changes.dropped.erase(table);
    }
    void gone(const std::string& table) {
        if (!table.empty())
            changes.dropped.insert(table);
    }
    void renamed(const std::string& from, const std::string& to) {
        gone(from);
        made(to);
    }
};

} // namespace

TableChanges TableChanges::of(const std::vector<std::string>& statements) {
    Reader reader;
    for (const std::string& statement : statements)
        reader.read(statement);
    return reader.changes;
}

std::string quotedTable(std::string_view name) {
    std::string text = "`";
    for (const char c : name)
        text += c == '`' ? std::string("``") : std::string(1, c);
    return text + "`";
}

} // namespace supplierd::host

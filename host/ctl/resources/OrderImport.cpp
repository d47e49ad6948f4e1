#include "host/ctl/resources/OrderImport.h"

#include "host/ctl/terminal/CommandFailure.h"

#include <supplierd/JsonBody.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace supplierd::host {

namespace {

constexpr std::size_t CHUNK = std::size_t{1} << 20;
constexpr std::size_t MAX_SIZE = std::size_t{1} << 30;
/// Read all at once, a text takes several times its size.
constexpr std::size_t MAX_SIZE_AT_ONCE = std::size_t{64} << 20;
constexpr std::string_view WHITE_SPACE = " \t\r\n";

class InputFile {
public:
    explicit InputFile(const std::string& path)
        : _path(path), _descriptor(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (_descriptor < 0)
            fail();
    }
    ~InputFile() {
        if (_descriptor > STDIN_FILENO)
            ::close(_descriptor);
    }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    /// How many bytes came; 0 at the end.
    std::size_t read(char* to, std::size_t size) const {
        for (;;) {
            const ssize_t got = ::read(_descriptor, to, size);
            if (got >= 0)
                return static_cast<std::size_t>(got);
            if (errno != EINTR)
                fail();
        }
    }

private:
    [[noreturn]] void fail() const {
        throw std::filesystem::filesystem_error("cannot read", _path, std::error_code(errno, std::generic_category()));
    }

    std::string _path;
    int _descriptor;
};

} // namespace

std::string readInput(const std::string& path) {
    const InputFile file(path);
    std::string text;
    for (;;) {
        const std::size_t size = text.size();
        text.resize(size + CHUNK);
        const std::size_t got = file.read(text.data() + size, CHUNK);
        text.resize(size + got);
        if (got == 0)
            return text;
        if (text.size() > MAX_SIZE)
            throw CommandFailure(
                fmt::format("{} is larger than {} MiB; split it into several files", path, MAX_SIZE >> 20));
    }
}

/// Finds the ends of the objects in an array of objects. It need not be right about a text that is no JSON: every part
/// is read by the strict parser, and what the splitter does not understand, the parser reads as a whole.
class OrderFile::Splitter {
public:
    explicit Splitter(std::string_view text) : _text(text) {}

    /// False when it is nothing but `[ {…}, … ]` or `{"orders": [ {…}, … ]}`.
    bool split(std::vector<Part>& parts) {
        const bool isWrapped = take('{');
        if (isWrapped && !(takeWord("\"orders\"") && take(':')))
            return false;
        return takeArray(parts) && (!isWrapped || take('}')) && next() == END;
    }

private:
    static constexpr char END = '\0';

    char next() {
        _at = std::min(_text.find_first_not_of(WHITE_SPACE, _at), _text.size());
        return _at < _text.size() ? _text[_at] : END;
    }
    bool take(char c) {
        if (next() != c)
            return false;
        ++_at;
        return true;
    }
    bool takeWord(std::string_view word) {
        next();
        if (_text.substr(_at, word.size()) != word)
            return false;
        _at += word.size();
        return true;
    }
    bool takeArray(std::vector<Part>& parts) {
        if (!take('['))
            return false;
        do {
            if (next() != '{')
                return false;
            const std::size_t begin = _at;
            if (!takeObject())
                return false;
            parts.push_back({begin, _at - begin});
        } while (take(','));
        return take(']');
    }
    bool takeObject() {
        std::size_t depth = 0;
        do {
            _at = _text.find_first_of("{}\"", _at);
            if (_at == std::string_view::npos || (_text[_at] == '"' && !skipString()))
                return false;
            if (_text[_at] == '{')
                ++depth;
            else if (_text[_at] == '}')
                --depth;
            ++_at;
        } while (depth > 0);
        return true;
    }
    /// From its first quote to its last.
    bool skipString() {
        for (++_at; _at < _text.size(); ++_at) {
            if (_text[_at] == '"')
                return true;
            if (_text[_at] == '\\')
                ++_at;
        }
        return false;
    }

    std::string_view _text;
    std::size_t _at = 0;
};

OrderFile::OrderFile(std::string text, std::string name) : _text(std::move(text)), _name(std::move(name)) {
    if (_text.find_first_not_of(WHITE_SPACE) == std::string::npos)
        throw CommandFailure(fmt::format("{} is empty", _name));
    if (Splitter(_text).split(_parts)) {
        checkParts();
        return;
    }
    const std::size_t understood = _parts.empty() ? 0 : _parts.back().begin + _parts.back().size;
    _parts.clear();
    readWhole(understood);
    _text.clear();
}

JsonDocument OrderFile::order(std::size_t index) const {
    if (_parts.empty())
        return _orders.at(index);
    const Part& part = _parts.at(index);
    return parseJson(_text.substr(part.begin, part.size));
}

void OrderFile::checkParts() const {
    for (std::size_t i = 0; i < _parts.size(); ++i) {
        try {
            order(i);
        } catch (const JsonError& error) {
            throw CommandFailure(fmt::format("{}: order {}: {}; nothing was taken in",
                                             place(_parts[i].begin + error.byte()), i + 1, error.detail().message));
        }
    }
}

void OrderFile::readWhole(std::size_t understood) {
    if (_text.size() > MAX_SIZE_AT_ONCE)
        throw CommandFailure(fmt::format("{}: from here on it is no array of order objects, and it is too large to be "
                                         "read another way; nothing was taken in",
                                         place(understood + 1)));
    try {
        const JsonDocument whole = parseJson(_text);
        JsonValue orders = whole.root();
        if (orders.isObject()) {
            const auto named = orders.object().find("orders");
            if (!named) {
                _orders.push_back(whole);
                return;
            }
            orders = *named;
        }
        if (!orders.isArray())
            throw CommandFailure(fmt::format("{}: orders must be an array; nothing was taken in", _name));
        for (const JsonValue order : orders.array())
            _orders.push_back(whole.part(order));
    } catch (const JsonError& error) {
        const auto where = error.byte() == 0 ? _name : place(error.byte());
        throw CommandFailure(fmt::format("{}: {}; nothing was taken in", where, error.detail().message));
    }
}

/// "orders.json:12:5", for a byte counted from 1.
std::string OrderFile::place(std::size_t byte) const {
    const auto before = std::string_view(_text).substr(0, std::min(byte - 1, _text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto lineStart = before.rfind('\n');
    const auto column = lineStart == std::string_view::npos ? before.size() + 1 : before.size() - lineStart;
    return fmt::format("{}:{}:{}", _name, line, column);
}

namespace {

std::string orderNumberOf(const JsonObject& order) {
    const auto number = order.get("order_number");
    return std::string(number.isText() ? number.text() : std::string_view());
}

/// The order is to blame, not the environment.
bool isRefusal(const ApiError& error) {
    switch (error.kind()) {
    case ErrorKind::BadRequest:
    case ErrorKind::NotFound:
    case ErrorKind::Conflict:
    case ErrorKind::PayloadTooLarge:
    case ErrorKind::Validation:
        return true;
    default:
        return false;
    }
}

} // namespace

ImportOutcome OrderImport::run(const OrderFile& orders, const Hooks& hooks) {
    ImportOutcome outcome;
    outcome.total = orders.size();
    for (std::size_t i = 0; i < orders.size(); ++i) {
        outcome.stopReason = hooks.stopReason(outcome);
        if (!outcome.stopReason.empty())
            break;
        try {
            placeNext(orders.order(i).root(), outcome);
        } catch (const std::exception& failure) {
            if (outcome.done() == 0)
                throw;
            outcome.stopReason = failure.what();
            break;
        }
        hooks.afterEach(outcome);
    }
    return outcome;
}

void OrderImport::placeNext(const JsonValue& order, ImportOutcome& outcome) {
    ImportFailure failure{outcome.done() + 1, "", "", {}};
    if (!order.isObject()) {
        failure.message = "an order must be a JSON object";
        outcome.failures.push_back(std::move(failure));
        return;
    }
    const auto object = order.object();
    failure.orderNumber = orderNumberOf(object);
    try {
        ++(place(object) ? outcome.created : outcome.existing);
        return;
    } catch (const ApiError& error) {
        if (!isRefusal(error))
            throw;
        failure.message = error.message();
        failure.details = error.details();
    } catch (const DatabaseError& error) {
        if (!error.isRetryable())
            throw;
        failure.message = std::string("others held it up time and again: ") + error.what();
    }
    outcome.failures.push_back(std::move(failure));
}

bool OrderImport::place(const JsonObject& order) {
    bool isNew = false;
    _database.withTransaction([&](Transaction& transaction) { isNew = _book.place(transaction, order, _actor).isNew; });
    return isNew;
}

} // namespace supplierd::host

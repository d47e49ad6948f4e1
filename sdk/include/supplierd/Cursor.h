#pragma once

#include <supplierd/Abi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// What a list's `next_cursor` is made of: where a walk stands, as numbers whose meaning only the list knows and, last,
/// a text such as a sort key. Its text is opaque to clients, who may send back anything: a list takes what decode()
/// gives for values of any size, and never for permission to see something. Thread: a value. Since 1.0.
struct CursorParts {
    /// What ties it to the list it came from; see ListFingerprint.
    std::uint64_t fingerprint = 0;
    std::vector<std::int64_t> numbers = {};
    std::string key = {};

    /// Text of [A-Za-z0-9_-].
    std::string encode() const;
    /// Nothing for a text that encode() cannot have made of so many numbers: every cursor has one spelling.
    static std::optional<CursorParts> decode(std::string_view text, std::size_t numbers);
};

/// Tells lists with other filters, another order or another owner apart, so that a cursor of one is refused by the
/// others. No secret and no signature. Add the same things in the same order every time. Thread: one. Since 1.0.
class ListFingerprint {
public:
    void add(std::string_view text);
    void add(std::int64_t number) { add(std::string_view(std::to_string(number))); }
    std::uint64_t value() const { return _value; }

private:
    std::uint64_t _value = 14'695'981'039'346'656'037ULL; // FNV-1a
};

/// "2026-11-20 14:48:00.123456", as the database prints a DATETIME(6): for what comes out of a cursor and goes into a
/// statement. Only the form is judged.
SUPPLIERD_API bool hasFormOfDatabaseTime(std::string_view text);

} // namespace supplierd

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace supplierd::history {

bool isUtf8(std::string_view text);

/// Without a character at the end that a cut has halved.
std::string_view withoutTail(std::string_view text);

/// A body as it is kept: in a column of text, whatever its bytes.
struct RecordedBody {
    enum Form : std::int64_t { None = 0, Whole = 1, Beginning = 2, AsBytes = 4 };

    std::int64_t form = None;
    /// UTF-8. With AsBytes each character from U+0000 to U+00FF stands for a byte.
    std::string text;

    /// Of a body of `size` bytes, of which `begin` is known: without its secrets, at most `keeps` bytes. Of types that
    /// are no text nothing is kept.
    static RecordedBody of(std::string_view begin, std::uint64_t size, std::string_view contentType, std::size_t keeps);

    bool isKept() const { return form != None; }
    bool isWhole() const { return (form & Whole) != 0; }
    bool isUtf8() const { return (form & AsBytes) == 0; }
    std::string bytes() const;
};

/// So much more than is kept has to be known of a body, that a secret at the end of what is kept is seen as one.
inline constexpr std::size_t SECRET_MARGIN = 1'024;

} // namespace supplierd::history

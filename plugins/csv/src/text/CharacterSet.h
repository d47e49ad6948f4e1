#pragma once

#include <Poco/TextEncoding.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace supplierd::csv {

/// The value is stored: append, never reorder.
enum class CharacterSet { Utf8 = 0, Utf16Le = 1, Utf16Be = 2, Windows1252 = 3 };

/// As clients write them, in the order of the values.
inline constexpr std::array<std::string_view, 4> CHARACTER_SETS{"utf-8", "utf-16le", "utf-16be", "windows-1252"};

/// Finds the character set of a file from all of its bytes: by its byte order mark, by zeros in every second byte, by
/// being UTF-8; what is none of these is Windows-1252, as Excel writes it.
class CharacterSetScan {
public:
    void add(std::string_view bytes);
    CharacterSet result() const;
    /// After the last bytes.
    bool isUtf8() const { return _isUtf8 && _rest.empty(); }

private:
    std::string _start; ///< the first bytes
    std::string _rest;  ///< the beginning of a character
    bool _isUtf8 = true;
};

/// Makes UTF-8 of a file's bytes, without its byte order mark. What is no character becomes U+FFFD.
class Decoder {
public:
    explicit Decoder(CharacterSet set);

    std::string decode(std::string_view bytes);

private:
    std::string convert(std::string_view bytes);

    std::unique_ptr<Poco::TextEncoding> _encoding; ///< null: UTF-8
    std::string _rest;
    bool _isAtStart = true;
};

} // namespace supplierd::csv

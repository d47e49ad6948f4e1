#pragma once

#include <supplierd/Json.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// The whole of a file; "-" is standard input. Throws std::filesystem::filesystem_error, and CommandFailure when it is
/// larger than 1 GiB.
std::string readInput(const std::string& path);

/// The orders of a JSON text: one order object, an array of them, or `{"orders": [ … ]}`. The text is checked as a
/// whole at the beginning; an order becomes an object when it is asked for, so that a large file needs little more
/// memory than its text. Thread: any, once made.
class OrderFile {
public:
    /// `name` is what messages call the text. Throws CommandFailure with it, line and column of what is no JSON.
    OrderFile(std::string text, std::string name);

    std::size_t size() const { return _parts.empty() ? _orders.size() : _parts.size(); }
    /// An element of the array, whatever it is.
    JsonDocument order(std::size_t index) const;

private:
    /// Bytes of the text.
    struct Part {
        std::size_t begin;
        std::size_t size;
    };
    class Splitter;

    void checkParts() const;
    /// `understood`: how many bytes the splitter made something of.
    void readWhole(std::size_t understood);
    std::string place(std::size_t byte) const;

    std::string _text;
    std::string _name;
    std::vector<Part> _parts;
    std::vector<JsonDocument> _orders; ///< instead of parts: what is no plain array of objects
};

} // namespace supplierd::host

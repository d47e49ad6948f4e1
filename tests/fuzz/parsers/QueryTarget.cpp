#include "host/gate/HeaderSyntax.h"
#include "tests/fuzz/parsers/FuzzTarget.h"

#include <supplierd/PercentDecoding.h>
#include <supplierd/Query.h>

#include <array>
#include <string>

namespace {

using namespace supplierd;
using tests::require;

constexpr std::array<std::string_view, 2> ALLOWED = {"name", "-name"};

void readEverything(const QueryParameters& parameters) {
    Details details;
    QueryReader reader(parameters, details);
    for (const auto* name : {"", "a", "page", "per_page", "q"}) {
        const auto text = reader.text(name, 10);
        const auto integer = reader.integer(name, -5, 5);
        require(!integer || (*integer >= -5 && *integer <= 5), "an integer beyond its limits");
        require(!text || text->size() <= 40, "a text beyond its limit");
        reader.oneOf(name, ALLOWED);
        reader.boolean(name);
        const auto time = reader.time(name);
        require(!time || time->size() >= 19, "a time that is none");
    }
    const auto page = reader.page();
    require(page.number >= 1 && page.perPage >= 1 && page.perPage <= 100 && page.offset() >= 0,
            "a page beyond its limits");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto raw = tests::bytesOf(data, size);
    Details details;
    const auto parameters = parseQuery(raw, details);
    for (const auto& [name, value] : parameters)
        require((name + value).find('\0') == std::string::npos, "a U+0000 was let through");
    if (!parameters.empty())
        for (const auto& value : listValues(raw, parameters.front().first))
            require(!value.empty() && value.find('\0') == std::string::npos, "a list with an empty value or a U+0000");
    readEverything(parameters);
    if (const auto decoded = percentDecoded(raw))
        require(decoded->size() <= size, "decoding made it longer");
    return 0;
}

#include "host/db/changes/PackedIds.h"

namespace supplierd::host {

namespace {

constexpr unsigned BITS = 7;
constexpr unsigned MAX_BITS = 64;
constexpr std::uint64_t MORE = std::uint64_t{1} << BITS;

void packNumber(std::string& out, std::uint64_t number) {
    for (; number >= MORE; number >>= BITS)
        out += static_cast<char>(number | MORE);
    out += static_cast<char>(number);
}

std::optional<std::uint64_t> unpackNumber(std::string_view& packed) {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < MAX_BITS && !packed.empty(); shift += BITS) {
        const auto byte = static_cast<unsigned char>(packed.front());
        packed.remove_prefix(1);
        number |= (byte & (MORE - 1)) << shift;
        if ((byte & MORE) == 0)
            return number;
    }
    return std::nullopt;
}

std::optional<std::vector<std::int64_t>> refuse(std::string_view& packed) {
    packed = {};
    return std::nullopt;
}

} // namespace

void packIds(std::string& out, const std::optional<std::vector<std::int64_t>>& ids) {
    packNumber(out, ids ? ids->size() : 0);
    if (!ids)
        return;
    std::uint64_t last = 0;
    for (const std::int64_t id : *ids) {
        packNumber(out, static_cast<std::uint64_t>(id) - last);
        last = static_cast<std::uint64_t>(id);
    }
}

std::optional<std::vector<std::int64_t>> unpackIds(std::string_view& packed) {
    const auto count = unpackNumber(packed);
    if (count && *count == 0)
        return std::nullopt;
    if (!count || *count > packed.size()) // each takes a byte at least
        return refuse(packed);
    std::vector<std::int64_t> ids;
    ids.reserve(*count);
    std::uint64_t last = 0;
    while (ids.size() < *count) {
        const auto distance = unpackNumber(packed);
        if (!distance)
            return refuse(packed);
        last += *distance;
        ids.push_back(static_cast<std::int64_t>(last));
    }
    return ids;
}

} // namespace supplierd::host

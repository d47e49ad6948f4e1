#include "Chance.h"

namespace supplierd::demo {

namespace {

/// FNV-1a.
std::uint64_t hash(std::string_view text, std::string_view purpose) {
    std::uint64_t value = 14'695'981'039'346'656'037ULL;
    for (const auto part : {text, purpose})
        for (const char c : part)
            value = (value ^ static_cast<unsigned char>(c)) * 1'099'511'628'211ULL;
    return value ^ (value >> 29U);
}

} // namespace

std::int64_t between(std::string_view object, std::string_view purpose, std::int64_t min, std::int64_t max) {
    return min + static_cast<std::int64_t>(hash(object, purpose) % static_cast<std::uint64_t>(max - min + 1));
}

} // namespace supplierd::demo

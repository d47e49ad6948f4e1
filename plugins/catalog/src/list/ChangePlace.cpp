#include "ChangePlace.h"

namespace supplierd::catalog {

namespace {

constexpr std::int64_t FIRST_PLACE = std::int64_t{1} << 52;
constexpr std::int64_t MAX_SEQ = (std::int64_t{1} << 32) - 1;
constexpr std::int64_t RESTS = std::int64_t{1} << 20;

} // namespace

std::optional<std::int64_t> ChangePlace::encode() const {
    if (seq > MAX_SEQ || rest >= RESTS)
        return std::nullopt;
    return FIRST_PLACE + seq * RESTS + rest;
}

std::optional<ChangePlace> ChangePlace::decode(std::int64_t number) {
    if (number < FIRST_PLACE || number >= 2 * FIRST_PLACE)
        return std::nullopt;
    return ChangePlace{(number - FIRST_PLACE) / RESTS, number % RESTS};
}

} // namespace supplierd::catalog

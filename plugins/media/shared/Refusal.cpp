#include "shared/Refusal.h"

#include <array>

namespace supplierd::media {
namespace {

struct Row {
    Refusal refusal;
    std::string_view code;
    std::string_view text;
};

constexpr std::array ROWS{
    Row{Refusal::TooLarge, "too_large", "image is larger than 5242880 bytes"},
    Row{Refusal::UnknownType, "type", "only JPEG, PNG and WebP images are accepted"},
    Row{Refusal::UnsupportedJpeg, "type", "only baseline and progressive 8-bit JPEG images are accepted"},
    Row{Refusal::Truncated, "damaged", "image is truncated"},
    Row{Refusal::Damaged, "damaged", "image is damaged"},
    Row{Refusal::Dimensions, "dimensions", "image has more than 40 megapixels or a side of more than 12000 pixels"},
    Row{Refusal::Animated, "animated", "animated images are not supported"},
    Row{Refusal::Undecodable, "damaged", "image could not be decoded"},
    Row{Refusal::TooSlow, "timeout", "image took too long to decode"},
};

const Row& rowOf(Refusal refusal) {
    for (const auto& row : ROWS)
        if (row.refusal == refusal)
            return row;
    return ROWS[static_cast<std::size_t>(Refusal::Undecodable) - 1];
}

} // namespace

std::string_view refusalCode(Refusal refusal) {
    return rowOf(refusal).code;
}

std::string_view refusalText(Refusal refusal) {
    return rowOf(refusal).text;
}

} // namespace supplierd::media

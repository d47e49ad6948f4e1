#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>

namespace supplierd::media {

/// Why a picture is not taken. The values travel between server and worker; the texts never do, so that a worker that
/// a hostile file took over cannot put words into the server's mouth.
enum class Refusal : std::uint8_t {
    TooLarge = 1,
    UnknownType,
    UnsupportedJpeg,
    Truncated,
    Damaged,
    Dimensions,
    Animated,
    Undecodable, ///< the decoder gave up, or the worker died of it
    TooSlow,     ///< the worker took longer than its limit and was ended
};

constexpr std::uint8_t LAST_WORKER_REFUSAL = static_cast<std::uint8_t>(Refusal::Undecodable);

/// The `code` of an image error in the API: too_large, type, damaged, dimensions, animated, timeout.
std::string_view refusalCode(Refusal refusal);
/// The `error` of it: one sentence for the supplier.
std::string_view refusalText(Refusal refusal);

/// Thrown wherever an image turns out not to be acceptable; the worker answers with its reason.
class RefusedImage : public std::exception {
public:
    explicit RefusedImage(Refusal reason) : _reason(reason) {}

    Refusal reason() const noexcept { return _reason; }
    const char* what() const noexcept override { return "image refused"; }

private:
    Refusal _reason;
};

} // namespace supplierd::media

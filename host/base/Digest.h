#pragma once

#include <array>
#include <string>
#include <string_view>

namespace supplierd::host {

/// The digits of base64url, by their value.
constexpr std::string_view BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

using Sha256Digest = std::array<unsigned char, 32>;

Sha256Digest sha256(std::string_view bytes);
std::string_view asBytes(const Sha256Digest& digest);
/// Without padding.
std::string base64url(std::string_view bytes);
/// Takes the same time wherever the two differ.
bool equalInConstantTime(std::string_view a, std::string_view b);

} // namespace supplierd::host

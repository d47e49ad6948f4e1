#pragma once

#include "shared/ImageType.h"

#include <optional>
#include <string>
#include <string_view>

namespace supplierd::media {

/// The folder part of a key, "3f/a0": 65,536 of them, so that none grows large.
std::string randomFolder();
/// A new key in that folder: "3f/a0/3fa0….jpg", 112 random bits in hexadecimal behind the folder's own.
std::string randomKey(std::string_view folder, ImageType type);

/// 128 random bits in hexadecimal.
std::string randomStoreId();

/// Whether the text has exactly the form of a key, and so cannot leave its store's root.
bool isMediaKey(std::string_view text);
/// By the extension; nothing when it is no key.
std::optional<ImageType> typeOfKey(std::string_view key);

constexpr std::size_t FOLDER_LENGTH = 5;

} // namespace supplierd::media

#pragma once

#include <supplierd/Assets.h>

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace supplierd::dashboard {

/// Texts by their names.
using Texts = std::map<std::string, std::string>;

/// As a JSON object.
std::string jsonOf(const Texts& texts);

/// By language ("en"): the embedded files `<folder>en.json`, and over them those of the same names in a folder of the
/// server ("": none). Throws std::runtime_error for a file that is no JSON object of texts.
std::map<std::string, Texts> readTexts(std::span<const EmbeddedAsset> assets, std::string_view folder,
                                       const std::filesystem::path& own);

/// Gives each language the English texts that it does not have; not those of one ("name.one"), where it has the text of
/// many.
void addMissing(std::map<std::string, Texts>& languages);

} // namespace supplierd::dashboard

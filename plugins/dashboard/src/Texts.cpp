#include "Texts.h"

#include <supplierd/Errors.h>
#include <supplierd/JsonBody.h>
#include <supplierd/JsonWriter.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace supplierd::dashboard {

namespace {

constexpr std::string_view JSON = ".json";
constexpr std::string_view OF_ONE = ".one";

Texts parseTexts(std::string json, const std::string& from) {
    Texts texts;
    try {
        const JsonDocument document = parseJsonObject(std::move(json));
        for (const auto& [name, value] : document.object())
            texts[std::string(name)] = value.isText() ? value.text() : "";
    } catch (const ApiError& problem) {
        throw std::runtime_error(from + " is no JSON object of texts: " + problem.message());
    }
    return texts;
}

} // namespace

std::string jsonOf(const Texts& texts) {
    std::string text;
    JsonWriter json(text);
    json.beginObject();
    for (const auto& [name, value] : texts)
        json.field(name, value);
    json.endObject();
    return text;
}

std::map<std::string, Texts> readTexts(std::span<const EmbeddedAsset> assets, std::string_view folder,
                                       const std::filesystem::path& own) {
    std::map<std::string, Texts> languages;
    for (const EmbeddedAsset& asset : assets)
        if (asset.path.starts_with(folder) && asset.path.ends_with(JSON)) {
            const auto name = asset.path.substr(folder.size());
            languages[std::string(name.substr(0, name.size() - JSON.size()))] =
                parseTexts(std::string(asset.bytes), std::string(asset.path));
        }
    if (own.empty())
        return languages;
    for (const auto& entry : std::filesystem::directory_iterator(own)) {
        if (entry.path().extension() != JSON)
            continue;
        std::ifstream file(entry.path());
        const std::string json{std::istreambuf_iterator<char>(file), {}};
        for (auto& [name, text] : parseTexts(json, entry.path().string()))
            languages[entry.path().stem().string()][name] = text;
    }
    return languages;
}

void addMissing(std::map<std::string, Texts>& languages) {
    const Texts& english = languages["en"];
    for (auto& [language, texts] : languages) {
        const Texts own = texts;
        for (const auto& [name, value] : english)
            if (!name.ends_with(OF_ONE) || !own.contains(name.substr(0, name.size() - OF_ONE.size())))
                texts.try_emplace(name, value);
    }
}

} // namespace supplierd::dashboard

#pragma once

#include "Texts.h"

#include <supplierd/Assets.h>
#include <supplierd/Request.h>
#include <supplierd/services/Dashboard.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::dashboard {

/// The files of `/dashboard/`: the page, scripts and styles whose names change with their bytes, and the texts of each
/// language, to which a folder of the operator's may add. Thread: any.
class WebFiles {
public:
    /// Texts that are read from `folder`, "" for none: "fr.json" adds a language, "en.json" replaces single texts.
    /// Throws std::runtime_error for a file that is no JSON object.
    WebFiles(const std::filesystem::path& folder, const Branding& branding);

    Response get(Request& request) const;

private:
    struct Text {
        std::string path; ///< "texts/en.json"
        std::string bytes;
        std::string tag;
    };

    Response page() const;
    void addText(const std::string& file, const Texts& texts);

    const Branding _branding;
    Assets _hashed;
    Assets _others;
    std::string _page;
    std::vector<Text> _texts;
    std::vector<EmbeddedAsset> _textAssets; ///< the same
    std::optional<Assets> _textFiles;
};

} // namespace supplierd::dashboard

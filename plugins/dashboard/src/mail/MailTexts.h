#pragma once

#include "MailMessage.h"
#include "Texts.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace supplierd::dashboard {

/// What mails say, in the reader's language and in the marketplace's name and colour. Thread: any.
class MailTexts {
public:
    struct Look {
        std::string name;
        std::string accent; ///< "#0b62a8"; "": the usual one
        std::string publicUrl;
    };
    /// `own`: a folder whose files add languages and replace texts, as that of the pages; "" for none. Throws
    /// std::runtime_error.
    MailTexts(Look look, const std::filesystem::path& own);

    struct Mail {
        std::string_view kind;
        std::string_view language;
        Texts values; ///< `name`, `store`, and what else the texts of the kind have between braces
        std::string url = {};
        bool isForOperator = false;
    };
    /// Values are texts that somebody typed: on one line, cut, and in HTML with its characters escaped.
    MailContent write(const Mail& mail) const;

    const std::string& name() const { return _look.name; }

private:
    Look _look;
    std::map<std::string, Texts> _languages;
};

} // namespace supplierd::dashboard

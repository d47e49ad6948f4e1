#include "MailSettings.h"

#include "MailMessage.h"

#include <Poco/Exception.h>
#include <Poco/String.h>
#include <Poco/URI.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace supplierd::dashboard {

namespace {

constexpr std::int64_t MIN_DIGEST = 60'000;
constexpr std::int64_t MAX_DIGEST = std::int64_t{1'000} * 3'600 * 24 * 7;

ConfigError wrongServer(const std::string& given) {
    return {"mail.server",
            "must be like \"smtp://mail.example:587\" or \"smtps://mail.example:465\"" +
                // What stands before an '@' may be a password.
                (given.find('@') == std::string::npos ? ", found \"" + given + "\"" : ", without a user")};
}

Poco::URI readServer(const std::string& given) {
    try {
        Poco::URI uri(Poco::toLower(given));
        const std::string& host = uri.getHost();
        const bool isHost = !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == ':';
        });
        const bool isBare = uri.getUserInfo().empty() && uri.getRawQuery().empty() && uri.getFragment().empty() &&
                            (uri.getPath().empty() || uri.getPath() == "/");
        if ((uri.getScheme() == "smtp" || uri.getScheme() == "smtps") && isHost && isBare)
            return uri;
    } catch (const Poco::SyntaxException&) { // NOLINT(bugprone-empty-catch): said below
    }
    throw wrongServer(given);
}

std::string serverOf(const Poco::URI& uri) {
    const std::string& host = uri.getHost();
    const int usual = uri.getScheme() == "smtps" ? 465 : 587;
    return uri.getScheme() + "://" + (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" +
           std::to_string(uri.getPort() != 0 ? uri.getPort() : usual);
}

bool isLoopback(const std::string& host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::string certificates(const Config& config) {
    const std::filesystem::path file = config.text("mail.trusted_certificates");
    if (!file.empty() && !file.is_absolute())
        throw ConfigError("mail.trusted_certificates", "must be a path that begins with /");
    if (!file.empty() && ::access(file.c_str(), R_OK) != 0)
        throw ConfigError("mail.trusted_certificates", "there is no file " + file.string() + " that can be read");
    return file.string();
}

} // namespace

void addMailKeys(std::vector<ConfigKey>& keys) {
    keys.push_back({"mail.server", ConfigType::Text, "\"\"",
                    "The server that takes mails, \"smtp://mail.example:587\"; empty: nobody gets any"});
    keys.push_back({"mail.user", ConfigType::Text, "\"\"", "The name to sign in with there; empty: without"});
    keys.push_back({.name = "mail.password",
                    .type = ConfigType::Text,
                    .defaultValue = "\"\"",
                    .help = "The password that belongs to it",
                    .secret = true});
    keys.push_back({"mail.from", ConfigType::Text, "\"\"", "The address that mails come from"});
    keys.push_back({"mail.starttls", ConfigType::Text, "\"auto\"",
                    "STARTTLS with smtp://: \"auto\" (but on this machine), \"always\" or \"never\""});
    keys.push_back({"mail.trusted_certificates", ConfigType::Text, "\"\"",
                    "A file with the certificates to trust instead of the system's"});
    keys.push_back({"mail.digest_interval", ConfigType::Duration, "\"15m\"",
                    "New orders of so long a time are in one mail", MIN_DIGEST, MAX_DIGEST});
}

std::optional<MailSettings> readMailSettings(const Config& config, const std::string& publicUrl) {
    MailSettings settings;
    const std::string given = config.text("mail.server");
    if (given.empty())
        return std::nullopt;
    const Poco::URI uri = readServer(given);
    settings.server = serverOf(uri);
    settings.user = config.text("mail.user");
    settings.password = config.text("mail.password");
    if (settings.user.empty() != settings.password.empty())
        throw ConfigError(settings.user.empty() ? "mail.user" : "mail.password",
                          "is needed: a user has a password, and a password a user");
    settings.from = Poco::toLower(config.text("mail.from"));
    if (!isMailAddress(settings.from))
        throw ConfigError("mail.from", "must be an e-mail address such as \"noreply@market.example\"");
    const std::string starttls = config.text("mail.starttls");
    if (starttls != "auto" && starttls != "always" && starttls != "never")
        throw ConfigError("mail.starttls", "must be \"auto\", \"always\" or \"never\", found \"" + starttls + "\"");
    const bool isHere = isLoopback(uri.getHost());
    settings.isEncrypted = uri.getScheme() == "smtps" || starttls == "always" || (starttls == "auto" && !isHere);
    if (!settings.isEncrypted && !isHere && !settings.user.empty())
        throw ConfigError("mail.starttls", "must not be \"never\": a password would go over the network in clear");
    settings.trustedCertificates = certificates(config);
    settings.digestInterval = std::chrono::duration_cast<std::chrono::seconds>(config.duration("mail.digest_interval"));
    if (publicUrl.empty())
        throw ConfigError("public_url", "is needed for mails, whose links begin with it");
    return settings;
}

} // namespace supplierd::dashboard

#pragma once

#include <supplierd/Config.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::dashboard {

/// The table `[plugins.dashboard.mail]`.
struct MailSettings {
    std::string server; ///< "smtp://mail.example:587", "smtps://mail.example:465"
    std::string user;   ///< "": the server asks for none
    std::string password;
    std::string from;
    std::string trustedCertificates; ///< a file; "": those of the system
    bool isEncrypted = true;
    std::chrono::seconds digestInterval{std::chrono::minutes(15)};

    /// "mail.example:587", for people.
    std::string place() const { return server.substr(server.find("://") + 3); }
};

void addMailKeys(std::vector<ConfigKey>& keys);
/// Nothing without a server. Throws ConfigError.
std::optional<MailSettings> readMailSettings(const Config& config, const std::string& publicUrl);

} // namespace supplierd::dashboard

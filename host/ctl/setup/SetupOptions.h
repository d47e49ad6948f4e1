#pragma once

#include <optional>
#include <string>

namespace supplierd::host {

/// What `supplierctl setup` was told on its command line; empty: as the configuration says, else asked or decided.
struct SetupOptions {
    std::string databaseHost;
    std::optional<unsigned> databasePort;
    std::string databaseSocket;
    std::string databaseName;
    std::string databaseUser;
    std::string accountHost;
    std::string authentication; ///< "password" or "unix_socket"
    std::string passwordFile;   ///< the account's, when it exists already
    bool resetPassword = false;

    std::string adminUser;
    std::string adminPasswordFile; ///< "-": standard input

    std::string keyName;
    bool newOperatorKey = false;
    bool noOperatorKey = false;
    bool yes = false;
};

} // namespace supplierd::host

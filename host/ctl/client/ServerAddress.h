#pragma once

#include <string>

namespace CLI {
class App;
}

namespace supplierd::host {

/// Where the server is, and how to show who is calling. One of `socket` and `url` is empty.
struct ServerAddress {
    std::string socket; ///< of this machine's server, which sees by itself who calls
    std::string url;    ///< "https://api.market.example", without a '/' at its end
    std::string key;    ///< an operator's, for `url`
    std::string caFile; ///< of a private certificate authority; empty: those of the system

    /// For messages: "the server at /run/supplierd/control.sock".
    std::string describe() const;
};

/// The options that name another server than the one of this machine. Lifetime: as long as the command line.
class ServerOptions {
public:
    /// --server, --key-file, --ca-file and --profile, of every command. The environment serves for each of them:
    /// SUPPLIERD_SERVER, SUPPLIERD_KEY_FILE, SUPPLIERD_CA_FILE and SUPPLIERD_PROFILE; SUPPLIERD_KEY is the key itself.
    void addTo(CLI::App& program);

    /// From the options, then the profile, then the environment; otherwise the server of this machine, whose socket the
    /// configuration names if this user may read it. Throws CommandFailure that says what to do.
    ServerAddress resolve(const std::string& configFile) const;
    /// Whether the command line names another server than this machine's.
    bool isGiven() const { return !_server.empty() || !_profile.empty(); }

private:
    std::string _server;
    std::string _keyFile;
    std::string _caFile;
    std::string _profile;
};

} // namespace supplierd::host

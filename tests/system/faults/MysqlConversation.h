#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::tests {

/// Follows the two directions of one connection of the MySQL protocol and tells which SQL each packet of the client
/// runs, for prepared statements too. Without TLS and compression. Thread: one.
class MysqlConversation {
public:
    /// One whole packet of the client.
    struct Packet {
        std::string bytes;
        std::string sql; ///< what it runs; empty for the login, for preparing and for everything else
    };

    void fromClient(std::string_view bytes) { _client.append(bytes); }
    /// The client's next packet, once all of it is there.
    std::optional<Packet> nextPacket();
    /// Looks for the number that the server gives to a statement which the client prepares.
    void fromServer(std::string_view bytes);

private:
    std::string sqlOf(std::string_view payload);

    std::string _client;
    std::string _preparing; ///< the text whose number is awaited
    std::string _reply;
    std::map<std::uint32_t, std::string> _prepared;
};

} // namespace supplierd::tests

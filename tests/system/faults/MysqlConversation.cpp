#include "tests/system/faults/MysqlConversation.h"

namespace supplierd::tests {
namespace {

constexpr std::size_t HEADER = 4;
constexpr char COM_QUERY = 0x03;
constexpr char COM_STMT_PREPARE = 0x16;
constexpr char COM_STMT_EXECUTE = 0x17;
constexpr char REPLY_OK = 0x00;
constexpr std::size_t NUMBER = 4;

std::uint32_t littleEndian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;)
        value = value << 8U | static_cast<unsigned char>(bytes[i]);
    return value;
}

} // namespace

std::optional<MysqlConversation::Packet> MysqlConversation::nextPacket() {
    if (_client.size() < HEADER)
        return std::nullopt;
    const std::size_t size = HEADER + littleEndian(std::string_view(_client).substr(0, 3));
    if (_client.size() < size)
        return std::nullopt;
    Packet packet{_client.substr(0, size), {}};
    _client.erase(0, size);
    // The number within the exchange: a command begins one, what the login consists of does not.
    if (packet.bytes[3] == 0 && size > HEADER)
        packet.sql = sqlOf(std::string_view(packet.bytes).substr(HEADER));
    return packet;
}

std::string MysqlConversation::sqlOf(std::string_view payload) {
    switch (payload[0]) {
    case COM_QUERY:
        return std::string(payload.substr(1));
    case COM_STMT_PREPARE:
        _preparing = payload.substr(1);
        _reply.clear();
        return {};
    case COM_STMT_EXECUTE:
        return _prepared[littleEndian(payload.substr(1, NUMBER))];
    default:
        return {};
    }
}

void MysqlConversation::fromServer(std::string_view bytes) {
    if (_preparing.empty())
        return;
    _reply.append(bytes);
    if (_reply.size() < HEADER + 1 + NUMBER)
        return;
    if (_reply[HEADER] == REPLY_OK)
        _prepared[littleEndian(std::string_view(_reply).substr(HEADER + 1, NUMBER))] = _preparing;
    _preparing.clear();
}

} // namespace supplierd::tests

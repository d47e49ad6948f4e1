#include <supplierd/Database.h>

#include <algorithm>
#include <array>

namespace supplierd {

bool DatabaseError::isConnectionLost() const noexcept {
    // The client library's (2xxx), and the server's for a shutdown, a killed or broken connection.
    static constexpr std::array<unsigned, 25> CODES{1053, 1077, 1079, 1080, 1152, 1154, 1155, 1156, 1157,
                                                    1158, 1159, 1160, 1161, 1184, 1927, 2002, 2003, 2004,
                                                    2005, 2006, 2012, 2013, 2026, 2027, 2055};
    return std::find(CODES.begin(), CODES.end(), _code) != CODES.end();
}

} // namespace supplierd

#include "host/base/Random.h"

#include <Poco/Exception.h>

#include <sys/random.h>

#include <cerrno>

namespace supplierd::host {

void fillRandom(unsigned char* to, std::size_t size) {
    while (size > 0) {
        const auto got = getrandom(to, size, 0);
        if (got < 0) {
            if (errno == EINTR)
                continue;
            throw Poco::SystemException("getrandom failed", errno);
        }
        to += got;
        size -= static_cast<std::size_t>(got);
    }
}

} // namespace supplierd::host

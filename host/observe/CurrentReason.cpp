#include "host/observe/CurrentReason.h"

#include <exception>

namespace supplierd::host {

std::string currentReason() {
    try {
        throw;
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "it threw something that is no std::exception";
    }
}

} // namespace supplierd::host

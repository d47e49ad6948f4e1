#pragma once

#include <exception>
#include <string>

namespace supplierd::host {

/// What left a plugin's function, as text. Within `catch (...)` only.
inline std::string currentReason() {
    try {
        throw;
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "it threw something that is no std::exception";
    }
}

} // namespace supplierd::host

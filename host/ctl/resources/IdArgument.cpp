#include "host/ctl/resources/IdArgument.h"

#include <fmt/format.h>

#include <charconv>

namespace supplierd::host {

CLI::Validator idOf(const std::string& what) {
    const auto check = [what](const std::string& given) {
        std::int64_t id = 0;
        const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), id);
        if (error == std::errc() && end == given.data() + given.size() && id > 0)
            return std::string();
        return fmt::format("'{}' is no {} id, which is a whole number from 1", given, what);
    };
    return {check, ""};
}

CommandFailure noSuchSupplier(std::int64_t id) {
    return CommandFailure(fmt::format("there is no supplier {}; see `supplierctl supplier list`", id));
}

} // namespace supplierd::host

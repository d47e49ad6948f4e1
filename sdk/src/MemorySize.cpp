#include <supplierd/MemorySize.h>

#include <unistd.h>

namespace supplierd {

std::size_t memorySize(const Config& config, std::string_view key) {
    const auto wanted = static_cast<std::uint64_t>(config.size(key));
    const auto machine =
        static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    if (wanted > machine)
        throw ConfigError(std::string(key), "is more than the memory of this machine, " + std::to_string(machine) +
                                                " bytes; give it less");
    return static_cast<std::size_t>(wanted);
}

} // namespace supplierd

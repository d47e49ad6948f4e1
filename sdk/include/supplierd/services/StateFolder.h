#pragma once

#include <supplierd/Abi.h>

#include <string>
#include <string_view>

namespace supplierd {

/// A service of the host: a folder of the plugin's own on this server, `<server.state_dir>/<plugin>`, for what can be
/// made anew (caches, files on their way): other servers have their own, and a backup of the database does not hold it.
/// `supplierctl plugin remove --data` removes it. Thread: any. Since 1.0.
class SUPPLIERD_API StateFolder {
public:
    static constexpr std::string_view ID = "supplierd.state-folder/1";

    /// Makes the folder (mode 0700) when it is not there, so call it when it is needed, not in start(). Throws
    /// std::runtime_error that names the folder.
    virtual std::string path() = 0;

protected:
    ~StateFolder() = default;
};

} // namespace supplierd

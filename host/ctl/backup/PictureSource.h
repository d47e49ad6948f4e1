#pragma once

#include "host/config/Settings.h"
#include "host/ctl/backup/BackupFiles.h"
#include "host/plugins/PluginSet.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace supplierd::host {

class ControlContext;

/// Where the plugin of the images keeps them, by the configuration.
struct PictureStore {
    std::filesystem::path folder; ///< empty: none is used
    bool isInS3 = false;          ///< some or all of them

    /// Nothing is used where the plugin is not enabled.
    static PictureStore configured(const Settings& settings, const PluginSet& plugins);
    bool isUsed() const { return isInS3 || !folder.empty(); }
};

/// The stored pictures, for a backup. While the object lives no server removes one. Thread: one.
class PictureSource {
public:
    /// By a server of the database that runs; where none does, nobody removes any, and a folder is read by itself.
    /// Throws CommandFailure: none can be reached, or only a server reads that store.
    static std::unique_ptr<PictureSource> open(ControlContext& context, const PictureStore& store);
    virtual ~PictureSource() = default;

    /// What the database has while removals are held back, in a setting's name; "" when there is no such thing.
    virtual std::string token() const { return {}; }
    /// To be called often. Throws CommandFailure when pictures may have been removed.
    virtual void stay() = 0;
    /// The same, at the end.
    virtual void requireStayed() = 0;
    /// Which store it is; "" for a new one.
    virtual std::string storeId() = 0;
    /// Copies each below `folder`, and tells of it. What `copied` throws ends the work.
    virtual void copyTo(const std::filesystem::path& folder, const std::function<void(BackupFile)>& copied) = 0;
};

} // namespace supplierd::host

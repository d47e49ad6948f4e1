#pragma once

#include <supplierd/services/Crypto.h>
#include <supplierd/services/StateFolder.h>

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::dashboard {

/// Seals the secrets of second factors, so that a copy of the database makes no codes: AES-256-GCM, with a key for each
/// user that is derived from a file which is in no database. Thread: any. Errors: std::runtime_error when the file can
/// be neither read nor made.
class SecretBox {
public:
    /// `file`: that of the configuration, which all servers of one database share; empty: one in the state folder, made
    /// with the first secret.
    SecretBox(Crypto& crypto, StateFolder& folder, std::filesystem::path file)
        : _crypto(crypto), _folder(folder), _file(std::move(file)) {}

    std::string seal(std::string_view secret, std::int64_t userId);
    /// Nothing when it was sealed for somebody else, with another file, or was changed. Makes no file.
    std::optional<std::string> open(std::string_view sealed, std::int64_t userId);

    /// Reads the file of the configuration, if there is one.
    void check();
    std::filesystem::path file();
    /// Whether users of this machine who are neither its owner nor in its group can read it.
    bool isOpenToAll();

private:
    static std::string keyOf(Crypto& crypto, const std::string& master, std::int64_t userId);
    /// "": there is no file yet, and none was to be made.
    std::string master(bool makesFile);
    void makeFile(const std::filesystem::path& file);

    Crypto& _crypto;
    StateFolder& _folder;
    std::filesystem::path _file;
    std::mutex _mutex;
    std::string _master;
};

} // namespace supplierd::dashboard

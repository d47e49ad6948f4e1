#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace supplierd::tests {

/// What is mounted by the calling thread, and by processes that it starts, is seen by them alone from now on, and goes
/// with them. False where that is not allowed: a test then says so and is skipped.
bool enterPrivateMounts();

/// Whether the program ended well.
bool succeeds(std::vector<std::string> command);

/// A file system in memory, mounted at a folder as long as the object lives.
class SmallFileSystem {
public:
    /// `size` as mount takes it: "2M".
    SmallFileSystem(std::filesystem::path folder, const std::string& size);
    ~SmallFileSystem();
    SmallFileSystem(const SmallFileSystem&) = delete;
    SmallFileSystem& operator=(const SmallFileSystem&) = delete;

    bool isMounted() const { return _isMounted; }
    /// Fails when it cannot be done.
    void makeReadOnly(bool readOnly) const;
    /// Until not one byte fits any more, and without it again.
    void fill() const;
    void drain() const;

private:
    std::filesystem::path _folder;
    bool _isMounted;
};

/// A file system in a file, whose copy is what a power cut at that moment leaves on the disk.
class FileSystemInFile {
public:
    /// In a folder of its own.
    explicit FileSystemInFile(std::filesystem::path folder);
    ~FileSystemInFile();
    FileSystemInFile(const FileSystemInFile&) = delete;
    FileSystemInFile& operator=(const FileSystemInFile&) = delete;

    bool mount();
    std::filesystem::path root() const { return _folder / "present"; }

    /// The file system as it would be found after a power cut now, mounted until release(); empty when it cannot be.
    std::filesystem::path afterPowerCut();
    void release() const;

private:
    std::filesystem::path _folder;
};

} // namespace supplierd::tests

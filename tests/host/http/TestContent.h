#pragma once

#include <supplierd/Response.h>

#include <string>

namespace supplierd::tests {

/// Letters without a rhythm, so that a part cannot be taken for another; a shorter one is the begin of a longer one.
std::string patternBytes(std::size_t size);

/// A content in memory that gives its pieces, without a descriptor.
class MemoryContent : public Content {
public:
    explicit MemoryContent(std::string bytes) : _bytes(std::move(bytes)) {}

    std::uint64_t size() const override { return _bytes.size(); }
    std::string read(std::uint64_t offset, std::size_t wanted) const override {
        return _bytes.substr(static_cast<std::size_t>(offset), wanted);
    }

private:
    const std::string _bytes;
};

/// A content in an unnamed file, which read() never touches.
class FileContent : public Content {
public:
    explicit FileContent(const std::string& bytes);
    ~FileContent() override;

    std::uint64_t size() const override { return _size; }
    std::string read(std::uint64_t offset, std::size_t wanted) const override;
    int descriptor() const override { return _descriptor; }
    /// Cuts the file, as nobody may while it is served.
    void truncate(std::uint64_t size) const;

private:
    const std::uint64_t _size;
    const int _descriptor;
};

/// Endless enough to fill every buffer on the way: `size` bytes that nobody stores.
class WideContent : public Content {
public:
    explicit WideContent(std::uint64_t size) : _size(size) {}

    std::uint64_t size() const override { return _size; }
    std::string read(std::uint64_t, std::size_t wanted) const override { return std::string(wanted, 'w'); }

private:
    const std::uint64_t _size;
};

} // namespace supplierd::tests

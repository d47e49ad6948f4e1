#pragma once

#include "MediaStore.h"

#include <sys/stat.h>

#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

namespace supplierd::media {

/// `MediaStore::list` of a folder tree, given by its root's descriptor. Throws MediaStoreError.
std::vector<MediaEntry> listFiles(int root, std::string_view after, std::size_t limit);

std::chrono::system_clock::time_point modifiedAt(const struct stat& file);

/// The plain names in a folder, sorted, without "." and "..". Empty when the folder is not there.
std::vector<std::string> sortedNames(int parent, const char* folder);

} // namespace supplierd::media

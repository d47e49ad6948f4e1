#include "host/gate/CollectedBody.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace supplierd::host {

void CollectedBody::spill() {
    if (!_file)
        _file.emplace();
    _file->append(_bytes);
    _bytes.clear();
}

std::string CollectedBody::take() {
    std::string all;
    if (_file) {
        all = _file->read(0, static_cast<std::size_t>(_file->size()));
        all += _bytes;
        std::string().swap(_bytes);
    } else
        all = std::exchange(_bytes, {});
    _at = size();
    return all;
}

std::size_t CollectedBody::read(std::span<char> to) {
    const auto written = this->written();
    if (_at < written) {
        const auto got = _file->readSome(_at, to.data(),
                                         static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), written - _at)));
        _at += got;
        return got;
    }
    const auto from = static_cast<std::size_t>(_at - written);
    const auto size = std::min(to.size(), _bytes.size() - from);
    std::memcpy(to.data(), _bytes.data() + from, size);
    _at += size;
    return size;
}

std::string_view CollectedBody::begin(std::size_t size) const {
    return !_file ? std::string_view(_bytes).substr(0, size) : std::string_view();
}

void CollectedBody::clear() {
    _file.reset();
    std::string().swap(_bytes);
    _memory = SIZE_MAX;
    _at = 0;
}

} // namespace supplierd::host

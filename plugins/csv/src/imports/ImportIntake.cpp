#include "imports/ImportIntake.h"

#include <exception>
#include <string>
#include <utility>

namespace supplierd::csv {

namespace {

constexpr std::size_t PIECE = 256 * 1'024;

/// Removes an import whose file turns out to be none, however its intake ends.
class Unaccepted {
public:
    Unaccepted(ImportStore& store, std::int64_t id) : _store(store), _id(id) {}
    ~Unaccepted() {
        if (_isAccepted)
            return;
        try {
            _store.remove(_id);
        } catch (const std::exception&) {
            return; // it is given up later, see ImportStore::giveUpReceiving()
        }
    }
    Unaccepted(const Unaccepted&) = delete;
    Unaccepted& operator=(const Unaccepted&) = delete;

    void accept() { _isAccepted = true; }

private:
    ImportStore& _store;
    std::int64_t _id;
    bool _isAccepted = false;
};

} // namespace

std::pair<std::shared_ptr<AwaitedUploads::Place>, std::int64_t> AwaitedUploads::add(std::int64_t supplierId) {
    auto place = std::make_shared<Place>(*this, supplierId);
    const std::lock_guard lock(_mutex);
    return {std::move(place), ++_counts[supplierId]};
}

void AwaitedUploads::Place::end() {
    if (std::exchange(_isEnded, true))
        return;
    const std::lock_guard lock(_uploads._mutex);
    if (--_uploads._counts[_supplierId] == 0)
        _uploads._counts.erase(_supplierId);
}

std::shared_ptr<AwaitedUploads::Place> ImportIntake::admit(std::int64_t supplierId) {
    auto [place, number] = _awaited.add(supplierId);
    if (number > _atOnce || number + _store.underWay(supplierId) > _atOnce)
        throw tooManyImports(_atOnce);
    return std::move(place);
}

void ImportIntake::take(ImportRecord import, const GivenFormat& format, const Read& read, const Accept& accept,
                        AwaitedUploads::Place* place) {
    import.id = _store.begin(import, _atOnce);
    if (place)
        place->end();
    Unaccepted unaccepted(_store, import.id);
    _store.removeSurplus(import.supplierId, _most);
    CharacterSetScan scan;
    import.fileBytes = receive(read, import.id, scan);
    try {
        const FileSurvey survey = surveyFile(_store, import.id, scan, format);
        import.format = survey.format;
        import.heading = survey.heading;
        import.headingRow = survey.headingRow;
        import.rowsTotal = survey.rows;
    } catch (const FileProblem& problem) {
        throw ApiError::validation({{"file", "unsupported", problem.what()}});
    }
    accept(import);
    unaccepted.accept();
}

void ImportIntake::enqueue(Transaction& transaction, const ImportRecord& import) {
    ImportStore::receive(transaction, import);
    _jobs.wake(transaction, import.fetchesImages() ? IMAGES_JOB : IMPORT_JOB);
}

std::int64_t ImportIntake::receive(const Read& read, std::int64_t id, CharacterSetScan& scan) {
    std::string piece(PIECE, '\0');
    std::int64_t bytes = 0;
    for (std::int64_t number = 0;; ++number) {
        std::size_t size = 0;
        for (std::size_t got = 1; got > 0 && size < PIECE; size += got)
            got = read(std::span(piece).subspan(size));
        if (size == 0)
            return bytes;
        const std::string_view part = std::string_view(piece).substr(0, size);
        scan.add(part);
        _store.addPiece(id, number, part);
        bytes += static_cast<std::int64_t>(size);
    }
}

} // namespace supplierd::csv

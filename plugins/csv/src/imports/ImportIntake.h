#pragma once

#include "imports/ImportFile.h"
#include "imports/ImportStore.h"

#include <supplierd/services/Jobs.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>

namespace supplierd::csv {

/// What it does is work on the database alone.
inline constexpr std::string_view IMPORT_JOB = "import";
/// For those that fetch images: nobody else waits for other people's servers.
inline constexpr std::string_view IMAGES_JOB = "import-images";

/// Uploads that are on their way and have no slot of the database yet, by supplier. Thread: any.
class AwaitedUploads {
public:
    /// One of them, until end() or its destruction. Lifetime: the AwaitedUploads'. Thread: one at a time.
    class Place {
    public:
        Place(AwaitedUploads& uploads, std::int64_t supplierId) : _uploads(uploads), _supplierId(supplierId) {}
        ~Place() { end(); }
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;

        void end();

    private:
        AwaitedUploads& _uploads;
        const std::int64_t _supplierId;
        bool _isEnded = false;
    };

    /// One more of the supplier, and which of them it is, from 1.
    std::pair<std::shared_ptr<Place>, std::int64_t> add(std::int64_t supplierId);

private:
    std::mutex _mutex;
    std::map<std::int64_t, std::int64_t> _counts;
};

/// Takes files in, from a request or from a terminal. What it is made with outlives it. Thread: any.
class ImportIntake {
public:
    /// The next bytes of the file, 0 at its end: as BodyStream::read().
    using Read = std::function<std::size_t(std::span<char>)>;
    /// Calls enqueue() within a transaction.
    using Accept = std::function<void(const ImportRecord&)>;

    ImportIntake(ImportStore& store, Jobs& jobs, std::int64_t atOnce, const ImportRetention& most)
        : _store(store), _jobs(jobs), _atOnce(atOnce), _most(most) {}

    /// Before a file is received; throws ApiError (Validation) as take(). What it returns is for take().
    std::shared_ptr<AwaitedUploads::Place> admit(std::int64_t supplierId);
    /// Stores the file, looks through it, and has it accepted; when any of that throws, nothing of it stays. Throws
    /// ApiError: Validation when too many imports of the supplier are under way, and for a file of which none can
    /// be made; what `read` and `accept` throw.
    /// `place`: of admit(); null when the file is here already.
    void take(ImportRecord import, const GivenFormat& format, const Read& read, const Accept& accept,
              AwaitedUploads::Place* place = nullptr);
    /// From now on it waits for the job, which is woken.
    void enqueue(Transaction& transaction, const ImportRecord& import);

private:
    std::int64_t receive(const Read& read, std::int64_t id, CharacterSetScan& scan);

    ImportStore& _store;
    Jobs& _jobs;
    std::int64_t _atOnce;
    ImportRetention _most;
    AwaitedUploads _awaited;
};

} // namespace supplierd::csv

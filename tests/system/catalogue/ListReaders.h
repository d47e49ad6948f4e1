#pragma once

#include "AnswerCheck.h"
#include "ListServers.h"

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

/// Threads that ask all servers for lists of every kind, walk through them from server to server, and read single
/// products. They keep every answer.
class ListReaders {
public:
    ListReaders(ListServers& servers, unsigned seed);
    ~ListReaders();

    void finish();
    std::vector<AnswerPointer> takeAnswers() { return std::move(_answers); }
    /// Those that are no good answers, such as "503"; with what was wrong.
    const std::map<std::string, std::size_t>& failures() const { return _failures; }
    std::size_t unchanged() const { return _unchanged; }

private:
    struct Reader;

    void run(unsigned seed);
    void readList(Reader& reader);
    void walk(Reader& reader);
    void followChanges(Reader& reader);
    void readProduct(Reader& reader);
    AnswerPointer ask(Reader& reader, const std::string& path, AnswerPointer answer);
    /// The same again with the tag of an answer: the same number when it is unchanged.
    void askAgain(Reader& reader, const std::string& path, const RecordedAnswer& answer);
    void fail(const std::string& what);

    ListServers& _servers;
    std::atomic<bool> _stopping{false};
    std::mutex _mutex;
    std::vector<AnswerPointer> _answers;
    std::map<std::string, std::size_t> _failures;
    std::size_t _unchanged = 0;
    std::vector<std::thread> _threads;
};

} // namespace supplierd::tests

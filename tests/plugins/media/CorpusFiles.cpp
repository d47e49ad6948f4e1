#include "tests/plugins/media/CorpusFiles.h"

#include "tests/support/ChildProcess.h"

#include <cstdio>
#include <filesystem>
#include <set>
#include <sstream>

namespace supplierd::tests {
namespace {

std::vector<std::string> fieldsOf(const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, '\t');)
        fields.push_back(field);
    return fields;
}

void readFolder(const std::filesystem::path& folder, std::vector<CorpusFile>& files) {
    std::istringstream table(readWholeFile(folder / "open.tsv"));
    std::string line;
    std::getline(table, line); // the heading
    while (std::getline(table, line)) {
        const auto fields = fieldsOf(line);
        if (fields.size() < 6)
            continue;
        files.push_back({folder.filename().string(), fields[0], fields[3].substr(0, fields[3].find(':')), fields[5],
                         readWholeFile(folder / "open" / fields[0])});
    }
}

} // namespace

std::optional<std::string> CorpusFile::expectedCode() const {
    if (group.starts_with("apng")) // the README's rule over the table's
        return "animated";
    if (name == "pil_ultrahdr.jpg") // has headers and no pixels: the README's rule about truncated files
        return "damaged";
    if (group == "animated")
        return "animated";
    if (expected == "accept")
        return "";
    return std::nullopt;
}

bool CorpusFile::allows(const std::string& code) const {
    const auto due = expectedCode();
    return due ? *due == code : expected != "reject" || !code.empty();
}

std::vector<CorpusFile> corpusFiles() {
    const std::filesystem::path corpora = SUPPLIERD_TEST_SOURCE_DIR "/../shared/corpora";
    std::vector<CorpusFile> files;
    if (!std::filesystem::exists(corpora)) {
        std::printf("skipped, no %s ... ", corpora.c_str());
        return files;
    }
    std::set<std::filesystem::path> folders;
    for (const auto& entry : std::filesystem::directory_iterator(corpora))
        if (entry.path().filename().string().starts_with("img-"))
            folders.insert(entry.path());
    for (const auto& folder : folders)
        readFolder(folder, files);
    return files;
}

} // namespace supplierd::tests

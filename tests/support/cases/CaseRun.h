#pragma once

#include "tests/support/OperatorClient.h"
#include "tests/support/cases/CaseFile.h"
#include "tests/support/cases/CaseValues.h"

#include <cppunit/Exception.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

/// Runs the cases of a group on fixture(), with clients of their own. Thread: one.
class CaseRun {
public:
    /// `file` has to outlive this object.
    explicit CaseRun(const CaseFile& file);

    /// Throws CppUnit::Exception with every case that failed.
    void run(const CaseGroup& group);

    static CppUnit::Exception failure(const std::string& path, std::size_t line, const std::string& text);

private:
    struct Caller {
        std::shared_ptr<HttpClient> http;
        SupplierClient* supplier = nullptr;
        OperatorClient* op = nullptr;
        bool hasEveryScope = false;
    };
    struct Request {
        std::string method;
        std::string path;
        HttpHeaders headers;
        std::string body;
    };
    /// "NAME = CLIENT> what => expected"
    struct Parts {
        std::string name;
        std::string client;
        std::string what;
        bool hasExpectation = false;
        std::string expected;
    };

    void runStep(const CaseStep& step);
    void runEach(const CaseStep& step);
    bool runWord(const std::string& word, const std::string& rest, const CaseStep& step);
    void runClient(const std::string& text);
    void runSql(const Parts& parts);
    void runImport(const Parts& parts, const CaseStep& step);
    void runRequest(const Parts& parts, const CaseStep& step);
    void runItems(const Parts& parts, const CaseStep& step);
    void runTotals();

    static Parts partsOf(const std::string& text);
    std::string bodyOf(const CaseStep& step) const;
    Request requestOf(const std::string& text) const;
    HttpResponse send(const Parts& parts, const Request& request);
    Json expectedError(const Parts& item, std::size_t index) const;
    /// Those below a step, one for each turn of their loops.
    std::vector<CaseStep> itemsOf(const std::vector<CaseStep>& items);
    HttpResponse exchange(const Parts& parts, const Request& request, const std::string& expected);
    void keep(const std::string& name, const HttpResponse& response);

    Caller& caller(const std::string& name);
    std::optional<CaseValue> builtIn(const std::string& name);
    template <class Turn>
    void eachTurn(const CaseStep& step, const Turn& turn);

    const CaseFile& _file;
    CaseValues _values;
    std::map<std::string, Caller> _callers;
    std::string _as = "supplier";
    std::string _base;
    int _next = 0;
    std::string _sent; ///< for messages
    std::vector<CaseStep> _finally;
};

} // namespace supplierd::tests

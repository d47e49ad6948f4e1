#include "tests/support/Control.h"
#include "tests/support/Places.h"
#include "tests/support/ServerFixture.h"
#include "tests/support/Test.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace supplierd::tests {

/// What an operator could do once, he can do still: the file `commands` beside this one.
class CommandListTest : public CppUnit::TestFixture {};

TEST(CommandListTest, everyCommandIsThereWithItsArgumentsAndOptions) {
    std::ifstream file(sourcePath("tests/host/ctl/commands"));
    std::string missing;
    int commands = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.starts_with("#"))
            continue;
        std::istringstream words(line);
        std::vector<std::string> command;
        std::vector<std::string> inputs;
        for (std::string word; words >> word;)
            (word.starts_with("-") || std::isupper(static_cast<unsigned char>(word.front())) ? inputs : command)
                .push_back(word);
        command.emplace_back("--help");
        const auto help = runControl(fixture().server(), command);
        ++commands;
        if (help.exitCode != 0)
            missing += line + ": " + help.errors;
        for (const auto& input : inputs)
            if (help.output.find(input) == std::string::npos)
                missing += line + ": no " + input + "\n";
    }
    CPPUNIT_ASSERT_EQUAL(std::string(), missing);
    CPPUNIT_ASSERT(commands > 60);
}

} // namespace supplierd::tests

#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace supplierd::tests {

/// A fenced code block of a guide: "```python sync.py".
struct GuideBlock {
    std::string language;
    std::string name; ///< of the file that the reader saves it as; "setup" for what nobody runs; "" for a program
    std::string code;
    std::string place; ///< "errors.md:17", for messages
};

/// The code blocks of a Markdown file, in their order. Throws when one is not closed.
std::vector<GuideBlock> readGuide(const std::filesystem::path& file);
/// Of plugins/apidocs/guides.
std::filesystem::path guideFile(const std::string& name);
/// All guides with examples: those that say what they print.
std::vector<std::string> guidesWithExamples();

/// What runs the examples of a language. `program` is looked up in PATH.
struct ExampleLanguage {
    std::string name;      ///< of its blocks: "js"
    std::string extension; ///< ".mjs"
    std::vector<std::string> program;
    std::string client; ///< what its examples use, as tests/clients/install calls it; "": bare HTTP
};

const std::vector<ExampleLanguage>& exampleLanguages();
bool isInstalled(const ExampleLanguage& language);

} // namespace supplierd::tests

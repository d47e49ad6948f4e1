#include "host/ctl/plugin/PluginAuthorCommands.h"
#include "host/ctl/plugin/PluginProject.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/ControlContext.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace supplierd::host {
namespace {

struct NewPlugin {
    std::string name;
    std::string route;
    std::string output;
};

void makeProject(ControlContext& context, const NewPlugin& wanted) {
    const PluginProject project(wanted.name, wanted.route);
    const std::filesystem::path folder = wanted.output.empty() ? wanted.name : wanted.output;
    project.write(folder);
    if (context.json) {
        context.printJson([&](JsonWriter& json) {
            json.key("project").beginObject().field("name", wanted.name).field("folder", folder.string());
            json.key("files").beginArray();
            for (const auto& file : project.files())
                json.value(file.path.string());
            json.endArray().endObject();
        });
        return;
    }
    context.out() << fmt::format("{0} is the plugin '{1}', which answers {2}\n", folder.string(), wanted.name,
                                 wanted.route);
    context.hints() << fmt::format("Next: cd {0} && cmake -S . -B build && cmake --build build && ctest --test-dir "
                                   "build && supplierctl plugin validate build/{1}.so\n",
                                   folder.string(), wanted.name);
}

} // namespace

void addPluginNewCommand(CLI::App& plugin, ControlContext& context) {
    auto wanted = std::make_shared<NewPlugin>();
    auto* command = plugin.add_subcommand("new", "Make the project of a new plugin, ready to build, test and package");
    command->add_option("NAME", wanted->name, "Its id: 1 to 32 of a-z, 0-9 and dashes")->required();
    command->add_option("--route", wanted->route, "What it answers, as in 'GET /wishes' or 'POST /wishes/{id:int}'")
        ->required()
        ->type_name("'METHOD /PATH'");
    command
        ->add_option("-o,--output", wanted->output, "The folder to make; it must not exist or be empty (default: NAME)")
        ->type_name("DIR");
    command->callback([&context, wanted] { makeProject(context, *wanted); });
}

} // namespace supplierd::host

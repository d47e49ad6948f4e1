#pragma once

// Those of the commands `supplierctl plugin …` that have a file of their own; `plugin` is the group.

namespace CLI {
class App;
}

namespace supplierd::host {

class ControlContext;

void addPluginDataCommand(CLI::App& plugin, ControlContext& context);
void addPluginNewCommand(CLI::App& plugin, ControlContext& context);
void addPluginRunCommand(CLI::App& plugin, ControlContext& context);
void addPluginValidateCommand(CLI::App& plugin, ControlContext& context);

} // namespace supplierd::host

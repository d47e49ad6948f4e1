#pragma once

// Those of the commands `supplierctl plugin …` that are for authors of plugins; `plugin` is the group.

namespace CLI {
class App;
}

namespace supplierd::host {

class ControlContext;

void addPluginNewCommand(CLI::App& plugin, ControlContext& context);
void addPluginValidateCommand(CLI::App& plugin, ControlContext& context);

} // namespace supplierd::host

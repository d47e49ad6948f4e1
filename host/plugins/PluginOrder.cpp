#include "host/plugins/PluginOrder.h"

#include <algorithm>
#include <set>
#include <utility>

namespace supplierd::host {

namespace {

/// Depth first along "must start before me": a plugin is placed once all before it are.
class Walk {
public:
    explicit Walk(const std::vector<LoadedPlugin>& plugins) : _plugins(plugins), _marks(plugins.size(), Mark::New) {
        for (const LoadedPlugin& plugin : plugins) {
            std::set<std::size_t> before;
            for (const auto* list : {&plugin.description.needs, &plugin.description.after}) {
                for (const std::string& name : *list) {
                    const auto found = providersOf(name, plugins);
                    before.insert(found.begin(), found.end());
                }
            }
            _before.emplace_back(before.begin(), before.end());
        }
    }

    PluginOrder run() {
        std::vector<std::size_t> alphabetical(_plugins.size());
        for (std::size_t i = 0; i < alphabetical.size(); ++i)
            alphabetical[i] = i;
        const auto byId = [this](std::size_t a, std::size_t b) { return _plugins[a].id() < _plugins[b].id(); };
        std::sort(alphabetical.begin(), alphabetical.end(), byId);
        for (std::vector<std::size_t>& before : _before)
            std::sort(before.begin(), before.end(), byId);
        for (const std::size_t plugin : alphabetical)
            visit(plugin);
        std::erase_if(_order.sequence, [this](std::size_t plugin) { return _inCircle.contains(plugin); });
        return std::move(_order);
    }

private:
    enum class Mark { New, OnPath, Placed };

    void visit(std::size_t plugin) {
        if (_marks[plugin] == Mark::Placed)
            return;
        if (_marks[plugin] == Mark::OnPath) {
            recordCircle(plugin);
            return;
        }
        _marks[plugin] = Mark::OnPath;
        _path.push_back(plugin);
        for (const std::size_t earlier : _before[plugin])
            visit(earlier);
        _path.pop_back();
        _marks[plugin] = Mark::Placed;
        _order.sequence.push_back(plugin);
    }

    void recordCircle(std::size_t plugin) {
        std::vector<std::string> circle;
        for (auto at = std::find(_path.begin(), _path.end(), plugin); at != _path.end(); ++at) {
            circle.push_back(_plugins[*at].id());
            _inCircle.insert(*at);
        }
        circle.push_back(_plugins[plugin].id());
        _order.circles.push_back(std::move(circle));
    }

    const std::vector<LoadedPlugin>& _plugins;
    std::vector<std::vector<std::size_t>> _before;
    std::vector<Mark> _marks;
    std::vector<std::size_t> _path;
    std::set<std::size_t> _inCircle;
    PluginOrder _order;
};

} // namespace

PluginOrder PluginOrder::of(const std::vector<LoadedPlugin>& plugins) {
    return Walk(plugins).run();
}

std::vector<std::size_t> providersOf(const std::string& name, const std::vector<LoadedPlugin>& plugins) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < plugins.size(); ++i) {
        const std::vector<std::string>& offers = plugins[i].description.offers;
        if (plugins[i].id() == name || std::find(offers.begin(), offers.end(), name) != offers.end())
            found.push_back(i);
    }
    return found;
}

} // namespace supplierd::host

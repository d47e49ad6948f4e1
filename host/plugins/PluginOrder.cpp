#include "host/plugins/PluginOrder.h"

#include <algorithm>
#include <charconv>
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

PluginNeed PluginNeed::parse(const std::string& text) {
    constexpr std::string_view LEAST = " >= ";
    const std::size_t place = text.find(LEAST);
    if (place == std::string::npos)
        return {text, {}};
    PluginNeed need{text.substr(0, place), text.substr(place + LEAST.size())};
    const bool isVersion =
        !need.leastVersion.empty() && need.leastVersion.find_first_not_of("0123456789.") == std::string::npos;
    return isVersion && !need.isService() ? need : PluginNeed{text, {}};
}

bool PluginNeed::isMetBy(const std::string& version) const {
    const auto numbers = [](std::string_view text) {
        std::vector<unsigned> parts;
        while (!text.empty()) {
            unsigned number = 0;
            std::from_chars(text.data(), text.data() + text.size(), number);
            parts.push_back(number);
            const std::size_t dot = text.find('.');
            text.remove_prefix(dot == std::string_view::npos ? text.size() : dot + 1);
        }
        parts.resize(std::max<std::size_t>(parts.size(), 8));
        return parts;
    };
    return leastVersion.empty() || numbers(version) >= numbers(leastVersion);
}

std::vector<std::size_t> providersOf(const std::string& name, const std::vector<LoadedPlugin>& plugins) {
    const PluginNeed need = PluginNeed::parse(name);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < plugins.size(); ++i) {
        const std::vector<std::string>& offers = plugins[i].description.offers;
        const bool isIt = plugins[i].id() == need.name && need.isMetBy(plugins[i].note.version);
        if (isIt || std::find(offers.begin(), offers.end(), need.name) != offers.end())
            found.push_back(i);
    }
    return found;
}

} // namespace supplierd::host

#include <supplierd/Plugin.h>

#include <dlfcn.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace supplierd::tests {

namespace {

constexpr const char* EXPAND = R"sql(
ALTER TABLE products
    ADD COLUMN next_grade TINYINT NOT NULL DEFAULT 2 AFTER name,
    ADD COLUMN next_former TINYINT NOT NULL DEFAULT 0 FIRST,
    ADD KEY products_next (supplier_id, next_grade, id);

ALTER TABLE product_variants
    ADD COLUMN next_grade TINYINT NOT NULL DEFAULT 2 FIRST;

UPDATE products SET next_grade = 3 WHERE stock_qty > 10;
)sql";

constexpr const char* CONTRACT = R"sql(-- contract
ALTER TABLE products
    DROP COLUMN next_former;
)sql";

/// The built plugin, which this file loads.
std::unique_ptr<Plugin> presentCatalog() {
    void* const library = ::dlopen(SUPPLIERD_TEST_PRESENT_CATALOG, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const auto entry = library ? reinterpret_cast<PluginEntry>(::dlsym(library, "supplierd_plugin_entry")) : nullptr;
    if (!entry)
        throw std::runtime_error(std::string("the present catalog cannot be loaded: ") + ::dlerror());
    return std::unique_ptr<Plugin>(entry());
}

} // namespace

/// The catalog of a later release: the present one, with further migrations.
class NextCatalog final : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription about = _present->describe();
        const int last = about.migrations.back().number;
        about.migrations.push_back({last + 1, "next_release", EXPAND});
        about.migrations.push_back({last + 2, "next_contract", CONTRACT});
        return about;
    }
    void configure(const Config& config) override { _present->configure(config); }
    void start(Host& host) override { _present->start(host); }
    void ready() override { _present->ready(); }
    void drain() override { _present->drain(); }
    void stop() noexcept override { _present->stop(); }

private:
    std::unique_ptr<Plugin> _present = presentCatalog();
};

} // namespace supplierd::tests

SUPPLIERD_PLUGIN("catalog", SUPPLIERD_PLUGIN_VERSION, supplierd::tests::NextCatalog)

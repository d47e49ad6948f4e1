#include "host/plugins/PluginDescriptionCheck.h"
#include "host/plugins/RoutePattern.h"
#include "host/plugins/ServiceRegistry.h"
#include "tests/support/Test.h"

#include <stdexcept>

namespace supplierd::tests {

using host::LoadedPlugin;
using host::RoutePattern;
using host::ServiceRegistry;

class PluginPartsTest : public CppUnit::TestFixture {
protected:
    static void assertRefused(const std::string& pattern, const std::string& reason) {
        std::string message = "not refused";
        try {
            RoutePattern::parse(pattern);
        } catch (const std::invalid_argument& error) {
            message = error.what();
        }
        CPPUNIT_ASSERT_EQUAL("the route pattern '" + pattern + "' is malformed: " + reason, message);
    }

    void assertOfferRefused(const std::string& id, void* object, const std::string& expected) {
        std::string message = "not refused";
        try {
            _services.offer("media", _promised, id, object);
        } catch (const std::logic_error& error) {
            message = error.what();
        }
        CPPUNIT_ASSERT_EQUAL(expected, message);
    }

    void add(const std::string& id, Method method, const std::string& pattern, Audience audience = Audience::Supplier) {
        LoadedPlugin plugin;
        plugin.note.id = id;
        plugin.description.routes = {{method, pattern, audience, "", Body::None, {}}};
        _plugins.push_back(std::move(plugin));
    }

    std::string clash() const {
        const auto clashes = host::findRouteClashes(_plugins);
        return clashes.empty() ? std::string() : clashes.front().message;
    }

    std::vector<LoadedPlugin> _plugins;
    ServiceRegistry _services;
    std::vector<std::string> _promised{"supplierd.image-ingest/1"};
};

TEST(PluginPartsTest, patternIsTakenApart) {
    const RoutePattern pattern = RoutePattern::parse("/products/{id:int}/files/{name}");
    CPPUNIT_ASSERT_EQUAL(std::size_t(4), pattern.segments.size());
    CPPUNIT_ASSERT(RoutePattern::Kind::Literal == pattern.segments[0].kind);
    CPPUNIT_ASSERT_EQUAL(std::string("products"), pattern.segments[0].text);
    CPPUNIT_ASSERT(RoutePattern::Kind::Integer == pattern.segments[1].kind);
    CPPUNIT_ASSERT_EQUAL(std::string("id"), pattern.segments[1].text);
    CPPUNIT_ASSERT(RoutePattern::Kind::Text == pattern.segments[3].kind);
    CPPUNIT_ASSERT_EQUAL(std::string("name"), pattern.segments[3].text);
    CPPUNIT_ASSERT(RoutePattern::parse("/").segments.empty());
    const RoutePattern rest = RoutePattern::parse("/shop/{path...}");
    CPPUNIT_ASSERT(rest.hasRest() && rest.segments[1].text == "path" && rest.shape() == "/shop/{...}");
}

TEST(PluginPartsTest, malformedPatternsAreRefusedWithAReason) {
    assertRefused("", "it must begin with a slash");
    assertRefused("products", "it must begin with a slash");
    assertRefused("/products/", "a part between two slashes is empty");
    assertRefused("//products", "a part between two slashes is empty");
    assertRefused("/a b", "a part is a literal of letters, digits, - . _ ~ or one parameter like {id:int}");
    assertRefused("/..", "a part is a literal of letters, digits, - . _ ~ or one parameter like {id:int}");
    assertRefused("/a{id}", "a part is a literal of letters, digits, - . _ ~ or one parameter like {id:int}");
    assertRefused("/{id", "a part is a literal of letters, digits, - . _ ~ or one parameter like {id:int}");
    assertRefused("/{}", "a parameter's name is of a-z, 0-9 and _");
    assertRefused("/{Id}", "a parameter's name is of a-z, 0-9 and _");
    assertRefused("/{id:}", "the only parameter type is int, as in {id:int}");
    assertRefused("/{id:text}", "the only parameter type is int, as in {id:int}");
    assertRefused("/{id:int}/x/{id}", "it has two parameters of the same name");
}

TEST(PluginPartsTest, parametersOfAnyNameAndTypeClash) {
    add("alpha", Method::Get, "/a/{x:int}");
    add("beta", Method::Get, "/a/{y}");
    CPPUNIT_ASSERT_EQUAL(std::string("route clash: plugin 'alpha' has GET /a/{x:int} and plugin 'beta' has GET /a/{y}; "
                                     "run: supplierctl plugin disable beta"),
                         clash());
}

TEST(PluginPartsTest, literalBesideAParameterIsNoClash) {
    add("alpha", Method::Get, "/a/{x:int}");
    add("beta", Method::Get, "/a/totals");
    CPPUNIT_ASSERT_EQUAL(std::string(), clash());
}

TEST(PluginPartsTest, otherMethodOrAudienceIsNoClash) {
    add("alpha", Method::Get, "/a");
    add("beta", Method::Post, "/a");
    add("gamma", Method::Get, "/a", Audience::Operator);
    CPPUNIT_ASSERT_EQUAL(std::string(), clash());
}

TEST(PluginPartsTest, routeTwiceInOnePluginIsItsOwnMistake) {
    add("alpha", Method::Get, "/a");
    _plugins[0].description.routes.push_back(_plugins[0].description.routes[0]);
    CPPUNIT_ASSERT_EQUAL(std::string("route clash: plugin 'alpha' has GET /a and plugin 'alpha' has GET /a; this is an "
                                     "error in the plugin"),
                         clash());
}

TEST(PluginPartsTest, serviceIsFoundByItsId) {
    int object = 0;
    _services.offer("media", _promised, "supplierd.image-ingest/1", &object);
    CPPUNIT_ASSERT(&object == _services.find("supplierd.image-ingest/1"));
    CPPUNIT_ASSERT(nullptr == _services.find("supplierd.image-ingest/2"));
}

TEST(PluginPartsTest, serviceThatWasNotPromisedIsRefused) {
    int object = 0;
    assertOfferRefused("other/1", &object,
                       "plugin 'media' offers the service 'other/1', which its description does not promise; add it "
                       "to PluginDescription::offers");
    assertOfferRefused("supplierd.image-ingest/1", nullptr,
                       "plugin 'media' offers the service 'supplierd.image-ingest/1' without an object");
}

TEST(PluginPartsTest, serviceOfferedTwiceIsRefused) {
    int object = 0;
    _services.offer("images", _promised, "supplierd.image-ingest/1", &object);
    assertOfferRefused("supplierd.image-ingest/1", &object,
                       "plugin 'media' offers the service 'supplierd.image-ingest/1', which plugin 'images' offers "
                       "already");
}

TEST(PluginPartsTest, withdrawnServicesAreGone) {
    int object = 0;
    _services.offer("media", _promised, "supplierd.image-ingest/1", &object);
    _services.withdraw("images");
    CPPUNIT_ASSERT(&object == _services.find("supplierd.image-ingest/1"));
    _services.withdraw("media");
    CPPUNIT_ASSERT(nullptr == _services.find("supplierd.image-ingest/1"));
}

} // namespace supplierd::tests

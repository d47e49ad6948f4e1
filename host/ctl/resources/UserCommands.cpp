#include "host/ctl/resources/ResourceCommands.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"

#include <supplierd/Errors.h>
#include <supplierd/JsonBody.h>
#include <supplierd/Validation.h>
#include <supplierd/services/Users.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::host {
namespace {

struct NewUser {
    std::string email;
    std::string name;
    std::int64_t supplier = 0;
    std::string passwordFile;
    bool isStaff = false;
    std::vector<std::string> scopes;
};

struct NewRole {
    std::int64_t id = 0;
    std::string role;
    std::vector<std::string> scopes;
};

/// None: all of them.
void writeScopes(JsonWriter& json, const std::vector<std::string>& scopes) {
    if (scopes.empty())
        return;
    json.key("scopes").beginArray();
    for (const std::string& scope : scopes)
        json.value(scope);
    json.endArray();
}

/// The first line.
std::string passwordInFile(const std::string& file) {
    std::ifstream in(file);
    std::string password;
    if (!std::getline(in, password))
        throw CommandFailure("cannot read a password from " + file);
    return password;
}

/// Runs it, and tells what the service refuses as wrong usage.
template <class Result>
Result inTransaction(ControlContext& context, const std::function<Result(Transaction&)>& work) {
    std::optional<Result> result;
    try {
        context.database().withTransaction([&](Transaction& transaction) { result = work(transaction); });
    } catch (const ApiError& error) {
        if (error.kind() == ErrorKind::NotFound)
            throw CommandFailure("there is no such user; see `supplierctl user list`");
        if (error.kind() != ErrorKind::Validation)
            throw;
        throw describeRefusal(error);
    }
    return std::move(*result);
}

void printLink(ControlContext& context, const UserLink& link) {
    if (context.json) {
        context.printJson([&](JsonWriter& json) {
            json.key("user");
            writeJson(json, link.user);
            json.field("url", link.url).field("expires_at", link.expiresAt);
        });
        return;
    }
    context.out() << link.url << "\n";
    context.err() << fmt::format("{} chooses a password there, once, until {}.\n", link.user.email, link.expiresAt);
    if (link.url.starts_with('/'))
        context.err() << "It is a path on the server; with public_url in [plugins.dashboard] it is a whole link.\n";
}

void printUser(ControlContext& context, const User& user, const std::string& sentence) {
    if (context.json)
        context.printJson([&](JsonWriter& json) {
            json.key("user");
            writeJson(json, user);
        });
    else
        context.out() << sentence << "\n";
}

void addUser(ControlContext& context, const NewUser& wanted) {
    if (!isValidUtf8(wanted.email) || !isValidUtf8(wanted.name))
        throw CommandFailure("the name and the e-mail address must be valid UTF-8", ExitCode::Usage);
    std::string fields;
    JsonWriter json(fields);
    json.beginObject().field("email", wanted.email).field("name", wanted.name).key("supplier_id");
    if (wanted.supplier == 0)
        json.null();
    else
        json.value(wanted.supplier);
    if (wanted.isStaff)
        json.field("role", "staff");
    writeScopes(json, wanted.scopes);
    json.endObject();
    const JsonDocument document = parseJsonObject(std::move(fields));
    const std::string password = wanted.passwordFile.empty() ? "" : passwordInFile(wanted.passwordFile);
    Users& users = context.service<Users>();
    const auto link = inTransaction<UserLink>(context, [&](Transaction& transaction) {
        UserLink made = users.invite(transaction, document.object(), context.actor());
        if (!wanted.passwordFile.empty())
            made.user = users.setPassword(transaction, made.user.id, password, context.actor());
        return made;
    });
    if (wanted.passwordFile.empty())
        printLink(context, link);
    else
        printUser(context, link.user, fmt::format("user {} added: {}", link.user.id, link.user.email));
}

void setRole(ControlContext& context, const NewRole& wanted) {
    std::string fields;
    JsonWriter json(fields);
    json.beginObject().field("role", wanted.role);
    writeScopes(json, wanted.scopes);
    json.endObject();
    const JsonDocument document = parseJsonObject(std::move(fields));
    Users& users = context.service<Users>();
    const User changed = inTransaction<User>(context, [&](Transaction& transaction) {
        return users.update(transaction, wanted.id, document.object(), context.actor());
    });
    printUser(context, changed, changed.email + (changed.isStaff ? " is of the staff" : " is an owner"));
}

void listUsers(ControlContext& context, const PageOptions& options) {
    printPage(context, options, "users",
              {{"id", "ID", Listing::Kind::Integer},
               {"email", "EMAIL"},
               {"name", "NAME"},
               {"supplier_id", "SUPPLIER", Listing::Kind::Integer},
               {"role", "ROLE"},
               {"has_password", "PASSWORD"},
               {"has_second_factor", "CODES"},
               {"is_disabled", "DISABLED"},
               {"last_sign_in_at", "LAST SIGN-IN"}},
              "There are no users; `supplierctl user add EMAIL` invites one.",
              [&](const QueryParameters& query) { return context.service<Users>().list(context.database(), query); });
}

} // namespace

void addUserCommands(CLI::App& program, ControlContext& context) {
    auto* user =
        program.add_subcommand("user", "People who sign in to the dashboard: add, list, link, role, disable, enable");
    user->require_subcommand(1);

    auto added = std::make_shared<NewUser>();
    auto* add = user->add_subcommand("add", "Invite somebody: prints the link to choose a password with");
    add->add_option("EMAIL", added->email, "The e-mail address to sign in with")->required();
    add->add_option("--name", added->name, "The person's name");
    add->add_option("--supplier", added->supplier, "A supplier's person; without it an operator")
        ->check(idOf("supplier"));
    add->add_option("--password-file", added->passwordFile,
                    "Take the password from this file's first line (/dev/stdin too), and print no link");
    auto* staff = add->add_flag("--staff", added->isStaff, "May neither make keys nor invite people");
    add->add_option("--scope", added->scopes, "Staff may only this, such as orders:read; can be repeated")
        ->needs(staff);
    add->callback([&context, added] { addUser(context, *added); });

    auto* list = user->add_subcommand("list", "List them, newest first");
    auto options = PageOptions::addTo(*list);
    options->filter(*list, "--search", "Only those with this in their name or e-mail address");
    options->filter(*list, "--supplier", "Only a supplier's; 0: operators", "supplier_id");
    list->callback([&context, options] { listUsers(context, *options); });

    auto role = std::make_shared<NewRole>();
    auto* setting = user->add_subcommand("role", "Make a supplier's person an owner, or staff");
    setting->add_option("ID", role->id, "The user's id")->required()->check(idOf("user"));
    setting->add_option("ROLE", role->role, "owner or staff")->required();
    setting->add_option("--scope", role->scopes, "Staff may only this, such as orders:read; can be repeated");
    setting->callback([&context, role] { setRole(context, *role); });

    const auto addChange = [&](const char* name, const char* help, auto run) {
        auto id = std::make_shared<std::int64_t>(0);
        auto* command = user->add_subcommand(name, help);
        command->add_option("ID", *id, "The user's id")->required()->check(idOf("user"));
        command->callback([&context, id, run] { run(context, *id); });
    };
    addChange("link", "Print a link to choose a new password with", [](ControlContext& control, std::int64_t id) {
        Users& users = control.service<Users>();
        printLink(control, inTransaction<UserLink>(control, [&](Transaction& transaction) {
                      return users.link(transaction, id, control.actor());
                  }));
    });
    const auto change = [](User (Users::*member)(Transaction&, std::int64_t, const Actor&), const char* done) {
        return [member, done](ControlContext& control, std::int64_t id) {
            Users& users = control.service<Users>();
            const User changed = inTransaction<User>(
                control, [&](Transaction& transaction) { return (users.*member)(transaction, id, control.actor()); });
            printUser(control, changed, changed.email + " " + done);
        };
    };
    addChange("disable", "End the user's sessions and let nobody sign in", change(&Users::disable, "is disabled"));
    addChange("enable", "Let the user sign in again", change(&Users::enable, "may sign in"));
    addChange("remove-second-factor", "For somebody who has lost it: the password alone counts again",
              change(&Users::removeSecondFactor, "signs in with the password alone"));
}

} // namespace supplierd::host

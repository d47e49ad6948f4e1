#pragma once

#include <array>
#include <string_view>

namespace supplierd::dashboard {

/// What people get mails about, by the words of `dashboard_mails.kind`, and of the texts.
namespace MailKind {
constexpr std::string_view INVITATION = "invitation";
/// To somebody who was invited, and has an account elsewhere.
constexpr std::string_view INVITED_ELSEWHERE = "invited_elsewhere";
constexpr std::string_view NEW_PASSWORD = "new_password";
constexpr std::string_view SECOND_FACTOR_REMOVED = "second_factor_removed";
/// Mails about keys were switched off: whoever has somebody's session must not do that unseen.
constexpr std::string_view KEY_MAILS_OFF = "key_mails_off";
constexpr std::string_view KEY_CREATED = "key_created";
constexpr std::string_view KEY_NEW_ADDRESS = "key_new_address";
constexpr std::string_view WEBHOOK_OFF = "webhook_off";
constexpr std::string_view NEW_ORDERS = "new_orders";
} // namespace MailKind

/// A kind that people may switch off.
struct ChosenMail {
    std::string_view kind;
    std::string_view scope; ///< that a store's staff needs; "": it is for owners alone
    bool isForOperators;
};

constexpr std::array<ChosenMail, 4> CHOSEN_MAILS{{{MailKind::KEY_CREATED, "", true},
                                                  {MailKind::KEY_NEW_ADDRESS, "", true},
                                                  {MailKind::WEBHOOK_OFF, "webhooks:read", false},
                                                  {MailKind::NEW_ORDERS, "orders:read", false}}};

/// Null for a kind that nobody may switch off.
constexpr const ChosenMail* chosenMail(std::string_view kind) {
    for (const ChosenMail& mail : CHOSEN_MAILS)
        if (mail.kind == kind)
            return &mail;
    return nullptr;
}

} // namespace supplierd::dashboard

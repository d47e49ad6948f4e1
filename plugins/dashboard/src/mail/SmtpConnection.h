#pragma once

#include "MailSettings.h"

#include <supplierd/StopSignal.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>

namespace supplierd::dashboard {

/// A connection to the mail server, by libcurl, which keeps it from one mail to the next. Thread: one.
class SmtpConnection {
public:
    enum class Outcome {
        Sent,
        NotThisOne, ///< this mail, now: also "for good", which servers say of a sender that they do not know yet
        Unreachable ///< the server takes no mail at all
    };
    struct Answer {
        Outcome outcome = Outcome::Sent;
        std::string reason; ///< what libcurl says; neither an address nor a password
    };

    /// `stop` outlives it; null: nobody stops it.
    explicit SmtpConnection(const MailSettings& settings, const StopSignal* stop = nullptr);
    ~SmtpConnection();
    SmtpConnection(const SmtpConnection&) = delete;
    SmtpConnection& operator=(const SmtpConnection&) = delete;

    /// Ends early, with Unreachable, once it is stopped.
    Answer send(const std::string& to, std::string_view message);
    /// Whether it answers, and lets the user in; sends nothing.
    Answer ask(std::chrono::milliseconds limit);

private:
    template <class Option, class Value>
    void set(Option option, Value value);
    void describeServer(std::chrono::milliseconds limit);
    Answer perform();

    const MailSettings& _settings;
    const StopSignal* _stop;
    void* _easy;
    std::string_view _rest; ///< of the message
    bool _isAtMail = false; ///< the server has taken the sender: what it refuses now is this mail
    std::array<char, 256> _errorText{};
};

} // namespace supplierd::dashboard

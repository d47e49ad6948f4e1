#!/usr/bin/python3
"""A mail server for tests, by aiosmtpd: what it takes lies in a folder as 0001.json, 0002.json and so on.

Each has the envelope and what a mail program shows: subject, text, HTML and headers. While the folder has a file "answer",
mails are answered with its text ("451 later", "550 no such person"). A recipient that contains "nobody" is answered 550.
With a certificate it takes mails over STARTTLS alone, and with a user from that user alone.
"""
import argparse
import email
import email.policy
import json
import os
import ssl
import time

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult


class Receiver:
    def __init__(self, folder):
        self.folder = folder
        self.count = len([name for name in os.listdir(folder) if name.endswith(".json")])

    async def handle_RCPT(self, server, session, envelope, address, options):
        if "nobody" in address:
            return "550 there is no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        answer = os.path.join(self.folder, "answer")
        if os.path.exists(answer):
            with open(answer, encoding="utf-8") as file:
                return file.read().strip()
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        parts = {part.get_content_type(): part.get_content() for part in mail.walk() if not part.is_multipart()}
        self.count += 1
        name = os.path.join(self.folder, f"{self.count:04}.json")
        with open(name + ".part", "w", encoding="utf-8") as file:
            json.dump({
                "from": envelope.mail_from,
                "to": envelope.rcpt_tos,
                "headers": [[name, str(value)] for name, value in mail.items()],
                "subject": str(mail["subject"]),
                "type": mail.get_content_type(),
                "defects": [repr(defect) for part in mail.walk() for defect in part.defects],
                "text": parts.get("text/plain", ""),
                "html": parts.get("text/html", ""),
                "tls": session.ssl is not None,
                "user": session.auth_data.login.decode() if session.authenticated else None,
                "raw": envelope.content.decode("ascii", "backslashreplace"),
            }, file)
        os.rename(name + ".part", name)
        return "250 taken"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--user")
    parser.add_argument("--password")
    options = parser.parse_args()

    def authenticate(server, session, envelope, mechanism, data):
        isRight = data.login.decode() == options.user and data.password.decode() == options.password
        return AuthResult(success=isRight, handled=isRight, auth_data=data)

    context = None
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate, options.key)
    Controller(Receiver(options.folder), hostname="127.0.0.1", port=options.port, tls_context=context,
               require_starttls=context is not None,
               auth_required=options.user is not None, auth_require_tls=context is not None,
               authenticator=authenticate if options.user else None).start()
    print("ready", flush=True)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
